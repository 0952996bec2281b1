/** Promise: a server with a certificate speaks https and wss, and says what is wrong with an address or a certificate. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { hostname } from "node:os";
import { join } from "node:path";
import { WebSocket } from "ws";
import { newPrivateKey, selfSigned } from "../../src/tls/certificate.ts";
import { type Cli, openCli } from "./process.ts";

let cli: Cli;
beforeAll(() => {
  cli = openCli();
});
afterAll(() => cli[Symbol.dispose]());

const path = (name: string) => join(cli.folder, name);

function writeCertificate(): { cert: string; key: string; ca: string } {
  const key = newPrivateKey();
  const [from, until] = [new Date(Date.now() - 1000), new Date(Date.now() + 86_400_000)];
  const ca = selfSigned(key, { commonName: "test", names: ["localhost", "127.0.0.1"], from, until });
  writeFileSync(path("cert.pem"), ca);
  writeFileSync(path("key.pem"), key);
  return { cert: path("cert.pem"), key: path("key.pem"), ca };
}

/** The first message of a live session, from a client that trusts `ca` only. */
function firstEvent(url: string, ca: string, key: string): Promise<{ type: string }> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${key}` };
    const socket = new WebSocket(`${url.replace("https:", "wss:")}/v1/realtime?intent=transcription`, {
      ca,
      headers,
    });
    socket.on("error", reject);
    socket.on("message", (data) => {
      resolve(JSON.parse(String(data)));
      socket.close();
    });
  });
}

const firstKey = () => readFileSync(path("data/first-key"), "utf8").trim();

test("--tls-cert serves https and wss to clients that trust the certificate, and secure cookies", async () => {
  const { cert, key, ca } = writeCertificate();
  const server = await cli.serve({ LOQUAT_TLS_CERT: cert, LOQUAT_TLS_KEY: key });
  expect(server.url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
  const trusting = { tls: { ca } };
  expect((await fetch(`${server.url}/healthz`, trusting)).status).toBe(200);
  await expect(fetch(`${server.url}/healthz`)).rejects.toThrow();
  await expect(fetch(`${server.url.replace("https:", "http:")}/healthz`)).rejects.toThrow();
  expect(await firstEvent(server.url, ca, firstKey())).toMatchObject({ type: "session.created" });

  const { out } = await cli.run(["admin", "create", "root@example.com"]);
  const signedIn = await fetch(`${server.url}/api/auth/sign-in/email`, {
    method: "POST",
    headers: { "content-type": "application/json", origin: server.url },
    body: JSON.stringify({ email: "root@example.com", password: out.trim() }),
    ...trusting,
  });
  expect(signedIn.status).toBe(200);
  for (const cookie of signedIn.headers.getSetCookie()) expect(cookie).toContain("; Secure");
  expect(await server.stop()).toBe(0);
});

test("--lan tells clients of plain http the address with https, and browsers follow it", async () => {
  const server = await cli.serve({ LOG_LEVEL: "silent" }, ["--lan"]);
  const ca = readFileSync(path("data/tls/certificate.pem"), "utf8");
  const { host, port } = new URL(server.url.replace("https:", "http:"));
  const plain = `http://127.0.0.1:${port}`;
  const refused = await fetch(`${plain}/v1/audio/speech`, { method: "POST", body: "{}" });
  expect([refused.status, refused.headers.get("content-type")]).toEqual([400, "application/json"]);
  const { error } = (await refused.json()) as { error: { code: string; message: string } };
  expect(error.code).toBe("https_required");
  expect(error.message).toContain(`https://127.0.0.1:${port}/v1/audio/speech`);
  const browser = { headers: { accept: "text/html,*/*", host }, redirect: "manual" as const };
  const moved = await fetch(`${plain}/playground?a=b`, browser);
  expect([moved.status, moved.headers.get("location")]).toEqual([308, `https://${host}/playground?a=b`]);
  for (const bad of ["x y", "a/b", "evil.example:80@x"]) {
    const told = await sentPlain(Number(port), `GET / HTTP/1.1\r\nHost: ${bad}\r\nAccept: text/html\r\n\r\n`);
    expect(told).toContain(`\r\nlocation: https://127.0.0.1:${port}/\r\n`);
  }
  expect(await sentPlain(Number(port), "GET //evil.example\u0000 HTTP/1.1\r\nHost: a\r\n\r\n")).not.toContain(
    "evil",
  );
  expect((await fetch(`https://127.0.0.1:${port}/readyz`, { tls: { ca } })).status).toBe(200);
  expect(await server.stop()).toBe(0);
});

