/** Promise: whom a trusted proxy names is signed in, and headers of other peers open nothing. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { request } from "node:http";
import { eq } from "drizzle-orm";
import { ConfigError, readConfig } from "../../../src/config/config.ts";
import { openAccountsHarness } from "../../api/management/people.ts";
import type { Harness } from "../../harness.ts";

/** This one is the proxy; everything else on this machine is not. */
const [PROXY, ELSEWHERE] = ["127.0.0.1", "127.0.0.2"];

let harness: Harness;
beforeAll(async () => {
  harness = await openAccountsHarness({
    environment: {
      LOQUAT_PROXIES: PROXY,
      LOQUAT_AUTH_EMAIL_HEADER: "Remote-Email",
      LOQUAT_AUTH_GROUPS_HEADER: "Remote-Groups",
      LOQUAT_AUTH_NAME_HEADER: "Remote-Name",
      LOQUAT_OIDC_OPERATORS: "speech-operators",
      LOQUAT_OIDC_MEMBERS: "speech-users",
    },
  });
});
afterAll(() => harness[Symbol.asyncDispose]());

type Sent = { from?: string; method?: string; headers?: Record<string, string | string[]>; body?: string };
type Answered = { status: number; code: string | null; json: Record<string, unknown>; cookie: string | null };

/** One request on a connection of its own, from an address of this machine. */
function ask(
  path: string,
  { from = PROXY, method = "GET", headers = {}, body }: Sent = {},
): Promise<Answered> {
  const answered = Promise.withResolvers<Answered>();
  const asked = request(
    harness.url + path,
    { method, headers, localAddress: from, agent: false },
    (response) => {
      let text = "";
      response.on("data", (chunk) => {
        text += chunk;
      });
      response.on("end", () => {
        const json = text.startsWith("{") ? JSON.parse(text) : {};
        const cookie = response.headers["set-cookie"]?.[0]?.split(";")[0] ?? null;
        answered.resolve({ status: response.statusCode!, code: json.error?.code ?? null, json, cookie });
      });
    },
  );
  asked.on("error", answered.reject);
  asked.end(body);
  return answered.promise;
}

const named = (email: string, groups = "speech-users", name = "Somebody") => ({
  "remote-email": email,
  "remote-groups": groups,
  "remote-name": name,
});
const ignored = async () => {
  const { text } = await fetch(`${harness.url}/metrics`).then(async (page) => ({ text: await page.text() }));
  return Number(/^loquat_untrusted_auth_headers_total (\d+)/m.exec(text)?.[1] ?? 0);
};
const usersNamed = async (email: string) => {
  const { query, tables } = harness.parts.database;
  return query.select().from(tables.user).where(eq(tables.user.email, email));
};

test("a person whom the proxy names has a session, and changes something with its CSRF token only", async () => {
  const headers = named("Ann@Example.com", "speech-operators|others", Buffer.from("Änn").toString("latin1"));
  const first = await ask("/api/session", { headers });
  expect(first).toMatchObject({
    status: 200,
    json: {
      user: { email: "ann@example.com", name: "Änn", operator: true, email_verified: true },
      provider: "proxy",
      organizations: [{ id: harness.organizationId, role: "owner" }],
    },
  });
  const cookie = first.cookie!;
  expect(cookie).toMatch(/^svc_session_[0-9a-f]{8}=/);
  const again = await ask("/api/session", { headers: { ...headers, cookie } });
  expect(again.cookie).toBeNull();
  const change = { method: "POST", body: '{"name":"New"}' };
  const json = { ...headers, cookie, origin: harness.url, "content-type": "application/json" };
  expect(await ask("/api/organizations", { ...change, headers: json })).toMatchObject({
    status: 403,
    code: "csrf_failed",
  });
  const token = again.json.csrf_token as string;
  const right = { ...json, "x-csrf-token": token };
  expect((await ask("/api/organizations", { ...change, headers: right })).status).toBe(201);
  const evil = { ...right, origin: "https://evil.example" };
  expect((await ask("/api/organizations", { ...change, headers: evil })).code).toBe("csrf_failed");
  expect((await ask("/api/auth/list-sessions", { headers: { ...headers, cookie } })).status).toBe(200);
});

