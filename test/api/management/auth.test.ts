/**
 * Promise: only the listed routes of the authentication library can be reached, in the documented form, from this
 * origin.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { errorOf, type Harness } from "../../harness.ts";
import {
  anonymous,
  forgetAttempts,
  mailedLink,
  openAccountsHarness,
  PASSWORD,
  type Person,
  refusalOf,
  signIn,
  signInWith,
  signUp,
  verify,
} from "./people.ts";

let harness: Harness;
let ann: Person;
let bob: Person;
beforeAll(async () => {
  harness = await openAccountsHarness();
  ann = await signUp(harness, "ann@example.com");
  bob = await signUp(harness, "bob@example.com");
});
afterAll(() => harness[Symbol.asyncDispose]());

describe("routes of the authentication library", () => {
  test.each([
    ["POST", "organization/create", { name: "x", slug: "x" }],
    ["POST", "organization/delete", { organizationId: "x" }],
    ["POST", "organization/update", { data: { name: "x" } }],
    ["POST", "organization/add-member", { userId: "x", role: "owner" }],
    ["POST", "delete-user", {}],
    ["POST", "change-email", { newEmail: "x@example.com" }],
    ["POST", "sign-in/social", { provider: "x" }],
    ["GET", "get-session", undefined],
    ["GET", "ok", undefined],
    ["GET", "sign-in/email", undefined],
    ["GET", "verify-email?token=x", undefined],
    ["POST", "list-sessions", {}],
    ["POST", "__proto__", {}],
  ])("%s %s is not offered", async (method, path, body) => {
    expect(await refusalOf(ann.auth(path, body, { method }))).toBe("404 not_found");
  });

  test.each([
    "list-sessions",
    "organization/list-members?organizationId=x",
    "organization/list-user-invitations",
  ])("%s requires a sign-in session", async (path) => {
    expect(await refusalOf(anonymous(harness).auth(path))).toBe("401 not_signed_in");
  });
});

describe("input validation", () => {
  const body = { name: "Eve", email: "eve@example.com", password: PASSWORD };
  test.each([
    ["a short password", { ...body, password: "too short" }, "password", "too_short"],
    ["a long one", { ...body, password: "x".repeat(129) }, "password", "too_long"],
    ["no e-mail", { ...body, email: undefined }, "email", "required"],
    ["a strange e-mail", { ...body, email: "eve@example.com,bob@example.com" }, "email", "malformed"],
    ["a number as a name", { ...body, name: 7 }, "name", "wrong_type"],
    ["a strange e-mail of 60 KB", { ...body, email: `a@${".".repeat(60_000)} ` }, "email", "malformed"],
    ["an e-mail with a character that is none", { ...body, email: "e\0@example.com" }, "email", "malformed"],
    ["a password with one", { ...body, password: `${PASSWORD}\0` }, "password", "malformed"],
    ["a blank name", { ...body, name: "  " }, "name", "too_short"],
  ])("the error for %s names the field", async (_what, sent, field, code) => {
    const { status, details } = await errorOf(await anonymous(harness).auth("sign-up/email", sent));
    expect({ status, details }).toEqual({
      status: 422,
      details: [expect.objectContaining({ field, code })],
    });
  });

  test.each([
    ["reset-password", { token: "a\0", newPassword: PASSWORD }],
    ["verify-email", { token: "a\0", password: PASSWORD }],
    ["send-verification-email", { email: "e\0@example.com" }],
  ])("a token with a character that no database stores is refused by %s", async (path, sent) => {
    await forgetAttempts(harness);
    expect(await refusalOf(anonymous(harness).auth(path, sent))).toBe("422 validation_error");
  });

  test("every sign-in attempt is counted before its body is read", async () => {
    await forgetAttempts(harness);
    const attempts = Array.from({ length: 32 }, () => refusalOf(signInWith(harness, { email: "a@" })));
    const answers = (await Promise.all(attempts)).sort();
    expect(answers).toEqual([
      ...Array(30).fill("422 validation_error"),
      ...Array(2).fill("429 rate_limit_exceeded"),
    ]);
    await forgetAttempts(harness);
  });

  test("a body that is too large or is not JSON is refused", async () => {
    const raw = (text: string, type = "application/json") =>
      fetch(`${harness.url}/api/auth/sign-in/email`, {
        ...{ method: "POST", headers: { "content-type": type }, body: text },
      });
    expect(await refusalOf(raw(`{"email":"${"x".repeat(65_536)}"}`))).toBe("422 validation_error");
    expect(await refusalOf(raw("email=a"))).toBe("422 validation_error");
    expect(await refusalOf(raw("[]"))).toBe("422 validation_error");
    expect(await refusalOf(raw(JSON.stringify({ email: ann.email, password: PASSWORD }), "text/plain"))).toBe(
      "422 validation_error",
    );
  });

  test("a user cannot become an operator by request", async () => {
    await forgetAttempts(harness);
    const mal = anonymous(harness, "mal@example.com");
    const sent = {
      ...body,
      email: mal.email,
      operator: true,
      emailVerified: true,
      role: "owner",
      id: "user_1",
    };
    const { user } = await mal.json<{ user: object }>("/api/auth/sign-up/email", sent);
    expect(user).toMatchObject({ operator: false, emailVerified: false });
    await verify(mal, await mailedLink(harness, mal.email));
    expect(await refusalOf(mal.auth("update-user", { operator: true }))).toBe("422 validation_error");
    await mal.json("/api/auth/update-user", { name: "Mal", operator: true, email: "ann@example.com" });
    const session = await harness.parts.identity.session(new Headers({ cookie: mal.cookie() }));
    expect(session!.user).toMatchObject({ name: "Mal", email: mal.email, operator: false });
  });
});

describe("a request from another site", () => {
  const elsewhere = { origin: "https://evil.example" };
  test.each([
    ["its origin", elsewhere],
    ["an opaque origin", { origin: "null" }],
    ["another port of this host", { origin: "http://127.0.0.1:1" }],
    ["the Sec-Fetch-Site header", { "sec-fetch-site": "cross-site" }],
  ])("is recognized by %s", async (_what, headers) => {
    expect(await refusalOf(bob.auth("update-user", { name: "Taken" }, { headers }))).toBe("403 csrf_failed");
  });

  test("a matching Host header does not make a request same-origin", async () => {
    const sent = { method: "POST", body: JSON.stringify({ email: bob.email, password: PASSWORD }) };
    const from = (name: string) => ({
      origin: `http://${name}`,
      host: name,
      "content-type": "application/json",
    });
    const rebound = await fetch(`${harness.url}/api/auth/sign-in/email`, {
      ...sent,
      headers: from("evil.example:80"),
    });
    expect(await refusalOf(rebound)).toBe("403 csrf_failed");
  });

  test("a link alone neither signs in nor verifies", async () => {
    const right = { email: bob.email, password: PASSWORD };
    expect(await refusalOf(signInWith(harness, right, { headers: elsewhere }))).toBe("403 csrf_failed");
    const headers = { "sec-fetch-site": "cross-site" };
    expect(
      await refusalOf(
        anonymous(harness).auth("verify-email", { token: "x", password: PASSWORD }, { headers }),
      ),
    ).toBe("403 csrf_failed");
  });

  test("another host name of this server is a different origin", async () => {
    const url = harness.url.replace("127.0.0.1", "localhost");
    const here = {
      method: "POST",
      headers: { origin: url, "content-type": "application/json", cookie: "a=b" },
    };
    const body = JSON.stringify({ email: bob.email, password: PASSWORD });
    await forgetAttempts(harness);
    expect((await fetch(`${url}/api/auth/sign-in/email`, { ...here, body })).status).toBe(200);
  });
});

describe("the session cookie", () => {
  test("is hidden from scripts and other sites, and appears in no body", async () => {
    await forgetAttempts(harness);
    const response = await signInWith(harness, { email: bob.email, password: PASSWORD });
    const [cookie, mark, ...more] = response.headers.getSetCookie();
    expect(more).toEqual([]);
    expect(mark).toMatch(
      /^svc_device_[0-9a-f]{8}=[\w.-]+; Max-Age=34560000; Path=\/api\/auth\/; HttpOnly; SameSite=Lax$/,
    );
    expect(cookie).toMatch(
      /^svc_session_[0-9a-f]{8}=[^;]+; Max-Age=34560000; Path=\/; HttpOnly; SameSite=Lax$/,
    );
    expect(response.headers.get("cache-control")).toBe("no-store");
    const secret = decodeURIComponent(cookie!).slice("svc_session_12345678=".length).split(".")[0]!;
    const sessions = await (await bob.auth("list-sessions")).text();
    expect([await response.text(), sessions].filter((text) => text.includes(secret))).toEqual([]);
  });

  test("is sent over https only on an https origin", async () => {
    const environment = {
      LOQUAT_URL: "https://voice.example.com",
      LOQUAT_SECRET: "of the operator's own, and long enough",
    };
    await using safe = await openAccountsHarness({ environment });
    const person = await signUp(safe, "sue@example.com");
    await forgetAttempts(safe);
    const signed = await person.auth(
      "sign-in/email",
      { email: person.email, password: PASSWORD },
      { headers: { origin: "https://voice.example.com" } },
    );
    expect(signed.headers.get("set-cookie")).toMatch(/^svc_session_[0-9a-f]{8}=.*; Secure/);
    const { query, tables } = safe.parts.database;
    const [installation] = await query.select().from(tables.installation);
    expect(installation!.secret).toBeNull(); // it was given one
  });

  const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_%=. ";

  test("is refused with any other letter at any place", async () => {
    const cookie = ann.cookie();
    const start = cookie.indexOf("=") + 1;
    const changed: string[] = [];
    for (let index = start; index < cookie.length; index++) {
      const isEnd = index > cookie.length - 8; // where an encoding has unused bits
      for (const letter of isEnd ? LETTERS : ["A", "z", "0", cookie[index]!.toLowerCase(), "%"])
        if (letter !== cookie[index]) changed.push(cookie.slice(0, index) + letter + cookie.slice(index + 1));
    }
    expect(changed.length).toBeGreaterThan(692);
    const accepted: string[] = [];
    for (const forged of changed)
      if (await harness.parts.identity.session(new Headers({ cookie: forged }))) accepted.push(forged);
    expect(accepted).toEqual([]);
    for (const forged of [`${cookie}A`, `${cookie}%3D`, cookie.slice(0, -3), cookie.replace(".", "%2E")])
      expect(await harness.parts.identity.session(new Headers({ cookie: forged }))).toBeNull();
    expect(await harness.parts.identity.session(new Headers({ cookie }))).not.toBeNull();
  });

  test("is deleted with its session on sign-out", async () => {
    const person = await signIn(harness, bob.email);
    const cookie = person.cookie();
    await person.json("/api/auth/sign-out", {});
    expect(person.cookie()).toBe("");
    expect(await harness.parts.identity.session(new Headers({ cookie }))).toBeNull();
  });
});

test("sessions can be listed and ended one by one, by their user only", async () => {
  const [here, there] = await Promise.all([signIn(harness, bob.email), signIn(harness, bob.email)]);
  type Listed = { id: string; token: string; current: boolean };
  const current = async (person: Person) =>
    (await person.json<Listed[]>("/api/auth/list-sessions")).find((one) => one.current)!;
  const { token } = await current(there);
  await ann.json("/api/auth/revoke-session", { token });
  expect((await current(there)).token).toBe(token);
  await here.json("/api/auth/revoke-session", { token });
  expect(await refusalOf(there.auth("list-sessions"))).toBe("401 not_signed_in");
  await here.json("/api/auth/revoke-other-sessions", {});
  expect((await here.json<Listed[]>("/api/auth/list-sessions")).length).toBe(1);
  bob = await signIn(harness, bob.email);
});

test("a user keeps the newest fifty sessions", async () => {
  const { query, tables } = harness.parts.database;
  const [createdAt, expiresAt] = [new Date(0), new Date(Date.now() + 1_000_000)];
  const old = Array.from({ length: 60 }, (_, nth) => ({
    ...{ id: `dsess_0000000${10 + nth}`, token: `old ${nth}`, userId: bob.userId },
    ...{ expiresAt, createdAt, updatedAt: createdAt },
  }));
  await query.insert(tables.session).values(old);
  bob = await signIn(harness, bob.email);
  const left = (await query.select().from(tables.session)).filter(({ userId }) => userId === bob.userId);
  expect(left.length).toBe(50);
  expect(left.map(({ id }) => id)).not.toContain("dsess_000000010");
  await bob.json("/api/auth/list-sessions");
});

test("no log has an address, a password, a token or a cookie", () => {
  const logged = JSON.stringify(harness.logged);
  expect(harness.logged.length).toBeGreaterThan(10);
  expect(/@example\.com|correct horse|wrong password|svc_session|eyJ/.exec(logged)?.[0]).toBeUndefined();
});
