/** Promise: codes cannot be guessed, from one address or from many, and who knows a password locks its owner out of no browser of theirs. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { signingSecret } from "../../src/identity/better-auth.ts";
import { deviceOf, writeDevice } from "../../src/identity/device-cookie.ts";
import {
  anonymous,
  forgetAttempts,
  openAccountsHarness,
  PASSWORD,
  type Person,
  refusalOf,
  signUp,
} from "../api/management/people.ts";
import type { Harness } from "../harness.ts";
import { type Authenticator, enable } from "./authenticator.ts";

const CODE = "two-factor/verify-totp";
const TOO_MANY = "rate_limit_exceeded";

let harness: Harness;
let ann: Person;
let app: Authenticator;
beforeAll(async () => {
  harness = await openAccountsHarness();
  ann = await signUp(harness, "ann@example.com");
  app = await enable(harness, ann);
});
afterAll(() => harness[Symbol.asyncDispose]());
beforeEach(() => forgetAttempts(harness));

type Sent = { ip: string; cookie?: string; body: object };

/** One request from an address: the code of its refusal, or the cookies that it set. */
async function post(path: string, { ip, cookie, body }: Sent): Promise<{ code: string; cookies: string[] }> {
  const headers = new Headers({ "content-type": "application/json", origin: harness.url });
  if (cookie) headers.set("cookie", cookie);
  const init = { method: "POST", headers, body: JSON.stringify(body) };
  return harness.parts.identity.handle(new Request(`${harness.url}/api/auth/${path}`, init), ip).then(
    (response) => ({
      code: "ok",
      cookies: response.headers.getSetCookie().map((each) => each.split(";")[0]!),
    }),
    ({ code }) => ({ code: String(code), cookies: [] }),
  );
}

const named = (cookies: string[], name: string) => cookies.find((each) => each.startsWith(`${name}_`))!;

/** The cookie of a sign-in that waits for its code. */
async function challenge(ip: string, cookie = ""): Promise<string> {
  const body = { email: ann.email, password: PASSWORD };
  return named((await post("sign-in/email", { ip, cookie, body })).cookies, "svc_two_factor");
}

const guess = async (ip: string, cookie: string, code = "000000") =>
  (await post(CODE, { ip, cookie, body: { code } })).code;

describe("guesses", () => {
  test("at one account are refused after ten, wherever they come from, and so is the right code then", async () => {
    const cookie = await challenge("203.0.113.1");
    const answers = await Promise.all(
      Array.from({ length: 14 }, (_, index) => guess(`198.51.${index}.1`, cookie)),
    );
    expect(answers.filter((code) => code === "invalid_credentials").length).toBe(10);
    expect(answers.filter((code) => code === TOO_MANY).length).toBe(4);
    expect(await guess("192.0.2.1", cookie, app.next())).toBe(TOO_MANY);
    harness.clock.pass(15 * 60_000);
    expect(await guess("192.0.2.1", cookie, app.next())).toBe("ok");
  });

  test("at one account end after fifty a day", async () => {
    const answers: string[] = [];
    for (let quarter = 0; quarter < 6; quarter++) {
      const cookie = await challenge("203.0.113.1");
      for (let index = 0; index < 10; index++)
        answers.push(await guess(`198.51.${quarter}.${index}`, cookie));
      harness.clock.pass(15 * 60_000);
    }
    expect(answers.filter((code) => code === "invalid_credentials").length).toBe(50);
    expect(answers.slice(50)).toEqual(Array(10).fill(TOO_MANY));
    harness.clock.pass(24 * 3_600_000);
    expect(await guess("192.0.2.1", await challenge("192.0.2.1"), app.next())).toBe("ok");
  });

  test("from one address are refused after thirty, whichever account they are at", async () => {
    const answers = await Promise.all(
      Array.from({ length: 33 }, (_, index) => guess("203.0.113.9", `svc_two_factor=nothing${index}`)),
    );
    expect(answers.filter((code) => code === "not_signed_in").length).toBe(30);
    expect(answers.filter((code) => code === TOO_MANY).length).toBe(3);
  });

  test("of recovery codes are counted with those of codes", async () => {
    const cookie = await challenge("203.0.113.1");
    const answers: string[] = [];
    for (let index = 0; index < 12; index++) {
      const path = index % 2 ? CODE : "two-factor/verify-backup-code";
      answers.push(
        (await post(path, { ip: `198.51.${index}.2`, cookie, body: { code: "aaaaa-aaaaa" } })).code,
      );
    }
    expect(answers.slice(10)).toEqual([TOO_MANY, TOO_MANY]);
    expect(answers.slice(0, 2)).toEqual(["invalid_credentials", "invalid_credentials"]);
  });

  test("of an attacker who knows the password do not lock the owner's own browser out", async () => {
    const first = await post(CODE, {
      ...{ ip: "192.0.2.1", cookie: await challenge("192.0.2.1"), body: { code: app.next() } },
    });
    const known = named(first.cookies, "svc_device");
    const cookie = await challenge("203.0.113.1");
    for (let index = 0; index < 12; index++) await guess(`198.51.${index}.3`, cookie);
    expect(await guess("203.0.113.2", await challenge("203.0.113.2"), app.next())).toBe(TOO_MANY);
    const own = `${known}; ${await challenge("192.0.2.1", known)}`;
    expect(await guess("192.0.2.1", own, app.next())).toBe("ok");
  });
});

