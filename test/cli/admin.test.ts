/** Promise: with shell access, operators can be created, listed and revoked, and forgotten passwords reset. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { codeOf } from "../../src/identity/second-factor.ts";
import { STEP_MS, secretIn } from "../identity/authenticator.ts";
import { type Cli, openCli } from "./process.ts";

let cli: Cli;
beforeAll(() => {
  cli = openCli();
});
afterAll(() => cli[Symbol.dispose]());

const EMAIL = "root@example.com";
const admin = (...args: string[]) => cli.runInTurn(["admin", ...args]);
const json = async (...args: string[]) => JSON.parse((await admin(...args, "--json")).out);
const emails = async () => (await json("list")).data.map(({ email }: { email: string }) => email);

test("a link for the first operator is printed until there is one", async () => {
  using fresh = openCli();
  const printed = await fresh.run(["admin", "link"], { LOQUAT_URL: "https://speech.example.com" });
  expect(printed.out).toMatch(/^https:\/\/speech\.example\.com\/setup#token=\w{32}\n$/);
  const { url } = JSON.parse((await fresh.run(["admin", "link", "--json"], { HOST: "0.0.0.0" })).out);
  expect(url).toStartWith("http://localhost:8080/setup#token=");
});

test("an operator created on an empty data directory can sign in", async () => {
  const created = await admin("create", EMAIL, "--name", "Root");
  expect(created.code).toBe(0);
  expect(created.out).toMatch(/^[0-9A-Za-z]{20}\n$/);
  const password = created.out.trim();
  expect(created.err).toContain("shown once");
  const key = join(cli.folder, "data", "first-key");
  expect(created.err).toContain(readFileSync(key, "utf8").trim());
  expect(statSync(key).mode & 0o777).toBe(0o600);
  expect((await json("list")).data).toMatchObject([{ email: EMAIL, name: "Root", email_verified: true }]);

  const server = await cli.serve({ LOG_LEVEL: "silent" });
  expect(server.printed()).not.toContain("sk_live_");
  const ask = (path: string, init: RequestInit) => fetch(`${server.url}/api/auth/${path}`, init);
  const signIn = (secret: string) =>
    ask("sign-in/email", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ email: EMAIL, password: secret }),
    });
  const signed = await signIn(password);
  expect(signed.status).toBe(200);
  expect(await signed.json()).toMatchObject({ user: { email: EMAIL, operator: true } });
  const headers = { cookie: signed.headers.get("set-cookie")!.split(";")[0]! };
  expect((await ask("list-sessions", { headers })).status).toBe(200);

  const { password: another } = await json("reset", EMAIL);
  expect((await ask("list-sessions", { headers })).status).toBe(401);
  expect([(await signIn(password)).status, (await signIn(another)).status]).toEqual([401, 200]);
  expect(await server.stop()).toBe(0);
});

test("a password read from standard input is not printed", async () => {
  const input = "a password of my own\n";
  const created = await cli.run(["admin", "create", "own@example.com", "--password-stdin"], {}, input);
  expect(created).toEqual({ code: 0, out: "own@example.com can sign in.\n", err: "" });
  const short = await cli.run(["admin", "reset", "own@example.com", "--password-stdin"], {}, "short\n");
  expect({ code: short.code, out: short.out }).toEqual({ code: 2, out: "" });
  expect(short.err).toContain("10 to 128 characters");
});

test("revoking and restoring an operator keeps the password", async () => {
  expect(await emails()).toContain(EMAIL);
  expect((await admin("revoke", EMAIL)).out).toBe(`${EMAIL} is no longer an operator.\n`);
  expect(await emails()).not.toContain(EMAIL);
  expect((await admin("revoke", EMAIL)).code).toBe(2);
  expect((await admin("create", EMAIL)).out).toBe(
    `${EMAIL} is now an operator; the password is unchanged.\n`,
  );
  expect(await emails()).toContain(EMAIL);
});

test("an account registered by another user with the operator's address cannot sign in", async () => {
  const server = await cli.serve({ LOG_LEVEL: "silent" });
  const post = (path: string, body: object) =>
    fetch(`${server.url}/api/auth/${path}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  const squatter = { email: "victim@example.com", password: "chosen by a squatter" };
  expect((await post("sign-up/email", { ...squatter, name: "Victim" })).status).toBe(200);
  const { password } = await json("create", squatter.email);
  expect((await post("sign-in/email", squatter)).status).toBe(401);
  expect((await post("sign-in/email", { ...squatter, password })).status).toBe(200);
  expect(await server.stop()).toBe(0);
});

test("a reset removes the second factor: the new password is enough, and no earlier session is left", async () => {
  const server = await cli.serve({ LOG_LEVEL: "silent" });
  const mine = { email: "lost@example.com", password: "a password of my own" };
  await cli.run(["admin", "create", mine.email, "--password-stdin"], {}, `${mine.password}\n`);
  const cookies = new Map<string, string>();
  let csrf = "";
  const ask = async (path: string, body?: object) => {
    const cookie = [...cookies].map((pair) => pair.join("=")).join("; ");
    const response = await fetch(`${server.url}/api/${path}`, {
      method: body ? "POST" : "GET",
      headers: { "content-type": "application/json", origin: server.url, "x-csrf-token": csrf, cookie },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    for (const each of response.headers.getSetCookie())
      cookies.set(...(each.split(";")[0]!.split(/=(.*)/s).slice(0, 2) as [string, string]));
    return response;
  };
  const session = async () => {
    const got = (await (await ask("session")).json()) as { csrf_token: string; two_factor: object };
    csrf = got.csrf_token;
    return got.two_factor;
  };
  expect((await ask("auth/sign-in/email", mine)).status).toBe(200);
  await session();
  const made = await ask("auth/two-factor/enable", { password: mine.password });
  const { totpURI } = (await made.json()) as { totpURI: string };
  const code = codeOf(secretIn(totpURI), Math.floor(Date.now() / STEP_MS));
  expect((await ask("auth/two-factor/verify-totp", { code })).status).toBe(200);
  expect(await session()).toMatchObject({ enabled: true, satisfied: true });

  const { password } = await json("reset", mine.email);
  expect((await ask("session")).status).toBe(401);
  expect(await (await ask("auth/sign-in/email", { ...mine, password })).json()).toMatchObject({
    user: { email: mine.email },
  });
  expect(await session()).toMatchObject({ enabled: false });
  expect(await server.stop()).toBe(0);
});

test.each([
  ["a missing subcommand", [], /Usage: loquat admin/],
  ["a missing address", ["create"], /Missing required argument 'email'/],
  [
    "an invalid address",
    ["create", "root"],
    /'root' is invalid for argument 'email'\. Expected an e-mail address/,
  ],
  ["an unknown account", ["reset", "x@example.com"], /no account x@example.com/],
])("%s is rejected", async (_what, args, message) => {
  const { code, out, err } = await admin(...args);
  expect({ code, out }).toEqual({ code: 2, out: "" });
  expect(err).toMatch(message);
});
