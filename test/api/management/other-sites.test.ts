/**
 * Promise: no page of another site changes anything with a user's cookies, by any route.
 *
 * The routes come from the tables of the management API and of signing in, so that a new route is tested too.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Route } from "../../../src/api/management/schema/route.ts";
import { ROUTES as AUTH } from "../../../src/identity/routes/offered-routes.ts";
import { buildApp } from "../../../src/server/app.ts";
import { errorOf } from "../../harness.ts";
import { everyRow } from "./every-row.ts";
import { PASSWORD } from "./people.ts";
import { type Fixture, openFixture, type Person } from "./server-fixture.ts";
import { bodyOf, filled, openTenancy, ROUTES, type Tenancy } from "./tenancy.ts";

let fixture: Fixture;
let tenancy: Tenancy;
let operator: Person;
let before: string[];
beforeAll(async () => {
  fixture = await openFixture();
  tenancy = await openTenancy(fixture, "Loquat");
  operator = await fixture.operator("operator");
  before = await state();
});
afterAll(() => fixture[Symbol.asyncDispose]());

/** All rows but counts of attempts, and what is raised with the time. */
const state = async () =>
  (await everyRow(fixture)).filter(
    (row) => !row.startsWith("attempt ") && !row.includes('"type":"credit.granted"'),
  );

type Changing = { name: string; needs: Route["needs"]; needsToken: boolean; body: () => unknown };

const changes = (method: string) => !["GET", "HEAD", "OPTIONS"].includes(method);

const FIELDS: Record<string, () => string> = {
  organizationId: () => tenancy.organization,
  memberId: () => tenancy.ids.seat!,
  memberIdOrEmail: () => tenancy.ids.seat!,
  invitationId: () => tenancy.ids.invitation!,
  email: () => "someone@example.com",
  role: () => "member",
  keys: () => "revoke",
  token: () => "x".repeat(32),
  password: () => PASSWORD,
  currentPassword: () => PASSWORD,
  newPassword: () => `${PASSWORD} 2`,
  name: () => "Taken",
  code: () => "000000",
  organizationName: () => "Taken",
};

const authBody = (path: string, fields: object) => () =>
  Object.fromEntries(
    Object.keys(fields).map((field) => {
      const value = FIELDS[field];
      if (!value)
        throw new Error(`${path} has a field ${field} that this test does not know: add it to FIELDS`);
      return [field, value()];
    }),
  );

/** It takes the token of a mail, and no cookie. */
const ANSWER = "POST /api/mail-of-alerts";

const CHANGING: Changing[] = [
  ...ROUTES.filter(([name]) => changes(name.split(" ")[0]!) && name !== ANSWER).map(([name, route]) => ({
    ...{ name, needs: route.needs, needsToken: true, body: () => bodyOf(name, route) },
  })),
  ...Object.entries(AUTH)
    .filter(([, { method }]) => changes(method))
    .map(([path, { fields, needsSession }]) => ({
      ...{ name: `POST /api/auth/${path}`, needs: "user" as const, needsToken: needsSession !== false },
      body: authBody(path, fields),
    })),
];

const callerOf = ({ needs }: Changing) => (needs === "operator" ? operator : tenancy.users.owner);

function send(route: Changing, headers: Record<string, string>, body?: string): Promise<Response> {
  const [method, path] = filled(route.name, tenancy.ids).split(" ") as [string, string];
  const { cookie } = callerOf(route);
  return fetch(fixture.url + path, {
    ...{ method, headers: { cookie, ...headers } },
    body: body ?? JSON.stringify(route.body() ?? {}),
  });
}

const json = { "content-type": "application/json" };
/** What a form of another site can send. */
const FORMS = [
  ["text/plain", (body: unknown) => JSON.stringify(body ?? {})],
  [
    "application/x-www-form-urlencoded",
    (body: unknown) => `${new URLSearchParams(body as Record<string, string>)}`,
  ],
  [
    "multipart/form-data; boundary=x",
    () => '--x\r\ncontent-disposition: form-data; name="a"\r\n\r\nb\r\n--x--',
  ],
] as const;

