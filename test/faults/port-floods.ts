/** Strangers who flood a port: without a key, in each way that a connection can be opened and misused. */
import { connect, type Socket } from "node:net";

type Port = { hostname: string; port: number };

/** What a connection sends first, and then again and again until it is closed; null: nothing, it is only held. */
type Flood = { first: string; again: string | null };

const HEAD = "Host: a\r\n";
const UPGRADE = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n";
const KEY = "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n";
const GARBAGE = '\u0000\u00ff!{["'.repeat(8192);
const LENGTH = 25_000_000;

/** Of every port. */
const FLOODS: Record<string, Flood> = {
  "held open": { first: "", again: null },
  "begun requests": { first: `GET / HTTP/1.1\r\n${HEAD}`, again: `X: ${"y".repeat(200)}\r\n` },
  garbage: { first: GARBAGE, again: GARBAGE },
  "unknown pages": {
    first: `GET /nothing HTTP/1.1\r\n${HEAD}\r\n`,
    again: `GET /nothing HTTP/1.1\r\n${HEAD}\r\n`,
  },
  metrics: { first: `GET /metrics HTTP/1.1\r\n${HEAD}\r\n`, again: `GET /metrics HTTP/1.1\r\n${HEAD}\r\n` },
  "bodies without a key": {
    first: `POST /v1/audio/transcriptions HTTP/1.1\r\n${HEAD}Content-Type: multipart/form-data; boundary=b\r\nContent-Length: ${LENGTH}\r\n\r\n`,
    again: "x".repeat(64 * 1024),
  },
  "sockets without a key": {
    first: `GET /v1/realtime HTTP/1.1\r\n${HEAD}${UPGRADE}${KEY}\r\n`,
    again: `\u0081\u00fe\u0010\u0000${"z".repeat(4096)}`,
  },
  "engine connections without the secret": {
    first: `GET /engines HTTP/1.1\r\n${HEAD}${UPGRADE}${KEY}\r\n`,
    again: "z".repeat(4096),
  },
  "wrong events": { first: '{"type": "describe"}\n', again: '{"type": "nothing", "data": {"a": [[[]]]}}\n' },
};

const CONNECTIONS = 64;
const WAIT_MS = 5;

/** Floods until the signal is aborted. Resolves to how many connections were made. */
async function flood(port: Port, { first, again }: Flood, signal: AbortSignal): Promise<number> {
  let made = 0;
  const caller = async () => {
    while (!signal.aborted) {
      made++;
      await misuse(port, { first, again }, signal);
      await Bun.sleep(WAIT_MS);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, caller));
  return made;
}

/** One connection, until the server or the signal ends it. */
function misuse({ hostname, port }: Port, { first, again }: Flood, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const socket: Socket = connect(port, hostname);
    const send = (text: string) => socket.write(Buffer.from(text, "latin1"), () => more());
    const more = () => {
      if (again !== null && !socket.destroyed) setTimeout(() => !socket.destroyed && send(again), WAIT_MS);
    };
    const end = () => socket.destroy();
    signal.addEventListener("abort", end);
    socket.once("connect", () => (first === "" ? more() : send(first)));
    socket.on("data", () => {});
    socket.on("error", () => {});
    socket.once("close", () => {
      signal.removeEventListener("abort", end);
      resolve();
    });
  });
}

/** Every flood at once. Resolves to how many connections each made. */
export async function floodPort(port: Port, signal: AbortSignal): Promise<Record<string, number>> {
  const made = await Promise.all(
    Object.entries(FLOODS).map(async ([name, each]) => [name, await flood(port, each, signal)] as const),
  );
  return Object.fromEntries(made);
}

/** `bun port-floods.ts PORT SECONDS` floods this machine's port and prints the connections made as JSON. */
if (import.meta.main) {
  const [port, seconds] = Bun.argv.slice(2).map(Number);
  const made = await floodPort({ hostname: "127.0.0.1", port: port! }, AbortSignal.timeout(seconds! * 1000));
  process.stdout.write(JSON.stringify(made));
  process.exit(); // what is left of connections is not waited for
}
