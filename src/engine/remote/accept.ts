/** The side of a connection that did not open it: checks the secret, and turns a server's socket into a link. */
import { matchesSecret, type Secret } from "../../config/config.ts";
import { type ClosedSockets, endpointsOf } from "../closed-sockets.ts";
import type { Link } from "./link.ts";
import type { Socket } from "./outgoing.ts";

/** The parts of Bun's server socket that matter here. */
type ServerSocket = {
  send(frame: string | Uint8Array<ArrayBuffer>): unknown;
  getBufferedAmount(): number;
  close(code: number, reason: string): void;
};

/** What a server calls for a socket: `data` of Bun's `upgrade`. */
export type SocketHandlers = {
  open(socket: ServerSocket): void;
  message(socket: ServerSocket, frame: string | Uint8Array): void;
  pong(): void;
  drain(): void;
  close(socket: ServerSocket, code: number, reason: string): void;
};

/** For the configuration of a server's sockets. A link sends and takes no larger frames. */
export const SOCKET_LIMITS = {
  maxPayloadLength: 4 * 1024 * 1024, // a text frame of TEXT_MAX characters
  idleTimeout: 120, // the link notices a silent peer earlier
  backpressureLimit: 4 * 1024 * 1024,
  closeOnBackpressureLimit: true,
  perMessageDeflate: false,
};

/** How long a peer may take to answer that the connection closes. */
export const LINGER_MS = 1000;

export const isAuthorized = (request: Request, secret: Secret): boolean =>
  matchesSecret(request.headers.get("authorization") ?? "", () => `Bearer ${secret()}`);

export function socketHandlers(connect: (socket: Socket) => Pick<Link, "receive" | "ended">): SocketHandlers {
  let link: Pick<Link, "receive" | "ended"> | null = null;
  return {
    open(socket) {
      link = connect({
        send: (frame) => socket.send(frame),
        bufferedBytes: () => socket.getBufferedAmount(),
        close(code, reason) {
          socket.close(code, reason);
        },
      });
    },
    message: (_socket, frame) => link?.receive(frame),
    pong() {},
    drain() {},
    close: (_socket, code, reason) => link?.ended(reason || `the connection was closed (${code})`),
  };
}

type Accepting = Parameters<typeof endpointsOf>[1] & {
  upgrade(request: Request, options: { data: SocketHandlers }): boolean;
};

/** Makes a socket of the request, whose connection is ended where the peer does not end it. False: it asks for none. */
export function upgraded(
  request: Request,
  server: Accepting,
  { handlers, closed }: { handlers: SocketHandlers; closed: ClosedSockets },
): boolean {
  const connection = endpointsOf(request, server);
  return server.upgrade(request, {
    data: {
      ...handlers,
      close(socket, code, reason) {
        closed.end(connection);
        handlers.close(socket, code, reason);
      },
    },
  });
}