test("--lan answers large and many requests behind its port, with the addresses of their clients", async () => {
  const server = await cli.serve({ LOG_LEVEL: "info", LOQUAT_PROXIES: "" }, ["--lan"]);
  const ca = readFileSync(path("data/tls/certificate.pem"), "utf8");
  const { port } = new URL(server.url);
  const at = (path: string, init: RequestInit = {}) =>
    fetch(`https://127.0.0.1:${port}${path}`, { ...init, tls: { ca } });
  const text = "All is well. ".repeat(300);
  const headers = { authorization: `Bearer ${firstKey()}`, "content-type": "application/json" };
  const body = JSON.stringify({ model: "svc-tts1", voice: "female-warm", input: text });
  const speech = await (await at("/v1/audio/speech", { method: "POST", headers, body })).bytes();
  expect(speech.length).toBeGreaterThan(4_000_000);
  expect(new DataView(speech.buffer).getUint32(4, true)).toBe(speech.length - 8);
  const statuses = await Promise.all(Array.from({ length: 60 }, async () => (await at("/healthz")).status));
  expect(new Set(statuses)).toEqual(new Set([200]));
  expect(await (await at("/readyz")).json()).toHaveProperty("models"); // of this machine: the details
  expect(await server.stop()).toBe(0);
});

/** Sends a text over a plain connection, and resolves to the answer when it is closed. */
function sentPlain(port: number, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1", () => socket.write(text));
    let answer = "";
    socket.on("data", (chunk) => {
      answer += chunk;
    });
    socket.on("close", () => resolve(answer));
    socket.on("error", reject);
  });
}

test("--lan listens on every network with its own certificate for each address", async () => {
  const server = await cli.serve({ LOG_LEVEL: "silent" }, ["--lan"]);
  const ca = readFileSync(path("data/tls/certificate.pem"), "utf8");
  expect(server.printed()).toContain("data/tls/certificate.pem");
  const port = new URL(server.url).port;
  const urls = [...server.printed().matchAll(/https:\/\/[\w.-]+:\d+/g)].map(([url]) => url);
  expect(urls).toContain(`https://127.0.0.1:${port}`);
  for (const url of urls.filter((url) => !url.includes(".local:")))
    expect((await fetch(`${url}/healthz`, { tls: { ca } })).status).toBe(200);
  expect(await firstEvent(`https://127.0.0.1:${port}`, ca, firstKey())).toMatchObject({
    type: "session.created",
  });

  const signUp = (origin: string) =>
    fetch(`https://127.0.0.1:${port}/api/auth/sign-up/email`, {
      method: "POST",
      headers: { "content-type": "application/json", origin, host: new URL(origin).host },
      body: JSON.stringify({ email: `${Math.random()}@example.com`, password: "a long password", name: "A" }),
      tls: { ca },
    });
  expect((await signUp(`https://${hostname()}:${port}`)).status).toBe(200);
  expect((await signUp(`https://192.0.2.7:${port}`)).status).toBe(200);
  expect((await signUp(`https://evil.example:${port}`)).status).toBe(403);
  expect(await server.stop()).toBe(0);
});

describe("mistakes are named with their remedy", () => {
  test.each([
    [
      "a foreign HOST",
      { HOST: "203.0.113.77" },
      /^HOST 203\.0\.113\.77 is not an address of this machine\. Set HOST to one of: 127\.0\.0\.1.*0\.0\.0\.0/,
    ],
    [
      "half a certificate",
      { LOQUAT_TLS_CERT: "cert.pem" },
      /^LOQUAT_TLS_CERT and LOQUAT_TLS_KEY must be set together/,
    ],
    [
      "a missing file",
      { LOQUAT_TLS_CERT: "no.pem", LOQUAT_TLS_KEY: "key.pem" },
      /^LOQUAT_TLS_CERT: no\.pem cannot be read/,
    ],
    [
      "a file of another kind",
      { LOQUAT_TLS_CERT: "key.pem", LOQUAT_TLS_KEY: "key.pem" },
      /^LOQUAT_TLS_CERT: key\.pem is not/,
    ],
    [
      "another certificate's key",
      { LOQUAT_TLS_CERT: "cert.pem", LOQUAT_TLS_KEY: "other.pem" },
      /^LOQUAT_TLS_KEY: other\.pem is not the key/,
    ],
    [
      "an http:// URL with a certificate",
      { LOQUAT_TLS_CERT: "cert.pem", LOQUAT_TLS_KEY: "key.pem", LOQUAT_URL: "http://a.example" },
      /^LOQUAT_URL starts with http:/,
    ],
  ])("%s", async (_what, environment, message) => {
    writeCertificate();
    writeFileSync(path("other.pem"), newPrivateKey());
    const { code, out, err } = await cli.run(["serve"], {
      PORT: "0",
      LOG_FORMAT: "text",
      LOQUAT_DATA: path("elsewhere"),
      ...environment,
    });
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err).toMatch(message);
    expect(err).not.toContain("    at ");
  });
});
