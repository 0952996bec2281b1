/** Promise: however many requests one connection sends at once, all others are answered meanwhile; on every port. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { connect } from "node:net";
import { openRequestTurns } from "../../src/memory/event-loop-share.ts";
import { openMetricsPort } from "../../src/server/metrics-port.ts";
import { openTestNode } from "../engine-node.ts";
import { type Harness, openHarness } from "../harness.ts";

const AT_ONCE = 20_000;

let harness: Harness;
beforeAll(async () => {
  harness = await openHarness();
});
afterAll(() => harness[Symbol.asyncDispose]());

/** Sends the requests in one write, and reads until the server ends the connection. Resolves to the responses. */
function answersTo(url: string, path: string, count = AT_ONCE): Promise<number> {
  const { hostname, port } = new URL(url);
  const request = (more = "") => `GET ${path} HTTP/1.1\r\nHost: a\r\n${more}\r\n`;
  return new Promise((resolve) => {
    let received = "";
    const socket = connect(Number(port), hostname, () =>
      socket.write(request().repeat(count - 1) + request("Connection: close\r\n")),
    );
    socket.on("data", (bytes) => {
      received += bytes.toString("latin1");
    });
    socket.on("error", () => {}); // it was reset: the rest is not read
    socket.on("close", () => resolve(received.split("HTTP/1.1 ").length - 1));
  });
}

/** Every address that a stranger may ask for costs the server something. */
const PATHS = ["/nothing", "/healthz", "/metrics"];

test.each(PATHS)("thousands of requests for %s at once end their connection", async (path) => {
  await using node = openTestNode({});
  await using metrics = openMetricsPort(harness.parts, 0);
  const urls = [harness.url, node.environment.LOQUAT_ENGINES, metrics.url];
  for (const url of urls) expect(await answersTo(url, path)).toBeLessThan(AT_ONCE);
  expect((await fetch(`${harness.url}/healthz`)).status).toBe(200);
});

const busy = (forMs: number) => {
  for (const until = performance.now() + forMs; performance.now() < until; );
};

test("what a client has left behind is not answered", async () => {
  const turns = openRequestTurns();
  const answered: string[] = [];
  await using server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const left = await turns(request);
      if (left !== null) return left;
      busy(2);
      answered.push(new URL(request.url).pathname);
      return new Response("ok");
    },
  });
  await answersTo(server.url.href, "/flood", 1000);
  expect((await fetch(new URL("/last", server.url))).status).toBe(200);
  expect(answered.length).toBeLessThan(20);
  expect(answered.at(-1)).toBe("/last");
});

test("all who wait are answered in their order, and probes before them", async () => {
  const turns = openRequestTurns();
  const answered: string[] = [];
  const ask = async (path: string) => {
    const turn = turns(new Request(`http://localhost${path}`));
    if (turn !== null) await turn;
    busy(1);
    answered.push(path);
  };
  const paths = Array.from({ length: 50 }, (_, index) => `/${index}`);
  const asked = paths.map(ask);
  await ask("/healthz");
  expect(answered.length).toBeLessThan(paths.length);
  await Promise.all(asked);
  expect(answered.filter((path) => path !== "/healthz")).toEqual(paths);
});
