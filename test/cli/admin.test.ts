/** Promise: whoever has the shell makes operators, takes that right away, and gives a forgotten password anew. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { type Cli, openCli } from "./process.ts";

let cli: Cli;
beforeAll(() => {
  cli = openCli();
});
afterAll(() => cli[Symbol.dispose]());

const EMAIL = "root@example.com";
const admin = (...args: string[]) => cli.run(["admin", ...args]);
const json = async (...args: string[]) => JSON.parse((await admin(...args, "--json")).out);
const emails = async () => (await json("list")).data.map(({ email }: { email: string }) => email);

test("an operator is made on an empty folder, and signs in", async () => {
  const made = await admin("create", EMAIL, "--name", "Root");
  expect(made.code).toBe(0);
  const [password, told] = made.out.split("\n");
  expect(password).toMatch(/^[0-9A-Za-z]{20}$/);
  expect(told).toContain("shown once");
  const key = join(cli.folder, "data", "first-key");
  expect(made.err).toContain(readFileSync(key, "utf8").trim());
  expect(statSync(key).mode & 0o777).toBe(0o600);
  expect((await json("list")).data).toMatchObject([{ email: EMAIL, name: "Root", email_verified: true }]);

  const server = await cli.serve({ LOG_LEVEL: "silent" });
  expect(server.printed()).not.toContain("first API key");
  const ask = (path: string, init: RequestInit) => fetch(`${server.url}/api/auth/${path}`, init);
  const signIn = (secret: string) =>
    ask("sign-in/email", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ email: EMAIL, password: secret }),
    });
  const signed = await signIn(password!);
  expect(signed.status).toBe(200);
  expect(await signed.json()).toMatchObject({ user: { email: EMAIL, operator: true } });
  const headers = { cookie: signed.headers.get("set-cookie")!.split(";")[0]! };
  expect((await ask("list-sessions", { headers })).status).toBe(200);

  const { password: another } = await json("reset", EMAIL);
  expect((await ask("list-sessions", { headers })).status).toBe(401);
  expect([(await signIn(password!)).status, (await signIn(another)).status]).toEqual([401, 200]);
  expect(await server.stop()).toBe(0);
});

test("a password is read, and not shown", async () => {
  const input = "a password of my own\n";
  const made = await cli.run(["admin", "create", "own@example.com", "--password-stdin"], {}, input);
  expect(made).toEqual({ code: 0, out: "own@example.com can sign in.\n", err: "" });
  const short = await cli.run(["admin", "reset", "own@example.com", "--password-stdin"], {}, "short\n");
  expect({ code: short.code, out: short.out }).toEqual({ code: 2, out: "" });
  expect(short.err).toContain("10 to 128 characters");
});

test("the right ends and comes back, and the password stays", async () => {
  expect(await emails()).toContain(EMAIL);
  expect((await admin("revoke", EMAIL)).out).toBe(`${EMAIL} is no operator any more.\n`);
  expect(await emails()).not.toContain(EMAIL);
  expect((await admin("revoke", EMAIL)).code).toBe(2);
  expect((await admin("create", EMAIL)).out).toBe(`${EMAIL} is an operator, with the password they have.\n`);
  expect(await emails()).toContain(EMAIL);
});

test("an account that a stranger made with the address is no way in", async () => {
  const server = await cli.serve({ LOG_LEVEL: "silent" });
  const post = (path: string, body: object) =>
    fetch(`${server.url}/api/auth/${path}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  const theirs = { email: "victim@example.com", password: "chosen by a stranger" };
  expect((await post("sign-up/email", { ...theirs, name: "Victim" })).status).toBe(200);
  const { password } = await json("create", theirs.email);
  expect((await post("sign-in/email", theirs)).status).toBe(401);
  expect((await post("sign-in/email", { ...theirs, password })).status).toBe(200);
  expect(await server.stop()).toBe(0);
});

test.each([
  ["no verb", [], /admin takes create EMAIL/],
  ["no address", ["create"], /admin takes create EMAIL/],
  ["no e-mail address", ["create", "root"], /root is no e-mail address/],
  ["somebody unknown", ["reset", "x@example.com"], /no account of x@example.com/],
])("%s is told of", async (_what, args, told) => {
  const { code, out, err } = await admin(...args);
  expect({ code, out }).toEqual({ code: 2, out: "" });
  expect(err).toMatch(told);
});
