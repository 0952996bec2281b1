/** The Model Context Protocol: tools that speak and transcribe for assistants, at one address. */

import type { McpHttpHandler } from "@modelcontextprotocol/server";
import { Elysia } from "elysia";
import Type from "typebox";
import { invalidInput } from "../../../errors.ts";
import { primaryLanguage } from "../../../language-tag.ts";
import { openRoom } from "../../../memory/budget.ts";
import { languagesSpoken } from "../../../models/manifest.ts";
import { ownVoicesListed } from "../../../voices/voices.ts";
import { announcedBytes, readJson } from "../../middleware/body/body.ts";
import { bearer } from "../../middleware/caller.ts";
import { envelope } from "../../middleware/faults.ts";
import type { MeteredCall } from "../../middleware/metering.ts";
import type { Dialect, DialectServices } from "../dialect.ts";
import { speakTool } from "./speak-tool.ts";
import { openTool, openTools } from "./tool.ts";
import { AUDIO_BYTES_MAX, transcribeTool } from "./transcribe-tool.ts";

export const mcp: Dialect = {
  name: "mcp",
  own: ["/mcp"],
  shared: [],
  namesModels: false,
  isMeant: () => false,
  secretOf: bearer,
  errorBody: envelope,
  routes: mcpRoute,
};

const BODY_LIMIT = Math.ceil(AUDIO_BYTES_MAX / 3) * 4 + 64 * 1024; // three bytes are four characters of base64
const BODIES = { organizationBytes: 4 * BODY_LIMIT, totalBytes: 16 * BODY_LIMIT };

const INSTRUCTIONS = "Speaks texts and transcribes recordings. list_voices says which voices there are.";

/**
 * POST /mcp: messages of the Model Context Protocol, each answered on its own. There are no sessions, no subscriptions and no
 * batches.
 *
 *   key -> room -> body -> the protocol's library -> tool -> limits, credit, engine, charge -> result
 */
function mcpRoute(services: DialectServices) {
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

const Input = Type.Object(
  {
    language: Type.Optional(
      Type.String({ maxLength: 256, description: "Only voices that speak this language, such as en." }),
    ),
  },
  { additionalProperties: false },
);

/** The tool `list_voices`: the voices of the catalogue and the organization's own. Free of charge. */
const voicesTool = ({ access, catalogueFor, ownVoices }: DialectServices) =>
  openTool({
    name: "list_voices",
    title: "List voices",
    description: "Lists the voices that speak: their ids, names, languages and models.",
    input: Input,
    isFree: true,
    async run({ language }, { request }) {
      const principal = await access(request, "catalog:read");
      const catalogue = catalogueFor(principal);
      const own = await ownVoicesListed(ownVoices, principal, catalogue);
      const asked = language && primaryLanguage(language);
      const voices = [...own, ...catalogue.voices]
        .filter((voice) => !asked || languagesSpoken(voice).includes(asked))
        .map((voice) => ({
          id: voice.id,
          name: voice.name,
          locale: voice.locale,
          languages: languagesSpoken(voice),
          gender: voice.gender,
          models: voice.models,
        }));
      return { content: [{ type: "text", text: JSON.stringify({ voices }) }], structuredContent: { voices } };
    },
  });
