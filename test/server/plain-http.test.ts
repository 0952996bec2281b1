/** Promise: a port for https and plain http passes TLS on whole, both ways, and leaves the server the addresses of its clients. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { connect as connectPlain } from "node:net";
import { connect } from "node:tls";
import { putBehindPort } from "../../src/server/plain-http.ts";
import { newPrivateKey, selfSigned } from "../../src/tls/certificate.ts";
import { takes, until } from "../until.ts";

const key = newPrivateKey();
const [from, until_] = [new Date(Date.now() - 1000), new Date(Date.now() + 86_400_000)];
const ca = selfSigned(key, { commonName: "test", names: ["localhost", "127.0.0.1"], from, until: until_ });
const LARGE = crypto.getRandomValues(new Uint8Array(60_000)).toBase64().repeat(200);

let server: Bun.Server<undefined>;
let inner: number;
beforeAll(() => {
  server = Bun.serve({
    ...{ hostname: "127.0.0.1", port: 0, tls: { cert: ca, key } },
    async fetch(request, it) {
      if (request.url.endsWith("/large")) return new Response(LARGE);
      if (request.method === "POST") return new Response(String(Bun.hash(await request.text())));
      return Response.json(it.requestIP(request));
    },
  });
  inner = server.port!;
  putBehindPort(server, { hostname: "127.0.0.1", port: 0, reusePort: false });
});
afterAll(() => server.stop(true));

const tls = { ca };
const at = (path: string, init: RequestInit = {}) => fetch(new URL(path, server.url), { ...init, tls });

/** A request from another address of this machine, and the body of the answer. */
function fromAddress(localAddress: string, port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const plain = connectPlain({ host: "127.0.0.1", port, localAddress });
    const socket = connect({ socket: plain, host: "127.0.0.1", ca }, () =>
      socket.write("GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"),
    );
    let answer = "";
    socket.on("data", (chunk) => {
      answer += chunk;
    });
    socket.on("close", () => resolve(answer.split("\r\n\r\n")[1] ?? ""));
    socket.on("error", reject);
  });
}

test("the server has the port and the address that its clients use", () => {
  expect(server.port).not.toBe(inner);
  expect(server.url.href).toBe(`https://127.0.0.1:${server.port}/`);
});

test("a client's address is its own, and that of a connection past the port is unknown", async () => {
  for (const address of ["127.0.0.1", "127.0.0.7"])
    expect(JSON.parse(await fromAddress(address, server.port!))).toMatchObject({ address, family: "IPv4" });
  expect(await fromAddress("127.0.0.1", inner)).toBe("null");
});

test("large bodies arrive whole, both ways and side by side", async () => {
  const body = LARGE.slice(0, 5_000_000);
  const answers = await Promise.all([
    ...Array.from({ length: 4 }, async () => (await at("/large")).text()),
    (await at("/", { method: "POST", body })).text(),
  ]);
  expect(answers.slice(0, 4).every((text) => text === LARGE)).toBe(true);
  expect(answers[4]).toBe(String(Bun.hash(body)));
});

test("a client that reads slowly gets everything", async () => {
  const response = await at("/large");
  let length = 0;
  for await (const chunk of response.body as ReadableStream<Uint8Array>) {
    length += chunk.length;
    if (length < 2_000_000) await takes(5);
  }
  expect(length).toBe(LARGE.length);
});

test("a server that stops at once ends the connections of its port", async () => {
  const ended = Promise.withResolvers<void>();
  const socket = connectPlain(server.port!, "127.0.0.1");
  socket.on("close", () => ended.resolve());
  await new Promise((resolve) => socket.once("connect", resolve));
  await until(async () => (await at("/")).ok);
  await server.stop(true);
  await ended.promise;
  await expect(at("/")).rejects.toThrow();
});