test("every route that changes something is in a table that is tested here, or takes no cookie", () => {
  const ofKeys = /^(POST|DELETE|ALL) \/(v1|dev|elevenlabs|deepgram|jambonz|mcp)\//;
  const known = new Set([...CHANGING.map(({ name }) => name), "ALL /api/auth/*", ANSWER]);
  const others = buildApp(fixture.parts)
    .routes.filter(({ method }) => changes(method))
    .map(({ method, path }) => `${method} ${path}`)
    .filter((name) => !known.has(name) && !ofKeys.test(name));
  expect(others).toEqual(["POST /api/billing/stripe-webhook"]); // which is signed
});

describe.each(CHANGING.map((route) => [route.name, route] as const))("%s", (_name, route) => {
  test("is refused from another site, with the right cookie and token", async () => {
    const { origin, host, port } = new URL(fixture.url);
    const token = { "x-csrf-token": callerOf(route).csrf };
    const elsewhere = [
      ...["https://evil.example", "null", "http://127.0.0.1:1", `https://${host}`, `http://a.${host}`],
      ...[`${origin}.evil.example`, `http://evil.example:${port}`, "file://", "chrome-extension://a"],
    ];
    for (const from of elsewhere) {
      const response = await send(route, { ...json, ...token, origin: from });
      expect(await errorOf(response)).toMatchObject({ status: 403, code: "csrf_failed" });
    }
    const response = await send(route, { ...json, ...token, origin, "sec-fetch-site": "cross-site" });
    expect(await errorOf(response)).toMatchObject({ status: 403, code: "csrf_failed" });
    expect(await state()).toEqual(before);
  });

  test("is refused as a form of another site, with or without its origin", async () => {
    for (const [type, write] of FORMS)
      for (const from of [{ origin: "https://evil.example" }, { origin: "null" }, {}]) {
        const response = await send(route, { "content-type": type, ...from }, write(route.body()));
        expect(await errorOf(response)).toMatchObject({ status: 403, code: "csrf_failed" });
      }
    expect(await state()).toEqual(before);
  });
});

const withToken = CHANGING.filter(({ needsToken }) => needsToken);
test.each(withToken.map((route) => [route.name, route] as const))(
  "%s is refused from this site without the session's own token",
  async (_name, route) => {
    const others = ["", "nonsense", tenancy.users.member.csrf, `${callerOf(route).csrf}x`];
    for (const token of others) {
      const response = await send(route, { ...json, origin: fixture.url, "x-csrf-token": token });
      expect(await errorOf(response)).toMatchObject({ status: 403, code: "csrf_failed" });
    }
    expect(await state()).toEqual(before);
  },
);

test("a page of another site can follow a link, which changes nothing", async () => {
  const read = ROUTES.filter(([name]) => name.startsWith("GET "));
  expect(read.length).toBeGreaterThan(20);
  for (const [name, { needs }] of read) {
    const { cookie } = needs === "operator" ? operator : tenancy.users.owner;
    const headers = { cookie, "sec-fetch-site": "cross-site" };
    const response = await fetch(fixture.url + filled(name, tenancy.ids).slice("GET ".length), {
      ...{ headers, redirect: "manual" },
    });
    expect({ name, isOk: response.status < 400 }).toEqual({ name, isOk: true });
  }
  expect(await state()).toEqual(before);
});

test("a sign-in session opens nothing of the API for keys", async () => {
  const { cookie, csrf } = tenancy.users.owner;
  for (const path of ["/v1/me", "/v1/models", "/v1/voices"]) {
    const response = await fetch(fixture.url + path, { headers: { cookie, "x-csrf-token": csrf } });
    expect(await errorOf(response)).toMatchObject({ status: 401, code: "missing_api_key" });
  }
});
