/**
 * Routes that become sockets: the upgrade, one timer for all connections, and the stages in which the server ends. What a
 * connection does with its frames is its own.
 */
import type { Accounts } from "../../accounts/accounts.ts";
import {
  type ClosedSockets,
  type Endpoints,
  endpointsOf,
  openClosedSockets,
} from "../../engine/closed-sockets.ts";
import { Refusal, toRefusal } from "../../errors.ts";
import { type EventLoopShare, openEventLoopShare } from "../../memory/event-loop-share.ts";
import { TransientSet } from "../../transient.ts";
import type { CallerOf } from "../middleware/caller.ts";
import { NODE_HEADER } from "../middleware/response-headers.ts";
import type { Frame } from "./frame-queue.ts";

export const SOCKET_LIMITS = {
  maxPayloadLength: 24 * 1024 * 1024,
  idleTimeout: 120,
  backpressureLimit: 4 * 1024 * 1024, // the longest event, of an item of a conversation
  closeOnBackpressureLimit: true, // a client that reads nothing must not fill the memory
  perMessageDeflate: false,
};

const TICK_MS = 1000;

/** The parts of the framework's socket that connections use. */
export type Socket = {
  send(data: string | Uint8Array): void;
  close(code: number, reason: string): void;
  ping(): void;
  terminate(): void;
  pause(): void;
  resume(): void;
  /** Bytes that the client has not taken. */
  getBufferedAmount(): number;
};

/** A connection, as its route sees it. */
export type Connection = {
  /** Resolves once all is done and charged. */
  run(): Promise<void>;
  receive(frame: Frame): void;
  pong(): void;
  /** The socket is gone. */
  leave(): void;
  /** The server is closing: what was asked for is still done. */
  shutDown(): void;
  /** The server cannot wait any longer. */
  cutOff(refusal: Refusal): void;
  /** Once a second. */
  tick(): void;
  /** Keys of the organization have ended. */
  checkKey(organizationId: string): void;
};

/** `id`: of the request. `ip`: of the client. */
export type Caller = { id: string; ip: string | null };

/** `protocol`: the subprotocol that is chosen; null: none was offered. */
type Opened = {
  protocol: string | null;
  headers?: Record<string, string>;
  connect(socket: Socket): Connection;
};

/** Throws what refuses the upgrade. */
type Opening = (request: Request, caller: Caller) => Opened | Promise<Opened>;

type Server = {
  node: string;
  accounts: Pick<Accounts, "onKeysEnding">;
  closing: AbortSignal;
  cut: AbortSignal;
  callerOf: CallerOf;
};

/** `share`: of the event loop, for reading frames of all of them. */
export type SocketRoutes = {
  share: EventLoopShare;
  /** Of a GET route that becomes a socket. */
  handle(open: Opening): Handle;
};

type Handle = (context: {
  request: Request;
  server: ServedBy | null;
  set: { headers: Record<string, unknown> };
}) => Promise<void>;

type ServedBy = Parameters<CallerOf>[1] &
  Parameters<typeof endpointsOf>[1] & {
    upgrade(request: Request, options: { headers: Record<string, string>; data: never }): boolean;
  };

/** The parts of the framework's socket that its handlers use. */
type Handlers = {
  open(socket: Socket): void;
  message(socket: Socket, frame: Frame): void;
  pong(): void;
  close(): void;
};

export function openSocketRoutes({ node, accounts, closing, cut, callerOf }: Server): SocketRoutes {
  const connections = openConnections();
  const closed = openClosedSockets();
  accounts.onKeysEnding((organizationId) => {
    for (const connection of connections.all) connection.checkKey(organizationId);
  });
  closing.addEventListener("abort", () => {
    for (const connection of connections.all) connection.shutDown();
  });
  cut.addEventListener("abort", () => {
    for (const connection of connections.all) connection.cutOff(toRefusal(cut.reason));
  });
  return {
    share: openEventLoopShare(),
    handle:
      (open) =>
      async ({ request, server, set }) => {
        if (request.headers.get("upgrade")?.toLowerCase() !== "websocket") throw upgradeRequired();
        const id = set.headers["x-request-id"] as string;
        const opened = await open(request, { id, ip: callerOf(request, server) });
        const { protocol, headers = {}, connect } = opened;
        const upgraded: Record<string, string> = { "x-request-id": id, [NODE_HEADER]: node, ...headers };
        if (protocol !== null) upgraded["sec-websocket-protocol"] = protocol;
        const endpoints = server && endpointsOf(request, server);
        const data = handlers(connect, { connections, closing, closed, endpoints });
        if (!server?.upgrade(request, { headers: upgraded, data: data as never })) throw upgradeRequired();
      },
  };
}

export const protocolsOf = (request: Request): string[] =>
  (request.headers.get("sec-websocket-protocol") ?? "")
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");

export const upgradeRequired = (message = "This is a WebSocket endpoint: connect with ws:// or wss://.") =>
  new Refusal("upgrade_required", message);

type Connections = ReturnType<typeof openConnections>;

/** The open connections, and the timer that all of them share. */
function openConnections() {
  const all = new TransientSet<Connection>();
  let ticking: Timer | null = null;
  const tick = () => {
    for (const connection of all) connection.tick();
  };
  return {
    all,
    async run(connection: Connection): Promise<void> {
      ticking ??= setInterval(tick, TICK_MS);
      all.add(connection);
      await connection.run();
      all.delete(connection);
      if (all.size > 0 || !ticking) return;
      clearInterval(ticking);
      ticking = null;
    },
  };
}

type Context = {
  connections: Connections;
  closing: AbortSignal;
  closed: ClosedSockets;
  endpoints: Endpoints | null;
};

function handlers(connect: (socket: Socket) => Connection, context: Context): Handlers {
  const { connections, closing, closed, endpoints } = context;
  let connection: Connection | null = null;
  return {
    open(socket) {
      connection = connect(socket);
      void connections.run(connection);
      if (closing.aborted) connection.shutDown();
    },
    message: (_socket, frame) => connection?.receive(frame),
    pong: () => connection?.pong(),
    close() {
      closed.end(endpoints);
      connection?.leave();
    },
  };
}
