/**
 * The port of Wyoming: accepts connections, a limited number at once and from one address, and closes them with the server.
 *
 * The protocol has no authentication and no encryption: every client that reaches the port uses the configured key.
 */
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { type Refusal, toRefusal } from "../errors.ts";
import { openEventLoopShare } from "../memory/event-loop-share.ts";
import { TransientMap } from "../transient.ts";
import { addressOf, Connection, type ConnectionDeps, LINGER_MS, type Timeouts } from "./connection.ts";
import { encodeEvent } from "./framing.ts";
import { eventOf } from "./wyoming-session.ts";

const TIMEOUTS: Timeouts = { idleMs: 600_000, nextMs: 30_000, requestMs: 3_600_000, unreadMs: 60_000 };
const CONNECTIONS_MAX = 64;

/**
 * `cut`: a server that is closing does not wait for requests any longer; its reason is their refusal. `reusePort`: another
 * process may listen on the port too.
 */
export type WyomingOptions = {
  timeouts?: Timeouts;
  connectionsMax?: number;
  cut?: AbortSignal;
  reusePort?: boolean;
};

export type WyomingServer = AsyncDisposable & {
  /** The IP address that it listens on. */
  address: string;
  port: number;
  /** Ends all connections, with this error. */
  end(refusal: Refusal): void;
};

type Address = { host: string; port: number };

/** Rejects with the system's error where the port cannot be used. */
export async function listenWyoming(
  deps: Omit<ConnectionDeps, "timeouts" | "share">,
  address: Address,
  { timeouts = TIMEOUTS, connectionsMax = CONNECTIONS_MAX, cut, reusePort = false }: WyomingOptions = {},
): Promise<WyomingServer> {
  const connections = new TransientMap<Connection, Promise<void>>();
  const share = openEventLoopShare();
  const server = createServer((socket) => {
    if (!hasPlace(addressOf(socket), [...connections.keys()], connectionsMax)) return refuse(socket);
    const connection = new Connection({ ...deps, timeouts, share }, socket);
    connections.set(
      connection,
      connection.run().finally(() => connections.delete(connection)),
    );
  });
  cut?.addEventListener("abort", () => {
    for (const connection of connections.keys()) connection.end(toRefusal(cut.reason));
  });
  await listening(server, { ...address, reusePort });
  const { address: ip, port } = server.address() as AddressInfo;
  return {
    address: ip,
    port,
    end(refusal) {
      for (const connection of connections.keys()) connection.end(refusal);
    },
    async [Symbol.asyncDispose]() {
      server.close();
      for (const connection of connections.keys()) connection.shutDown();
      await Promise.all(connections.values());
    },
  };
}

/**
 * Whether one more connection from an address may be open. Where there are too many, of all or of one address, which has
 * half of the places, the oldest of them that is idle gives way.
 */
function hasPlace(address: string | null, open: readonly Connection[], most: number): boolean {
  const sameAddress = open.filter((connection) => connection.address === address);
  const crowd = sameAddress.length >= Math.ceil(most / 2) ? sameAddress : open.length >= most ? open : null;
  if (crowd === null) return true;
  const idle = crowd.find(({ isIdle }) => isIdle);
  idle?.giveWay();
  return idle !== undefined;
}

function refuse(socket: Socket): void {
  const text = "This server has too many connections. Try again in a moment.";
  socket.on("error", () => {});
  socket.resume(); // unread bytes would keep it open
  socket.end(encodeEvent(eventOf("error", { text, code: "service_unavailable" })));
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}

function listening(server: Server, options: Address & { reusePort: boolean }): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ ...options, exclusive: true }, () => {
      server.off("error", reject);
      resolve();
    });
  });
}
