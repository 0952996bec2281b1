/** Promise: `loquat health` says whether a server answers, by its exit code and in words. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { localOrigin } from "../../src/cli/base/local-origin.ts";
import { newPrivateKey, selfSigned } from "../../src/tls/certificate.ts";
import { type Cli, openCli } from "./process.ts";

let cli: Cli;
beforeAll(() => {
  cli = openCli();
});
afterAll(() => cli[Symbol.dispose]());

/** Answers as a server would in some state. */
const answering = (status: number, body: object) =>
  Bun.serve({ port: 0, fetch: () => Response.json(body, { status }) });

test("a server that runs is healthy and ready, one that has ended is neither", async () => {
  const server = await cli.serve();
  const here = {
    PORT: new URL(server.url).port,
    HTTP_PROXY: "http://127.0.0.1:9",
    http_proxy: "http://127.0.0.1:9",
  };
  expect(await cli.run(["health"], here)).toEqual({ code: 0, out: "ok\n", err: "" });
  expect(await cli.run(["health", "--ready"], { ...here, HOST: "0.0.0.0" })).toEqual({
    code: 0,
    out: "ready\n",
    err: "",
  });
  await server.stop();
  const ended = await cli.run(["health"], here);
  expect(ended.code).toBe(1);
  expect(ended.out).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/healthz does not answer: [^\n]+\n$/);
});

test("a server that is not ready is named with its reasons", async () => {
  using server = answering(503, { status: "not_ready", reasons: ["draining", "database_unavailable"] });
  expect(await cli.run(["health", server.url.href, "--ready"])).toEqual({
    code: 1,
    out: "not_ready draining database_unavailable\n",
    err: "",
  });
});

test("a server's own certificate need not be trusted", async () => {
  const [cert, key] = [join(cli.folder, "cert.pem"), join(cli.folder, "key.pem")];
  const privateKey = newPrivateKey();
  const [from, until] = [new Date(Date.now() - 1000), new Date(Date.now() + 86_400_000)];
  writeFileSync(key, privateKey);
  writeFileSync(cert, selfSigned(privateKey, { commonName: "test", names: ["elsewhere"], from, until }));
  const tls = { LOQUAT_TLS_CERT: cert, LOQUAT_TLS_KEY: key };
  const server = await cli.serve(tls);
  expect(await cli.run(["health"], { ...tls, PORT: new URL(server.url).port })).toMatchObject({
    code: 0,
    out: "ok\n",
  });
  await server.stop();
});

test("a server that is stuck, and something else on its port, are unhealthy", async () => {
  using stuck = Bun.serve({ port: 0, fetch: () => new Promise<Response>(() => {}) });
  const { code, out } = await cli.run(["health", stuck.url.href, "--timeout", "1"]);
  expect([code, out]).toEqual([1, `${stuck.url.href}healthz does not answer: no answer in 1 s\n`]);
  using other = Bun.serve({ port: 0, fetch: () => new Response("<html>") });
  expect((await cli.run(["health", other.url.href])).code).toBe(1);
  expect((await cli.run(["health", "loquat"])).code).toBe(2);
});

test.each([
  ["127.0.0.1", "http://127.0.0.1:80"],
  ["0.0.0.0", "http://127.0.0.1:80"],
  ["::", "http://[::1]:80"],
  ["fd00::1", "http://[fd00::1]:80"],
])("a server that listens on %s is asked at %s", (host, origin) => {
  expect(localOrigin({ host, port: 80, tls: null })).toBe(origin);
});
