/**
 * POST /mcp: messages of the Model Context Protocol, each answered on its own. There are no sessions, no subscriptions and no
 * batches.
 *
 *   key -> room -> body -> the protocol's library -> tool -> limits, credit, engine, charge -> result
 */
import type { McpHttpHandler } from "@modelcontextprotocol/server";
import { Elysia } from "elysia";
import { invalidInput } from "../../../errors.ts";
import { openRoom } from "../../../memory/budget.ts";
import { announcedBytes, readJson } from "../../middleware/body/body.ts";
import type { MeteredCall } from "../../middleware/metering.ts";
import type { DialectServices } from "../dialect.ts";
import { speakTool } from "./speak-tool.ts";
import { openTools } from "./tool.ts";
import { AUDIO_BYTES_MAX, transcribeTool } from "./transcribe-tool.ts";
import { voicesTool } from "./voices-tool.ts";

const BODY_LIMIT = Math.ceil(AUDIO_BYTES_MAX / 3) * 4 + 64 * 1024; // three bytes are four characters of base64
const BODIES = { organizationBytes: 4 * BODY_LIMIT, totalBytes: 16 * BODY_LIMIT };

const INSTRUCTIONS = "Speaks texts and transcribes recordings. list_voices says which voices there are.";

export function mcpRoute(services: DialectServices) {
  const { access, timeouts } = services;
  const bodies = openRoom(BODIES);
  const calls = new WeakMap<Request, MeteredCall>();
  const tools = openTools([speakTool(services), transcribeTool(services), voicesTool(services)]);
  let opening: Promise<McpHttpHandler> | null = null; // its library takes a while to load
  return new Elysia().post(
    "/mcp/mcp",
    async ({ request, set }) => {
      const principal = await access(request, null);
      const { organizationId } = principal;
      const sizeBytes = Math.min(announcedBytes(request) ?? BODY_LIMIT, BODY_LIMIT);
      using _place = await bodies.enter({ organizationId, sizeBytes, signal: request.signal });
      const parsedBody = await readJson(request, timeouts, { limitBytes: BODY_LIMIT });
      if (Array.isArray(parsedBody)) throw batched();
      calls.set(request, { request, set });
      opening ??= openHandler(tools, (asked) => calls.get(asked)!);
      const response = await (await opening).fetch(request, { parsedBody });
      const { status, headers } = response;
      return new Response(response.body && (await response.bytes()), { status, headers }); // the body is held until then
    },
    { parse: "none", detail: { hide: true } },
  );
}

const batched = () =>
  invalidInput([{ field: "", code: "wrong_type", message: "must be one message: batches are not read" }]);

async function openHandler(
  { listed, call }: ReturnType<typeof openTools>,
  callOf: (request: Request) => MeteredCall,
): Promise<McpHttpHandler> {
  const { createMcpHandler, Server } = await import("@modelcontextprotocol/server");
  return createMcpHandler(
    ({ requestInfo }) => {
      const server = new Server(
        { name: "loquat", version: "1" },
        { capabilities: { tools: {} }, instructions: INSTRUCTIONS },
      );
      server.setRequestHandler("tools/list", () => ({ tools: listed }));
      server.setRequestHandler("tools/call", ({ params }) => call(params, callOf(requestInfo!)));
      return server;
    },
    { legacy: "stateless", maxSubscriptions: 0 },
  );
}
