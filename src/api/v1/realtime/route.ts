/**
 * GET /v1/realtime: the socket of a live transcription. The upgrade succeeds even for a refused session, because a browser
 * cannot read a failed upgrade; the error is sent on the socket. Only an offer of nothing but a key as subprotocol fails.
 */
import { Elysia } from "elysia";
import {
  type ClosedSockets,
  type Endpoints,
  endpointsOf,
  openClosedSockets,
} from "../../../engine/closed-sockets.ts";
import { toRefusal } from "../../../errors.ts";
import { openEventLoopShare } from "../../../memory/event-loop-share.ts";
import type { CallerOf } from "../../middleware/client-address.ts";
import { NODE_HEADER } from "../../middleware/response-headers.ts";
import { Call, type CallDeps } from "./call.ts";
import type { Frame } from "./frame-queue.ts";
import { chosenOf, type Opening, openingOf, protocolsOf, type Socket, upgradeRequired } from "./handshake.ts";

export const SOCKET_LIMITS = {
  maxPayloadLength: 24 * 1024 * 1024,
  idleTimeout: 120,
  backpressureLimit: 1024 * 1024,
  closeOnBackpressureLimit: true, // a client that reads nothing must not fill the memory
  perMessageDeflate: false,
};

const TICK_MS = 1000;

type Route = { node: string; closing: AbortSignal; cut: AbortSignal; callerOf: CallerOf };

/** The parts of the framework's socket that the handlers use. */
type Handlers = {
  open(socket: Socket): void;
  message(socket: Socket, frame: Frame): void;
  pong(): void;
  close(): void;
};

export function realtimeRoute(deps: Omit<CallDeps, "share">, { node, closing, cut, callerOf }: Route) {
  const callDeps = { ...deps, share: openEventLoopShare() };
  const calls = openCalls();
  const closed = openClosedSockets();
  deps.accounts.onKeysEnding((organizationId) => {
    for (const call of calls.all) call.checkKey(organizationId);
  });
  closing.addEventListener("abort", () => {
    for (const call of calls.all) call.shutDown();
  });
  cut.addEventListener("abort", () => {
    for (const call of calls.all) call.cutOff(toRefusal(cut.reason));
  });
  return new Elysia().get(
    "/v1/realtime",
    ({ request, server, set }) => {
      if (request.headers.get("upgrade")?.toLowerCase() !== "websocket") throw upgradeRequired();
      const id = set.headers["x-request-id"] as string;
      const protocols = protocolsOf(request);
      const headers: Record<string, string> = {
        "x-request-id": id,
        [NODE_HEADER]: node,
      };
      const protocol = chosenOf(protocols);
      if (protocol !== null) headers["sec-websocket-protocol"] = protocol;
      const opening = openingOf(request, protocols, { id, ip: callerOf(request, server) });
      const connection = server && endpointsOf(request, server);
      const data = handlers(callDeps, opening, { calls, closing, closed, connection });
      if (!server?.upgrade(request, { headers, data: data as never })) throw upgradeRequired();
    },
    { detail: { hide: true } }, // OpenAPI cannot describe a socket
  );
}

type Calls = ReturnType<typeof openCalls>;

/** The open conversations, and the timer that all of them share. */
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

type Context = {
  calls: Calls;
  closing: AbortSignal;
  closed: ClosedSockets;
  connection: Endpoints | null;
};

function handlers(deps: CallDeps, opening: Opening, context: Context): Handlers {
  const { calls, closing, closed, connection } = context;
  let call: Call | null = null;
  return {
    open(socket) {
      call = new Call(deps, opening, socket);
      void calls.run(call);
      if (closing.aborted) call.shutDown();
    },
    message: (_socket, frame) => call?.receive(frame),
    pong: () => call?.pong(),
    close() {
      closed.end(connection);
      call?.leave();
    },
  };
}
