/**
 * One port for https and for plain http, where a server has a certificate of its own: clients that were set up before, and
 * browsers that try http first, are told the address instead of being cut off.
 *
 *   first byte   0x16, a TLS handshake ──> every byte, both ways ──> the server, on a port of this machine only
 *                a letter, plain http  ──> 308 to https for browsers, an error that names https for others
 */
import type { Socket } from "bun";
import { envelope, toFault } from "../api/middleware/faults.ts";
import { systemClock } from "../clock.ts";
import { Refusal } from "../errors.ts";
import { newId } from "../ids.ts";
import { TransientMap, TransientSet } from "../transient.ts";

/** The parts of Bun's server that are another's once it is behind the port. */
type Server = {
  port?: number | undefined;
  url: URL;
  requestIP(request: Request): SocketAddress | null;
  stop(isAtOnce?: boolean): Promise<void>;
};
type SocketAddress = { address: string; port: number; family: "IPv4" | "IPv6" };

/** An end of a connection; `queue`: what it has not taken yet, for which the other end waits. */
type End = { other: Socket<End> | null; queue: Buffer[]; isEnding: boolean; head: Buffer | null };

const HANDSHAKE = 0x16;
const HEAD_MAX = 16 * 1024;
const SILENT_SECONDS = 30; // for the first bytes

type Place = { hostname: string; port: number; reusePort: boolean };

/** Puts a server with TLS, which listens on this machine only, behind a port that also takes plain http. */
export function putBehindPort(server: Server, place: Place): void {
  const inner = server.port!;
  const peers = new TransientMap<number, SocketAddress>();
  const open = new TransientSet<Socket<End>>();
  const port = Bun.listen<End>({
    ...place,
    socket: {
      open(socket) {
        socket.data = newEnd();
        socket.timeout(SILENT_SECONDS);
        open.add(socket);
      },
      data(socket, chunk) {
        const { other, head } = socket.data;
        if (other) return pass(chunk, socket, other);
        socket.data.head = Buffer.concat([head ?? Buffer.alloc(0), chunk]);
        if (socket.data.head[0] !== HANDSHAKE) return answer(socket);
        if (head === null) void connect(socket, inner, peers);
      },
      drain,
      close(socket) {
        open.delete(socket);
        leave(socket);
      },
      error: (socket) => void socket.end(),
    },
  });
  const own = { requestIP: server.requestIP.bind(server), stop: server.stop.bind(server), url: server.url };
  define(server, "port", port.port);
  define(server, "url", withPort(own.url, place.hostname, port.port));
  define(server, "requestIP", (request: Request) => {
    const peer = own.requestIP(request);
    return peer && (peers.get(peer.port) ?? null); // null: it left, or has gone past the port
  });
  define(server, "stop", (isAtOnce?: boolean) => {
    port.stop(isAtOnce);
    if (isAtOnce) for (const socket of open) socket.end();
    return own.stop(isAtOnce);
  });
}

const newEnd = (): End => ({ other: null, queue: [], isEnding: false, head: null });

const define = (server: object, name: keyof Server, value: unknown) =>
  Object.defineProperty(server, name, { value, configurable: true });

function withPort(url: URL, hostname: string, port: number): URL {
  const host = hostname.includes(":") ? `[${hostname}]` : hostname;
  return new URL(`${url.protocol}//${host}:${port}/`);
}

/** Connects a client that speaks TLS to the server. */
async function connect(
  client: Socket<End>,
  port: number,
  peers: TransientMap<number, SocketAddress>,
): Promise<void> {
  const { remoteAddress: address, remotePort, remoteFamily } = client;
  const peer = { address, port: remotePort, family: remoteFamily } as SocketAddress;
  let own: number | null = null;
  const server = await Bun.connect<End>({
    ...{ hostname: "127.0.0.1", port, data: { ...newEnd(), other: client } },
    socket: {
      open(socket) {
        own = socket.localPort;
        peers.set(own, peer); // before the server has a request of it
      },
      data(socket, chunk) {
        if (socket.data.other) pass(chunk, socket, socket.data.other);
      },
      drain,
      close(socket) {
        if (own !== null) peers.delete(own);
        leave(socket);
      },
      error: (socket) => void socket.end(),
    },
  }).catch(() => null);
  if (server === null || client.readyState < 1) {
    server?.end();
    return void client.end();
  }
  client.timeout(0); // the server has its own
  client.data.other = server;
  pass(client.data.head!, client, server);
  client.data.head = null;
}

/** What does not go at once is kept, and its source waits. */
function pass(chunk: Buffer, from: Socket<End>, to: Socket<End>): void {
  const { queue } = to.data;
  const written = queue.length > 0 ? 0 : Math.max(0, to.write(chunk));
  if (written === chunk.length) return;
  queue.push(Buffer.from(chunk.subarray(written)));
  from.pause();
}

function drain(socket: Socket<End>): void {
  const { queue, other } = socket.data;
  while (queue[0]) {
    const written = Math.max(0, socket.write(queue[0]));
    if (written < queue[0].length) {
      queue[0] = queue[0].subarray(written);
      return;
    }
    queue.shift();
  }
  if (socket.data.isEnding) socket.end();
  else other?.resume();
}

/** One end is closed: the other is, too, once it has what was sent. */
function leave({ data }: Socket<End>): void {
  const { other } = data;
  data.other = null;
  if (!other) return;
  other.data.other = null;
  if (other.data.queue.length > 0) other.data.isEnding = true;
  else other.end();
}

/** Answers plain http once its head is there, and closes the connection. */
function answer(socket: Socket<End>): void {
  const head = socket.data.head!.toString("latin1");
  if (!head.includes("\r\n\r\n") && head.length < HEAD_MAX) return;
  const [request = "", ...lines] = head.slice(0, HEAD_MAX).split("\r\n");
  const [method = "", path = ""] = request.split(" ");
  const headerOf = (name: string) =>
    lines
      .find((line) => line.toLowerCase().startsWith(`${name}:`))
      ?.slice(name.length + 1)
      .trim() ?? "";
  const host = headerOf("host");
  const safeHost = /^(?:[\w.-]{1,255}|\[[\da-f:]{2,45}\])(?::\d{1,5})?$/i.test(host)
    ? host
    : `${socket.localAddress}:${socket.localPort}`;
  const address = `https://${safeHost}${/^\/[!-~]{0,2000}$/.test(path) ? path : "/"}`;
  const isBrowser = ["GET", "HEAD"].includes(method) && headerOf("accept").includes("text/html");
  socket.end(isBrowser ? redirection(address) : refusal(address));
}

const redirection = (address: string): string =>
  response("308 Permanent Redirect", { location: address, "cache-control": "no-store" }, "");

function refusal(address: string): string {
  const message = `This server takes https only: ${address}. Its certificate is its own, which clients must trust.`;
  const fault = toFault(new Refusal("https_required", message));
  const body = JSON.stringify(envelope(fault, newId("req", systemClock)));
  return response(`${fault.status} Bad Request`, { "content-type": "application/json" }, body);
}

function response(status: string, headers: Record<string, string>, body: string): string {
  const all = { ...headers, "content-length": String(Buffer.byteLength(body)), connection: "close" };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  return `HTTP/1.1 ${status}\r\n${lines.join("\r\n")}\r\n\r\n${body}`;
}
