/** Promise: sign-in attempts are limited, and the attempts of other callers do not lock an account. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { like } from "drizzle-orm";
import type { Harness } from "../../harness.ts";
import { type MailServer, openMailServer } from "./mail-server.ts";
import { anonymous, forgetAttempts, PASSWORD, type Person, refusalOf, signInWith } from "./people.ts";
import type { Postbox } from "./smtp.ts";

let server: MailServer;
let post: Postbox;
let harness: Harness;
let bob: Person;
beforeAll(async () => {
  server = await openMailServer();
  ({ post, harness } = server);
  bob = await server.arrive("bob@example.com");
});
afterAll(() => server[Symbol.asyncDispose]());

describe("sign-in attempts", () => {
  const wrong = (email: string) => refusalOf(signInWith(harness, { email, password: "wrong password" }));

  const tryFrom = async (fields: { ip: string; email: string; password: string; cookie?: string }) => {
    const { ip, email, password, cookie } = fields;
    const headers = new Headers({ "content-type": "application/json", origin: harness.url });
    if (cookie) headers.set("cookie", cookie);
    const init = { method: "POST", headers, body: JSON.stringify({ email, password }) };
    return harness.parts.identity.handle(new Request(`${harness.url}/api/auth/sign-in/email`, init), ip).then(
      (response) =>
        response.headers
          .getSetCookie()
          .find((each) => each.startsWith("svc_device_"))!
          .split(";")[0]!,
      ({ code }) => String(code),
    );
  };

  test("attempts at one account from one address are refused after ten, for a quarter of an hour", async () => {
    await forgetAttempts(harness);
    const attempts = await Promise.all(Array.from({ length: 12 }, () => wrong(bob.email)));
    expect(attempts.filter((answer) => answer === "401 invalid_credentials").length).toBe(10);
    const refused = await anonymous(harness).auth(
      "sign-in/email",
      { email: bob.email, password: PASSWORD },
      { headers: { "x-forwarded-for": "203.0.113.7" } },
    );
    expect(Number(refused.headers.get("retry-after"))).toBeWithin(1, 61);
    expect(await refusalOf(refused)).toBe("429 rate_limit_exceeded");
    harness.clock.pass(15 * 60_000);
    expect(await wrong(bob.email)).toBe("401 invalid_credentials");
    harness.clock.pass(-15 * 60_000);
    await forgetAttempts(harness);
  });

  test("attempts at many accounts from one address are refused after thirty", async () => {
    await forgetAttempts(harness);
    const tries = await Promise.all(
      Array.from({ length: 32 }, (_, index) => wrong(`no${index}@example.com`)),
    );
    expect(tries.filter((answer) => answer === "401 invalid_credentials").length).toBe(30);
    await forgetAttempts(harness);
  });

  test("attempts from other networks do not lock a user out", async () => {
    await forgetAttempts(harness);
    const { email } = bob;
    const known = await tryFrom({ ip: "198.51.100.1", email, password: PASSWORD });
    const clients = Array.from({ length: 14 }, (_, index) =>
      tryFrom({ ip: `203.0.113.${index}`, email, password: "wrong password" }),
    );
    expect(new Set(await Promise.all(clients))).toEqual(new Set(["invalid_credentials"]));
    expect(await tryFrom({ ip: "198.51.100.2", email, password: PASSWORD })).toMatch(
      /^svc_device_[0-9a-f]{8}=/,
    );
    const near = () => tryFrom({ ip: "198.51.100.1", email, password: "wrong password" });
    const answers = await Promise.all(Array.from({ length: 12 }, near)); // from the owner's own address
    expect(answers.filter((answer) => answer === "rate_limit_exceeded").length).toBe(2);
    const owner = { ip: "198.51.100.1", email, password: PASSWORD };
    expect(await tryFrom(owner)).toBe("rate_limit_exceeded");
    expect(await tryFrom({ ...owner, cookie: known })).toBe(known);
    await forgetAttempts(harness);
  });

  test.each([
    ["IPv6", (network: number) => `2001:db8:1:${network.toString(16)}::1`, "2001:db8:2::1"],
    ["IPv4", (network: number) => `203.0.113.${network}`, "203.0.114.1"],
  ])(
    "the networks of an %s site have ten times the attempts of one, and one does not use them up",
    async (_, at, other) => {
      await forgetAttempts(harness);
      const verify = (ip: string) => {
        const init = {
          method: "POST",
          headers: { "content-type": "application/json", origin: harness.url },
          body: JSON.stringify({ token: "x".repeat(32), password: PASSWORD }),
        };
        return harness.parts.identity
          .handle(new Request(`${harness.url}/api/auth/verify-email`, init), ip)
          .then(String, ({ code }) => String(code));
      };
      const from = (ip: string, times: number) =>
        Promise.all(Array.from({ length: times }, () => verify(ip)));
      const invalid = (answers: string[]) => answers.filter((answer) => answer === "invalid_token").length;
      expect(invalid(await from(at(0), 150))).toBe(10);
      for (let network = 1; network < 10; network++) expect(invalid(await from(at(network), 10))).toBe(10);
      expect(await from(at(0xff), 1)).toEqual(["rate_limit_exceeded"]);
      expect(await from(other, 1)).toEqual(["invalid_token"]);
      harness.clock.pass(15 * 60_000);
      expect(await from(at(0xff), 1)).toEqual(["invalid_token"]);
      harness.clock.pass(-15 * 60_000);
      await forgetAttempts(harness);
    },
  );

  test("wrong passwords from every network of a site keep no one else from signing in", async () => {
    await forgetAttempts(harness);
    const flood = Array.from({ length: 60 }, (_, index) =>
      tryFrom({ ip: `2001:db8:1:${index}::1`, email: `no${index}@example.com`, password: "wrong password" }),
    );
    await Promise.any(
      flood.map(async (answer) => {
        if ((await answer) !== "rate_limit_exceeded") throw new Error("the queue is not full yet");
      }),
    );
    const owner = { ip: "198.51.100.1", email: bob.email, password: PASSWORD };
    expect(await tryFrom(owner)).toMatch(/^svc_device_[0-9a-f]{8}=/);
    await Promise.all(flood);
    await forgetAttempts(harness);
  });

  test("attempts from a known browser count for that browser and account only", async () => {
    await forgetAttempts(harness);
    const login = { ip: "198.51.100.1", email: bob.email, password: "wrong password" };
    const cookie = await tryFrom({ ...login, password: PASSWORD });
    const forged = cookie.replace(/.$/, (last) => (last === "A" ? "B" : "A"));
    const answers = await Promise.all(Array.from({ length: 11 }, () => tryFrom({ ...login, cookie })));
    expect(answers.filter((answer) => answer === "rate_limit_exceeded").length).toBe(1);
    const elsewhere = { ip: "198.51.100.9", email: "no@example.com", password: "wrong password" };
    for (const mark of [cookie, forged]) {
      await forgetAttempts(harness);
      const others = await Promise.all(
        Array.from({ length: 12 }, () => tryFrom({ ...elsewhere, cookie: mark })),
      );
      expect(others.filter((answer) => answer === "rate_limit_exceeded").length).toBe(2);
    }
    await forgetAttempts(harness);
  });

  test("requests for mail always get the same response, and at most five mails are sent", async () => {
    await forgetAttempts(harness);
    const email = "five@example.com";
    await anonymous(harness).auth("sign-up/email", { email, name: "Five", password: PASSWORD });
    const again = Array.from({ length: 8 }, () =>
      anonymous(harness).auth("send-verification-email", { email }),
    );
    expect((await Promise.all(again)).map(({ status }) => status)).toEqual(Array(8).fill(200));
    for (let sent = 0; sent < 5; sent++) await post.link(email);
    expect(post.received.filter(({ to }) => to === email)).toEqual([]);
    await forgetAttempts(harness);
  });

  test("sign-ups from one address are refused after thirty in a day", async () => {
    const ask = (index: number) =>
      anonymous(harness).auth("sign-up/email", {
        email: `day${index}@example.com`,
        name: "D",
        password: PASSWORD,
      });
    const { query, tables } = harness.parts.database;
    await forgetAttempts(harness);
    expect((await ask(0)).status).toBe(200);
    await query.update(tables.attempt).set({ count: 30 }).where(like(tables.attempt.key, "%in a day%"));
    harness.clock.pass(16 * 60_000);
    expect(await refusalOf(ask(1))).toBe("429 rate_limit_exceeded");
    harness.clock.pass(86_400_000);
    expect((await ask(2)).status).toBe(200);
    harness.clock.pass(-86_400_000 - 16 * 60_000);
    await forgetAttempts(harness);
  });

  test.each([
    ["sign-up/email", { name: "A", email: "x", password: PASSWORD }],
    ["request-password-reset", { email: "x" }],
    ["send-verification-email", { email: "x" }],
    ["reset-password", { token: "x", newPassword: PASSWORD }],
    ["verify-email", { token: "x", password: PASSWORD }],
  ])("%s is limited as well", async (path, body) => {
    await forgetAttempts(harness);
    const answers = await Promise.all(
      Array.from({ length: 11 }, (_, index) =>
        anonymous(harness).auth(
          path,
          body && "email" in body ? { ...body, email: `many${index}@example.com` } : body,
        ),
      ),
    );
    expect(answers.filter(({ status }) => status === 429).length).toBe(1);
    await forgetAttempts(harness);
  });

  test("attempts to change a password are counted by user", async () => {
    await forgetAttempts(harness);
    const guess = { currentPassword: "wrong password", newPassword: "another password" };
    const answers = await Promise.all(
      Array.from({ length: 11 }, () => refusalOf(bob.auth("change-password", guess))),
    );
    expect(answers.sort().at(-1)).toBe("429 rate_limit_exceeded");
    await forgetAttempts(harness);
  });

  test("a successful sign-in resets the user's attempts", async () => {
    const { identity } = harness.parts;
    const from = async (ip: string, password: string) => {
      const headers = { "content-type": "application/json" };
      const body = JSON.stringify({ email: bob.email, password });
      const request = new Request(`${harness.url}/api/auth/sign-in/email`, { method: "POST", headers, body });
      return identity.handle(request, ip).then(
        () => "in",
        ({ code }) => code as string,
      );
    };
    await forgetAttempts(harness);
    for (let index = 0; index < 9; index++) await from(`203.0.113.${index}`, "wrong password");
    expect(await from("203.0.113.9", PASSWORD)).toBe("in");
    expect(await from("203.0.113.10", "wrong password")).toBe("invalid_credentials");
    expect(await from("203.0.113.11", PASSWORD)).toBe("in");
  });
});

test("no log contains an address, a password, a token or a browser mark", () => {
  const logged = JSON.stringify(harness.logged);
  expect(harness.logged.length).toBeGreaterThan(10);
  expect(/@example\.com|correct horse|wrong password|svc_|eyJ/.exec(logged)?.[0]).toBeUndefined();
});
