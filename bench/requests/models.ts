/**
 * Requests a second of GET /v1/models, key checked, against a bare `Bun.serve` that answers the same bytes, each in its
 * own process, in turns.
 *
 * The client is raw sockets that count bytes, because a real HTTP client would be the slower half of the pair.
 */

import { startServed } from "../floors/start-served.ts";
import { median, type Row } from "../harness/row.ts";
import { type Server, startServer } from "../harness/server.ts";

const SOCKETS = 32;
const ROUND_MS = 1500;
const ROUNDS = 7;

export type Target = { port: number; path: string; key: string };

export async function benchModels(): Promise<Row[]> {
  await using server = await startServer();
  const { ours, theirs, bare } = await besideBare(server);
  const rates = { ours: [] as number[], theirs: [] as number[] };
  for (let round = 0; round < ROUNDS; round++) {
    rates.ours.push(await requestsPerSecond(ours));
    rates.theirs.push(await requestsPerSecond(theirs));
  }
  bare.stop();
  return [
    { name: "GET /v1/models", value: median(rates.ours), unit: "requests/s" },
    { name: "a bare Bun.serve, same bytes", value: median(rates.theirs), unit: "requests/s" },
    {
      name: "GET /v1/models, ratio to bare",
      value: median(rates.ours) / median(rates.theirs),
      unit: "x",
      target: "at least 0.5",
    },
  ];
}

/** `GET /v1/models` of a server, and of a bare one with the same bytes. */
export async function besideBare({ url, key }: Server) {
  const ours: Target = { port: Number(new URL(url).port), path: "/v1/models", key };
  const body = await fetch(`${url}/v1/models`, { headers: { authorization: `Bearer ${key}` } });
  const headers = { "content-type": "application/json" };
  const bare = startServed("bare", { body: await body.text(), headers });
  return { ours, theirs: { ...ours, port: await bare.port }, bare };
}

/** Every response of a target is as long as its first, so that counting bytes counts responses. */
export async function requestsPerSecond({ port, path, key }: Target): Promise<number> {
  const request = `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${key}\r\n\r\n`;
  const length = await lengthOf(port, request);
  let responses = 0;
  const open = () => {
    let owed = length;
    return Bun.connect({
      hostname: "127.0.0.1",
      port,
      socket: {
        open: (socket) => void socket.write(request),
        data(socket, chunk) {
          owed -= chunk.length;
          if (owed > 0) return;
          responses++;
          owed = length;
          socket.write(request);
        },
      },
    });
  };
  const sockets = await Promise.all(Array.from({ length: SOCKETS }, open));
  const begun = performance.now();
  const before = responses;
  await Bun.sleep(ROUND_MS);
  const rate = ((responses - before) * 1000) / (performance.now() - begun);
  for (const socket of sockets) socket.terminate();
  return rate;
}

/** Bytes of one response, heading and body. */
function lengthOf(port: number, request: string): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  let text = "";
  void Bun.connect({
    hostname: "127.0.0.1",
    port,
    socket: {
      open: (socket) => void socket.write(request),
      data(socket, chunk) {
        text += chunk.toString("latin1");
        const heading = text.indexOf("\r\n\r\n");
        const body = /content-length: (\d+)/i.exec(text)?.[1];
        if (heading < 0 || body === undefined) return;
        if (!text.startsWith("HTTP/1.1 200")) reject(new Error(text.slice(0, 200)));
        resolve(heading + 4 + Number(body));
        socket.terminate();
      },
    },
  });
  return promise;
}
