/** Promise: a server with a certificate speaks https and wss, and says what is wrong with an address or a certificate. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
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
