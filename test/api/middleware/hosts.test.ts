/** Promise: a request's Host header is not trusted, and names of object prototypes open nothing. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { connect } from "node:net";
import { openMetricsPort } from "../../../src/server/metrics-port.ts";
import { openTestNode } from "../../engine-node.ts";
import { errorOf, type Harness, openHarness } from "../../harness.ts";
import { quietFor, until } from "../../until.ts";

let harness: Harness;
beforeAll(async () => {
  harness = await openHarness();
});
afterAll(() => harness[Symbol.asyncDispose]());

/** Everything that comes back to a request written by hand. */
function raw(lines: string[], url = harness.url): Promise<string> {
  const { hostname, port } = new URL(url);
  const answer = Promise.withResolvers<string>();
  const socket = connect(Number(port), hostname, () => socket.write(`${lines.join("\r\n")}\r\n\r\n`));
  let text = "";
  socket.on("data", (chunk) => {
    text += chunk;
  });
  socket.on("close", () => answer.resolve(text));
  socket.on("error", answer.reject);
  return answer.promise;
}

const asked = (target: string, host: string) =>
  raw([
    `GET ${target} HTTP/1.1`,
    `Host: ${host}`,
    `Authorization: Bearer ${harness.key}`,
    "Connection: close",
  ]);

const INVALID = [
  "",
  "a;script-src",
  "abcd/metrics?",
  "ab cd",
  "u@abcd",
  "abcd:http",
  "%eth0",
  "[::1%]",
  "[::1%a/b]",
];

test.each(INVALID)("a Host of %j reaches no route and is not repeated", async (host) => {
  for (const target of ["/zz/metrics", "/zz/v1/models", "/metrics", "/v1/models", "/playground", "/"]) {
    const answer = await asked(target, host);
    expect(answer).toStartWith("HTTP/1.1 404 ");
    expect(answer).toContain('"code":"not_found"');
    if (host.length > 3) expect(answer).not.toContain(host);
  }
});

test.each([
  "tts",
  "a",
  "xy",
  "abcd",
  "a:8",
  "a:81",
  "loquat.example",
  "127.0.0.1:8080",
  "[::1]:8080",
  "[fe80::1%eth0]",
  "[fe80::1%25eth0.7]:8080",
  "[::%1]",
  "my_box:8080",
])("a Host of %j is accepted", async (host) => {
  expect(await asked("/v1/models", host)).toStartWith("HTTP/1.1 200 ");
  expect(await asked("/zz/v1/models", host)).toStartWith("HTTP/1.1 404 ");
});

test("a port without a router answers every valid Host, and requests without one", async () => {
  await using node = openTestNode({});
  await using metrics = openMetricsPort(harness.parts, 0);
  const ports = { "/healthz": node.environment.LOQUAT_ENGINES, "/metrics?a=b": metrics.url };
  for (const [target, url] of Object.entries(ports)) {
    const get = (host: string) => raw([`GET ${target} HTTP/1.1`, `Host: ${host}`, "Connection: close"], url);
    for (const host of ["tts", "127.0.0.1:80", "[fe80::1%eth0]"])
      expect(await get(host)).toStartWith("HTTP/1.1 200 ");
    expect(await raw([`GET ${target} HTTP/1.0`], url)).toStartWith("HTTP/1.1 200 ");
    for (const host of INVALID) expect(await get(host)).toMatch(/^HTTP\/1\.1 (200|404) /);
    const lines = ["GET /zz HTTP/1.1", `Host: abcd${target}`, "Connection: close"];
    expect(await raw(lines, url)).toStartWith("HTTP/1.1 404 ");
  }
});

test("a request with two Host headers is refused", async () => {
  const answer = await raw(["GET /v1/models HTTP/1.1", "Host: abcd", "Host: efgh", "Connection: close"]);
  expect(answer).toStartWith("HTTP/1.1 400 ");
  expect(answer).toContain('"code":"malformed_request"');
});

test.each(["/v1//models", "//v1/models", "/v1/models//", "//v1///models?q=a//b"])(
  "%s, of a base URL that ends in a slash, is /v1/models",
  async (target) => {
    for (const host of ["loquat.example", "tts"])
      expect(await asked(target, host)).toStartWith("HTTP/1.1 200 ");
  },
);

test.each(["//metrics", "//playground", "/api//organizations"])(
  "%s is not below /v1, and no route",
  async (path) => {
    expect(await asked(path, "loquat.example")).toStartWith("HTTP/1.1 404 ");
  },
);

test.each(["/V1/Models", "/v1%2Fmodels"])("%s is not found, with a hint", async (target) => {
  const answer = await asked(target, "loquat.example");
  expect(answer).toStartWith("HTTP/1.1 404 ");
  expect(answer).toContain("Did you mean /v1/models?");
});

test("live transcription opens below a base URL that ends in a slash", async () => {
  const socket = new WebSocket(`${harness.url.replace("http", "ws")}//v1//realtime?intent=transcription`, {
    headers: { authorization: `Bearer ${harness.key}` },
  } as never);
  const first = await new Promise<string>((resolve, reject) => {
    socket.onmessage = ({ data }) => resolve(String(data));
    socket.onerror = reject;
  });
  socket.close();
  expect(JSON.parse(first).type).toMatch(/^(transcription_)?session\.created$/);
});

test("the playground's content security policy allows sockets to the requested host", async () => {
  expect(await asked("/playground", "loquat.example")).toContain("ws://loquat.example wss://loquat.example");
});

test.each(["/healthz", "/readyz"])("%s answers a load balancer that sends no Host", async (path) => {
  expect(await raw([`GET ${path} HTTP/1.0`])).toStartWith("HTTP/1.1 200 ");
  expect(await raw([`PUT ${path} HTTP/1.0`])).toStartWith("HTTP/1.1 405 ");
});

test.each(["playground", "docs", "assets"])(
  "names of object prototypes are not files of /%s",
  async (folder) => {
    for (const name of ["constructor", "__proto__", "toString", "hasOwnProperty", "valueOf"]) {
      const response = await fetch(`${harness.url}/${folder}/${name}`);
      expect(await errorOf(response)).toMatchObject({ status: 404, code: "not_found" });
    }
    expect(harness.logged.filter(({ level }) => level === "error")).toEqual([]);
  },
);

test("a client that disconnects is not logged as an error", async () => {
  const input = "It was a long story. ".repeat(200);
  const body = JSON.stringify({ model: "svc-tts1", voice: "male-classic", input });
  for (let sent = 0; sent < 5; sent++) {
    const left = new AbortController();
    const spoken = harness.ask("/v1/audio/speech", { method: "POST", body, signal: left.signal });
    setTimeout(() => left.abort(), 20 + 10 * sent);
    await spoken.catch(() => null);
  }
  const left = () =>
    harness.logged.filter(({ event, status }) => event === "request" && status === 499).length;
  await until(() => left() >= 5);
  await quietFor(50); // what is logged of it stands beside its row
  expect(harness.logged.filter(({ level }) => level === "error")).toEqual([]);
});
