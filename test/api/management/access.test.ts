/** Promise: every route refuses anonymous callers, requests from other sites, and roles that are too low. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { errorOf } from "../../harness.ts";
import { asking, type Fixture, openFixture, type Person } from "./server-fixture.ts";
import { bodyOf, filled, openTenancy, ROUTES, type Tenancy } from "./tenancy.ts";

let fixture: Fixture;
let tenancy: Tenancy;
let operator: Person;
beforeAll(async () => {
  fixture = await openFixture();
  tenancy = await openTenancy(fixture, "Loquat");
  operator = await fixture.operator("operator");
});
afterAll(() => fixture[Symbol.asyncDispose]());

const guarded = ROUTES.filter(([, { needs }]) => needs !== "anyone");
const changing = guarded.filter(([name]) => !name.startsWith("GET "));

describe("a request without a sign-in session", () => {
  test.each(guarded)("%s is refused and asks to sign in", async (name, route) => {
    for (const cookie of ["", "svc_session=nonsense", "svc_session="]) {
      const response = await asking(fixture.url, cookie ? { cookie } : {}).ask(
        filled(name, tenancy.ids),
        bodyOf(name, route),
      );
      expect(await errorOf(response)).toMatchObject({ status: 401, code: "not_signed_in" });
    }
  });

  test("an API key opens no management route", async () => {
    const response = await fixture.ask(`/api/organizations/${fixture.organizationId}`);
    expect((await errorOf(response)).code).toBe("not_signed_in");
  });
});

describe("a request without the session's CSRF token", () => {
  test.each(changing)("%s is refused", async (name, route) => {
    const { owner, admin } = tenancy.users;
    for (const token of [null, "", "nonsense", admin.csrf, `${owner.csrf}x`]) {
      const headers = { cookie: owner.cookie, ...(token === null ? {} : { "x-csrf-token": token }) };
      const response = await asking(fixture.url, headers).ask(filled(name, tenancy.ids), bodyOf(name, route));
      expect(await errorOf(response)).toMatchObject({ status: 403, code: "csrf_failed" });
    }
  });
});

describe("a role that is too low", () => {
  const wanting = (needs: string) => ROUTES.filter((route) => route[1].needs === needs);

  test.each(wanting("admin"))("%s refuses a member", async (name, route) => {
    const response = await tenancy.users.member.ask(filled(name, tenancy.ids), bodyOf(name, route));
    expect(await errorOf(response)).toMatchObject({ status: 403, code: "insufficient_role" });
  });

  test.each(wanting("owner"))("%s refuses an admin and a member", async (name, route) => {
    for (const who of [tenancy.users.admin, tenancy.users.member]) {
      const response = await who.ask(filled(name, tenancy.ids), bodyOf(name, route));
      expect(await errorOf(response)).toMatchObject({ status: 403, code: "owner_required" });
    }
  });

  test.each(wanting("operator"))("%s refuses an owner", async (name, route) => {
    const response = await tenancy.users.owner.ask(filled(name, tenancy.ids), bodyOf(name, route));
    expect(await errorOf(response)).toMatchObject({ status: 403, code: "operator_required" });
  });

  test("the operator is not a member of organizations by default", async () => {
    const response = await operator.ask(`GET /api/organizations/${tenancy.organization}`);
    expect((await errorOf(response)).status).toBe(404);
  });
});

describe("request validation", () => {
  const isNamed = (body: object) => "required" in body && (body.required as string[]).includes("name");
  const [name] = ROUTES.find(([, { body, needs }]) => body && isNamed(body) && needs === "owner")!;
  const send = (body: string) =>
    fetch(fixture.url + filled(name, tenancy.ids).split(" ")[1]!, {
      method: name.split(" ")[0]!,
      headers: { cookie: tenancy.users.owner.cookie, "x-csrf-token": tenancy.users.owner.csrf },
      body,
    });

  test.each(["", "{", "[]", "null", '"x"', '{"name":1}', '{"name":"a\\u0000"}'])(
    "the body %j is refused",
    async (body) => {
      expect(await errorOf(await send(body))).toMatchObject({ status: 422, code: "validation_error" });
    },
  );

  test("a malformed id is not found", async () => {
    for (const id of ["%00", "a%20b", "x".repeat(101), "%F0%9F%92%A9", "..%2F.."]) {
      const response = await tenancy.users.owner.ask(`GET /api/keys/${id}`);
      expect((await errorOf(response)).status).toBe(404);
    }
  });
});

test("responses are not cached, and not readable by other sites", async () => {
  const { headers } = await tenancy.users.owner.ask("GET /api/session");
  expect(headers.get("cache-control")).toBe("no-store");
  expect(headers.get("access-control-allow-origin")).toBeNull();
  expect(headers.get("x-request-id")).toMatch(/^req_/);
  const preflight = await fetch(`${fixture.url}/api/session`, { method: "OPTIONS" });
  expect(preflight.headers.get("access-control-allow-origin")).toBeNull();
});

test("callers who change too much are told to retry later by both kinds of routes, and may still read", async () => {
  const hasty = await fixture.person("hasty");
  const ask = (index: number) =>
    index % 2
      ? hasty.ask("POST /api/organizations", {})
      : hasty.ask("POST /api/auth/organization/leave", { organizationId: "org_nobody" });
  const answers = new Map<number, number>();
  for (let index = 0; index < 302; index++) {
    const { status } = await ask(index);
    answers.set(status, (answers.get(status) ?? 0) + 1);
  }
  expect(Object.fromEntries(answers)).toEqual({ 422: 150, 404: 150, 429: 2 });
  const refused = await ask(1);
  expect(Number(refused.headers.get("retry-after"))).toBeWithin(1, 61);
  expect((await errorOf(refused)).code).toBe("rate_limit_exceeded");
  expect((await hasty.ask("GET /api/organizations")).status).toBe(200);
  fixture.clock.pass(60_000);
  expect((await ask(1)).status).toBe(422);
});