test("all browsers that are known to an account have a hundred guesses a day together", async () => {
  const { config, database } = harness.parts;
  const secret = await signingSecret({ database, config: config.identity });
  const cookie = await challenge("203.0.113.1");
  const answers: string[] = [];
  for (let count = 0; count < 11; count++) {
    const known = `svc_device=${writeDevice(deviceOf(ann.email, secret, null), secret)}`;
    for (let index = 0; index < 10; index++) answers.push(await guess("203.0.113.1", `${known}; ${cookie}`));
  }
  expect(answers.filter((code) => code === "invalid_credentials").length).toBe(100);
  expect(answers.slice(100)).toEqual(Array(10).fill(TOO_MANY));
});

describe("a sign-in that lacks its code", () => {
  test("is asked for its password again when it is unknown or was completed", async () => {
    const again = "not_signed_in";
    expect(await guess("192.0.2.1", "")).toBe(again);
    expect(await guess("192.0.2.1", "svc_two_factor=x.y")).toBe(again);
    const cookie = await challenge("192.0.2.1");
    expect(await guess("192.0.2.1", cookie, app.next())).toBe("ok");
    expect(await guess("192.0.2.1", cookie, app.next())).toBe(again);
    const forged = `${(await challenge("192.0.2.1")).split(".")[0]}.c2lnbmF0dXJl`;
    expect(await guess("192.0.2.1", forged, app.next())).toBe(again);
  });

  test("reads nothing and changes nothing", async () => {
    const person = anonymous(harness);
    await person.auth("sign-in/email", { email: ann.email, password: PASSWORD });
    for (const path of ["list-sessions", "two-factor/disable", "update-user"]) {
      const body = path === "list-sessions" ? undefined : { password: PASSWORD, name: "Eve" };
      expect(await refusalOf(person.auth(path, body))).toBe("401 not_signed_in");
    }
  });
});

test("a code in a session needs the session's CSRF token", async () => {
  const { url } = harness;
  const response = await fetch(`${url}/api/auth/${CODE}`, {
    method: "POST",
    headers: { "content-type": "application/json", origin: url, cookie: ann.cookie() },
    body: JSON.stringify({ code: app.next() }),
  });
  expect(await refusalOf(response)).toBe("403 csrf_failed");
});

test("where only operators may use a password, others' right password and code open no session", async () => {
  const eve = await signUp(harness, "eve@example.com");
  const theirs = await enable(harness, eve);
  const { config, database } = harness.parts;
  const { query, tables } = database;
  const identity = config.identity as { passwords: string };
  await query.delete(tables.session).where(eq(tables.session.userId, eve.userId));
  identity.passwords = "operators";
  const person = anonymous(harness);
  await person.auth("sign-in/email", { email: eve.email, password: PASSWORD });
  expect(await refusalOf(person.auth(CODE, { code: theirs.next() }))).toBe("403 password_sign_in_off");
  const left = await query.select().from(tables.session).where(eq(tables.session.userId, eve.userId));
  expect(left).toEqual([]);
  const operator = anonymous(harness);
  await operator.auth("sign-in/email", { email: ann.email, password: PASSWORD });
  expect((await operator.auth(CODE, { code: app.next() })).status).toBe(200);
  identity.passwords = "on";
});

test("with another secret of the server than before, no code is right, and the log says why", async () => {
  const { database } = harness.parts;
  const { query, tables } = database;
  const bob = await signUp(harness, "bob@example.com");
  const theirs = await enable(harness, bob);
  await query.update(tables.twoFactor).set({ secret: "00" });
  expect(await refusalOf(bob.auth(CODE, { code: theirs.next() }))).toBe("401 invalid_credentials");
  expect(harness.logged.map(({ event }) => event)).toContain("second_factor_unreadable");
});
