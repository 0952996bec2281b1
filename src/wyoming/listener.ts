/**
 * The port of Wyoming: accepts connections, a limited number at once, and closes them with the server.
 *
 * The protocol has no authentication and no encryption: everybody who reaches the port uses the configured key.
 */
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { Connection, type ConnectionDeps, LINGER_MS, type Timeouts } from "./connection.ts";
import { encodeEvent } from "./framing.ts";
import { eventOf } from "./wyoming-session.ts";

const TIMEOUTS: Timeouts = { idleMs: 600_000, nextMs: 30_000, unreadMs: 60_000 };
const CONNECTIONS_MAX = 64;
const DRAIN_MS = 10_000;

export type WyomingOptions = { timeouts?: Timeouts; connectionsMax?: number };

export type WyomingServer = AsyncDisposable & { port: number };

type Address = { host: string; port: number };

/** Rejects with the system's error where the port cannot be used. */
export async function listenWyoming(
  deps: Omit<ConnectionDeps, "timeouts">,
  address: Address,
  { timeouts = TIMEOUTS, connectionsMax = CONNECTIONS_MAX }: WyomingOptions = {},
): Promise<WyomingServer> {
  const connections = new Map<Connection, Promise<void>>();
  const server = createServer((socket) => {
    if (connections.size >= connectionsMax) return refuse(socket);
    const connection = new Connection({ ...deps, timeouts }, socket);
    connections.set(
      connection,
      connection.run().finally(() => connections.delete(connection)),
    );
  });
  await listening(server, address);
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      server.close();
      for (const connection of connections.keys()) connection.shutDown();
      const deadline = setTimeout(() => {
        for (const connection of connections.keys()) connection.terminate();
      }, DRAIN_MS);
      await Promise.all(connections.values());
      clearTimeout(deadline);
    },
  };
}

function refuse(socket: Socket): void {
  const text = "This server has too many connections. Try again in a moment.";
  socket.on("error", () => {});
  socket.resume(); // unread bytes would keep it open
  socket.end(encodeEvent(eventOf("error", { text, code: "service_unavailable" })));
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}

function listening(server: Server, { host, port }: Address): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host, port, exclusive: true }, () => {
      server.off("error", reject);
      resolve();
    });
  });
}