describe("a header that is not the proxy's", () => {
  test("opens nothing, and is counted", async () => {
    const before = await ignored();
    for (const headers of [
      named("eve@example.com"),
      { "REMOTE-EMAIL": "eve@example.com" },
      { "remote-groups": "x" },
    ])
      expect(await ask("/api/session", { from: ELSEWHERE, headers })).toMatchObject({
        status: 401,
        code: "not_signed_in",
      });
    const forwarded = { ...named("eve@example.com"), "x-forwarded-for": PROXY, forwarded: `for=${PROXY}` };
    expect((await ask("/api/session", { from: ELSEWHERE, headers: forwarded })).status).toBe(401);
    expect((await ask("/api/auth/list-sessions", { from: ELSEWHERE, headers: forwarded })).status).toBe(401);
    expect(await ignored()).toBe(before + 5);
    expect(await usersNamed("eve@example.com")).toEqual([]);
  });

  test("does not make a stolen cookie worth something", async () => {
    const headers = named("cid@example.com");
    const { cookie } = await ask("/api/session", { headers });
    const stolen = { cookie: cookie! };
    expect((await ask("/api/session", { from: ELSEWHERE, headers: stolen })).status).toBe(401);
    expect((await ask("/api/session", { from: ELSEWHERE, headers: { ...headers, ...stolen } })).status).toBe(
      401,
    );
    expect((await ask("/api/session", { headers: stolen })).status).toBe(401); // the proxy signed them out
    expect((await ask("/api/auth/list-sessions", { headers: stolen })).status).toBe(401);
    expect((await ask("/api/session", { headers: { ...headers, ...stolen } })).status).toBe(200);
  });
});

test.each([
  ["two headers", ["ann@example.com", "eve@example.com"]],
  ["a list", "ann@example.com, eve@example.com"],
  ["a list with semicolons", "ann@example.com;eve@example.com"],
  ["a name before it", "Ann <ann@example.com>"],
  ["no domain", "ann"],
  ["no dot", "ann@localhost"],
  ["two signs", "ann@evil.example@example.com"],
  ["a quote", '"ann"@example.com'],
  ["300 letters", `${"a".repeat(300)}@example.com`],
])("an address with %s is refused", async (_what, value) => {
  expect(
    await ask("/api/session", { headers: { "remote-email": value, "remote-groups": "speech-users" } }),
  ).toMatchObject({ status: 401, code: "not_signed_in", cookie: null });
});

test("groups are compared at each request; a person in none is refused and has nothing left", async () => {
  const email = "dora@example.com";
  const { cookie } = await ask("/api/session", { headers: named(email) });
  const held = { cookie: cookie! };
  const raised = await ask("/api/session", { headers: { ...named(email, "speech-operators"), ...held } });
  expect(raised.json).toMatchObject({ user: { operator: true }, organizations: [{ role: "owner" }] });
  for (const groups of ["", "others", "speech", "SPEECH-USERS"])
    expect(await ask("/api/session", { headers: { ...named(email, groups), ...held } })).toMatchObject({
      status: 403,
      code: "sign_up_closed",
    });
  const back = await ask("/api/session", { headers: { ...named(email), ...held } });
  expect(back.json).toMatchObject({ user: { operator: false }, organizations: [{ role: "member" }] });
});

test("another person's header never gets the session of the cookie", async () => {
  const { cookie } = await ask("/api/session", { headers: named("ann@example.com", "speech-operators") });
  const mixed = await ask("/api/session", { headers: { ...named("fay@example.com"), cookie: cookie! } });
  expect(mixed.json).toMatchObject({ user: { email: "fay@example.com", operator: false } });
  expect(mixed.cookie).not.toBeNull();
});

test("first requests at once make one user", async () => {
  const headers = named("gus@example.com");
  const all = await Promise.all(Array.from({ length: 6 }, () => ask("/api/session", { headers })));
  expect(new Set(all.map(({ status }) => status))).toEqual(new Set([200]));
  expect((await usersNamed("gus@example.com")).length).toBe(1);
});

test("a session that the proxy opens is in the audit log once, with the person's address", async () => {
  const headers = { ...named("hal@example.com"), "x-forwarded-for": "203.0.113.9" };
  const { cookie } = await ask("/api/session", { headers });
  await ask("/api/session", { headers: { ...headers, cookie: cookie! } });
  const { query, tables } = harness.parts.database;
  const [{ id } = { id: "" }] = await usersNamed("hal@example.com");
  const rows = await query
    .select()
    .from(tables.auditEvent)
    .where(eq(tables.auditEvent.type, "login.succeeded"));
  const theirs = rows.filter(({ resourceId }) => resourceId === id);
  expect(JSON.stringify(theirs)).toContain("203.0.113.9");
  expect(theirs.length).toBe(1);
});

test("the public API takes keys only", async () => {
  const headers = named("ann@example.com", "speech-operators");
  expect(await ask("/v1/me", { headers })).toMatchObject({ status: 401, code: "missing_api_key" });
});

test.each([
  [{ LOQUAT_AUTH_EMAIL_HEADER: "Remote-Email" }, "LOQUAT_PROXIES"],
  [
    { LOQUAT_AUTH_GROUPS_HEADER: "Remote-Groups", LOQUAT_PROXIES: PROXY },
    "LOQUAT_AUTH_EMAIL_HEADER must be set",
  ],
  [{ LOQUAT_AUTH_EMAIL_HEADER: "Remote Email", LOQUAT_PROXIES: PROXY }, "name of a header"],
  [{ LOQUAT_AUTH_EMAIL_HEADER: "Cookie", LOQUAT_PROXIES: PROXY }, "name of a header"],
])("%j stops the start", (environment, message) => {
  const read = () => readConfig(environment as Record<string, string>);
  expect(read).toThrow(ConfigError);
  expect(read).toThrow(message);
});
