/**
 * GET /v1/realtime: the socket of a live transcription. The upgrade completes, for a browser cannot read a failed one,
 * and whatever is wrong is said on the socket; only one that offers nothing but its key as subprotocol is refused.
 */
import { Elysia } from "elysia";
import { Fault } from "../errors.ts";
import { bearer } from "../http/access.ts";
import type { CallerOf } from "../http/caller.ts";
import type { Frame } from "../http/inbox.ts";
import { Call, type CallParts, type Opening, type Socket } from "./realtime-call.ts";

export const SOCKET_LIMITS = {
  maxPayloadLength: 24 * 1024 * 1024,
  idleTimeout: 120,
  backpressureLimit: 1024 * 1024,
  closeOnBackpressureLimit: true, // a client that reads nothing must not fill the memory
  perMessageDeflate: false,
};

const TICK_MS = 1000;
const KEY_PROTOCOL = "openai-insecure-api-key.";
const SECRET = /api-key|(sk_live|sk_test|ek)_/i;

type Route = { closing: AbortSignal; callerOf: CallerOf };

/** What the framework's socket handlers look for. */
type Handlers = {
  open(socket: Socket): void;
  message(socket: Socket, frame: Frame): void;
  pong(): void;
  close(): void;
};

export function realtimeRoute(parts: CallParts, { closing, callerOf }: Route) {
  const calls = openCalls();
  closing.addEventListener("abort", () => {
    for (const call of calls.all) call.shutDown();
  });
  return new Elysia().get(
    "/v1/realtime",
    ({ request, server, set }) => {
      if (request.headers.get("upgrade")?.toLowerCase() !== "websocket") throw upgradeRequired();
      const id = set.headers["x-request-id"] as string;
      const protocols = protocolsOf(request);
      const headers: Record<string, string> = { "x-request-id": id };
      const protocol = chosenOf(protocols);
      if (protocol !== null) headers["sec-websocket-protocol"] = protocol;
      const opening = openingOf(request, protocols, { id, ip: callerOf(request, server) });
      const data = handlers(parts, opening, calls);
      if (!server?.upgrade(request, { headers, data: data as never })) throw upgradeRequired();
    },
    { detail: { hide: true } }, // OpenAPI has no word for a socket
  );
}

type Calls = ReturnType<typeof openCalls>;

/** The conversations under way, and the second hand that each of them needs. */
function openCalls() {
  const all = new Set<Call>();
  let ticking: Timer | null = null;
  const tick = () => {
    for (const call of all) call.tick();
  };
  return {
    all,
    async run(call: Call): Promise<void> {
      ticking ??= setInterval(tick, TICK_MS);
      all.add(call);
      await call.run();
      all.delete(call);
      if (all.size > 0 || !ticking) return;
      clearInterval(ticking);
      ticking = null;
    },
  };
}

function handlers(parts: CallParts, opening: Opening, calls: Calls): Handlers {
  let call: Call | null = null;
  return {
    open(socket) {
      call = new Call(parts, opening, socket);
      void calls.run(call);
    },
    message: (_socket, frame) => call?.receive(frame),
    pong: () => call?.pong(),
    close: () => call?.leave(),
  };
}

function openingOf(
  request: Request,
  protocols: string[],
  { id, ip }: { id: string; ip: string | null },
): Opening {
  const query = new URL(request.url).searchParams;
  const authorization = request.headers.get("authorization");
  const key = protocols.find((name) => name.startsWith(KEY_PROTOCOL))?.slice(KEY_PROTOCOL.length);
  return {
    id,
    ip,
    secret: () => (authorization === null && key !== undefined ? key : bearer(authorization)),
    model: query.get("model")?.slice(0, 256) || null,
    shape: { beta: isBeta(request, protocols), intent: query.get("intent") === "transcription" },
    userAgent: request.headers.get("user-agent")?.slice(0, 256) ?? null,
  };
}

const protocolsOf = (request: Request): string[] =>
  (request.headers.get("sec-websocket-protocol") ?? "")
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");

/**
 * Null where none was offered. One is always named, for else the first that was offered is, which may be a key: it would
 * stand in the logs of every proxy on its way.
 */
function chosenOf(protocols: string[]): string | null {
  if (protocols.length === 0) return null;
  const chosen = protocols.includes("realtime") ? "realtime" : protocols.find((name) => !SECRET.test(name));
  if (chosen === undefined) throw upgradeRequired('Offer the subprotocol "realtime" beside your key.');
  return chosen;
}

const isBeta = (request: Request, protocols: string[]): boolean =>
  /\brealtime=v1\b/.test(request.headers.get("openai-beta") ?? "") ||
  protocols.includes("openai-beta.realtime-v1");

const upgradeRequired = (message = "This is a WebSocket endpoint: connect with ws:// or wss://.") =>
  new Fault("upgrade_required", message);
