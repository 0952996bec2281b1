/** Promise: where a second factor is asked for, users without one stay on their account page, and what matters takes a recent code. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { CODE_ROUTES } from "../../../src/identity/second-factor.ts";
import { errorOf } from "../../harness.ts";
import { type Authenticator, enable } from "../../identity/authenticator.ts";
import {
  anonymous,
  forgetAttempts,
  openAccountsHarness,
  PASSWORD,
  type Person,
  refusalOf,
  signUp,
} from "./people.ts";
import { type Fixture, openFixture } from "./server-fixture.ts";
import { bodyOf, filled, openTenancy, ROUTES, type Tenancy } from "./tenancy.ts";

const REQUIRED = "403 two_factor_required";
const CONFIRM = "403 confirmation_required";
const [CODE] = CODE_ROUTES as [string];

/** A second factor of one who signed in by a fixture. */
async function factorOf(fixture: Fixture, { email }: { email: string }): Promise<[Person, Authenticator]> {
  const person = anonymous(fixture, email);
  await forgetAttempts(fixture);
  await person.auth("sign-in/email", { email, password: PASSWORD });
  return [person, await enable(fixture, person)];
}

describe("an organization that asks for a second factor", () => {
  let fixture: Fixture;
  let tenancy: Tenancy;
  let owner: Person;
  let app: Authenticator;
  beforeAll(async () => {
    fixture = await openFixture();
    tenancy = await openTenancy(fixture, "Strict");
    [owner, app] = await factorOf(fixture, tenancy.users.owner);
    await owner.json(`/api/organizations/${tenancy.organization}/two-factor`, { required: true }, PUT);
  });
  afterAll(() => fixture[Symbol.asyncDispose]());

  const ofRoles = ROUTES.filter(([, { needs }]) => ["member", "admin", "owner"].includes(needs));

  test.each(ofRoles)("%s refuses who has none", async (name, route) => {
    const { member } = tenancy.users;
    const response = await member.ask(filled(name, tenancy.ids), bodyOf(name, route));
    expect(await errorOf(response)).toMatchObject({
      ...{ status: 403, code: "two_factor_required" },
      message: expect.stringContaining("Set one up on your account page"),
    });
  });

  test("routes of signing in that are about the organization refuse them too, and the account's own do not", async () => {
    const { member, admin } = tenancy.users;
    const { organization: organizationId, ids } = tenancy;
    const ask = (person: typeof member, path: string, body?: object) =>
      person.ask(`${body ? "POST" : "GET"} /api/auth/${path}`, body);
    const refused: [string, object?][] = [
      [`organization/list-members?organizationId=${organizationId}`],
      [`organization/list-invitations?organizationId=${organizationId}`],
      ["organization/invite-member", { organizationId, email: "x@example.com", role: "member" }],
      ["organization/update-member-role", { organizationId, memberId: ids.seat, role: "member" }],
      ["organization/remove-member", { organizationId, memberIdOrEmail: ids.seat }],
      ["organization/leave", { organizationId }],
      ["organization/cancel-invitation", { invitationId: ids.invitation }],
    ];
    for (const [path, body] of refused) expect(await refusalOf(ask(admin, path, body))).toBe(REQUIRED);
    for (const path of ["list-sessions", "organization/list-user-invitations"])
      expect((await ask(member, path)).status).toBe(200);
    expect((await ask(member, "update-user", { name: "Renamed" })).status).toBe(200);
    const session = await member.get<{ organizations: object[]; two_factor: object }>("GET /api/session");
    expect(session.two_factor).toEqual({ enabled: false, satisfied: false, required: false });
    expect(session.organizations).toMatchObject([{ id: organizationId, require_two_factor: true }]);
  });

  test("is opened by setting one up", async () => {
    const [admin] = await factorOf(fixture, tenancy.users.admin);
    expect((await admin.ask(`/api/organizations/${tenancy.organization}`)).status).toBe(200);
  });

  test("asks nothing of members of other organizations, and does not tell them that it asks", async () => {
    const other = await openTenancy(fixture, "Other");
    const { member, owner: theirs } = other.users;
    expect((await member.ask(`GET /api/organizations/${other.organization}`)).status).toBe(200);
    for (const name of [
      `GET /api/organizations/${tenancy.organization}`,
      `PUT /api/organizations/${tenancy.organization}/two-factor`,
    ]) {
      const body = name.startsWith("PUT") ? { required: false } : undefined;
      expect(await refusalOf(theirs.ask(name, body))).toBe("404 not_found");
    }
    const list = `organization/list-members?organizationId=${tenancy.organization}`;
    expect(await refusalOf(theirs.ask(`GET /api/auth/${list}`))).toBe("404 not_found");
  });

  test("asks nothing of keys", async () => {
    const { parts } = fixture;
    const home = (await parts.accounts.defaultProject(tenancy.organization))!;
    const fields = { projectId: home.id, name: "k", environment: "live", expiresAt: null } as const;
    const { secret } = await parts.accounts.createKey({ ...fields, scopes: ["catalog:read"] });
    const headers = { authorization: `Bearer ${secret}` };
    expect((await fetch(`${fixture.url}/v1/models`, { headers })).status).toBe(200);
  });

  test("is set by an owner who has one, within 15 minutes of a code", async () => {
    const other = await openTenancy(fixture, "Lax");
    const path = `/api/organizations/${other.organization}/two-factor`;
    const put = (person: Tenancy["users"]["owner"], required: boolean) =>
      person.ask(`PUT ${path}`, { required });
    expect(await refusalOf(put(other.users.owner, true))).toBe(REQUIRED);
    expect(await refusalOf(put(other.users.admin, false))).toBe("403 owner_required");
    const strict = `/api/organizations/${tenancy.organization}/two-factor`;
    fixture.clock.pass(15 * 60_000);
    expect(await refusalOf(owner.ask(strict, { required: false }, PUT))).toBe(CONFIRM);
    await owner.json(`/api/auth/${CODE}`, { code: app.next() });
    expect(await owner.json(strict, { required: false }, PUT)).toMatchObject({ require_two_factor: false });
    const { member } = tenancy.users;
    expect((await member.ask(`GET /api/organizations/${tenancy.organization}`)).status).toBe(200);
    await owner.json(strict, { required: true }, PUT);
  });
});

const PUT = { method: "PUT" };

describe("a confirmation", () => {
  let fixture: Fixture;
  let tenancy: Tenancy;
  let owner: Person;
  let operator: Person;
  let apps: Authenticator[];
  beforeAll(async () => {
    fixture = await openFixture();
    tenancy = await openTenancy(fixture, "Careful");
    const boss = await fixture.operator("boss");
    const owning = await factorOf(fixture, tenancy.users.owner);
    const operating = await factorOf(fixture, boss);
    [[owner], [operator], apps] = [owning, operating, [owning[1], operating[1]]];
  });
  afterAll(() => fixture[Symbol.asyncDispose]());
  beforeEach(async () => {
    await forgetAttempts(fixture);
    fixture.clock.pass(20 * 60_000);
  });

  const confirming = ROUTES.filter(([, { confirms }]) => confirms);
  const callerOf = ({ needs }: { needs: string }) => (needs === "operator" ? operator : owner);

  const sent = (name: string, route: (typeof ROUTES)[number][1]) => {
    const [method, path] = filled(name, tenancy.ids).split(" ") as [string, string];
    return callerOf(route).ask(path, bodyOf(name, route) as object, { method });
  };

  test("is wanted before payments, rights, admin keys and every deletion", () => {
    const names = confirming.map(([name]) => name);
    for (const part of ["/billing/top-ups", "/auto-recharge", "/admin-keys", "/credit", "/two-factor"])
      expect(names.filter((name) => name.includes(part)).length).toBeGreaterThan(0);
    const deletions = ROUTES.map(([name]) => name).filter((name) => name.startsWith("DELETE "));
    const harmless = [
      "DELETE /api/operator/models/:package/pull", // cancels a download
      "DELETE /api/operator/wyoming", // closes a port
    ];
    expect(deletions.filter((name) => !names.includes(name))).toEqual(harmless);
  });

  test.each(confirming)(
    "older than 15 minutes: %s says what to do, and does nothing",
    async (name, route) => {
      const error = await errorOf(await sent(name, route));
      expect(error).toMatchObject({ status: 403, code: "confirmation_required" });
      expect(error.message).toContain("POST /api/auth/two-factor/verify-totp");
    },
  );

  test.each([
    ["organization/invite-member", { email: "x@example.com", role: "owner" }],
    ["organization/update-member-role", { memberId: "seat", role: "owner" }],
    ["organization/remove-member", { memberIdOrEmail: "seat" }],
  ])("older than 15 minutes: %s is refused", async (path, fields) => {
    const body = { organizationId: tenancy.organization, ...fields };
    expect(await refusalOf(owner.auth(path, body))).toBe(CONFIRM);
  });

  test("by a code, or by a recovery code, lets the request through when it is repeated", async () => {
    const invite = (email: string) =>
      owner.auth("organization/invite-member", {
        ...{ organizationId: tenancy.organization, email, role: "member" },
      });
    expect(await refusalOf(invite("one@example.com"))).toBe(CONFIRM);
    await owner.json(`/api/auth/${CODE}`, { code: apps[0]!.next() });
    expect((await invite("one@example.com")).status).toBe(200);
    fixture.clock.pass(15 * 60_000 - 1000);
    expect((await invite("two@example.com")).status).toBe(200);
    fixture.clock.pass(1000);
    expect(await refusalOf(invite("three@example.com"))).toBe(CONFIRM);
    const code = apps[0]!.recoveryCodes[0]!;
    await owner.json("/api/auth/two-factor/verify-backup-code", { code });
    expect((await invite("three@example.com")).status).toBe(200);
  });

  test("is not asked of who has no second factor", async () => {
    const { admin } = tenancy.users;
    const response = await admin.ask(
      filled("DELETE /api/organizations/:organization/voices/:voice", tenancy.ids),
    );
    expect(response.status).toBe(204);
  });

  test("of one session is none of another", async () => {
    const other = anonymous(fixture, owner.email);
    await other.auth("sign-in/email", { email: owner.email, password: PASSWORD });
    await other.json(`/api/auth/${CODE}`, { code: apps[0]!.next() });
    const body = { organizationId: tenancy.organization, email: "y@example.com", role: "member" };
    expect(await refusalOf(owner.auth("organization/invite-member", body))).toBe(CONFIRM);
    expect((await other.auth("organization/invite-member", body)).status).toBe(200);
  });
});

describe("LOQUAT_OPERATORS_TWO_FACTOR", () => {
  const environment = { LOQUAT_OPERATORS_TWO_FACTOR: "1" };

  test("lets operators without a second factor see their account only, and others everything", async () => {
    await using harness = await openAccountsHarness({ environment });
    const operator = await signUp(harness, "operator@example.com");
    const bob = await signUp(harness, "bob@example.com");
    const home = `/api/organizations/${harness.organizationId}`;
    for (const path of ["/api/operator/status", home])
      expect(await refusalOf(operator.ask(path))).toBe(REQUIRED);
    expect(await refusalOf(operator.ask("/api/organizations", { name: "Mine" }))).toBe(REQUIRED);
    expect(await operator.json("/api/session")).toMatchObject({ two_factor: { required: true } });
    expect(await bob.json("/api/session")).toMatchObject({ two_factor: { required: false } });
    expect((await bob.ask("/api/organizations", { name: "Mine" })).status).toBe(201);
    expect(await refusalOf(bob.ask("/api/operator/status"))).toBe("403 operator_required");
    await enable(harness, operator);
    expect((await operator.ask("/api/operator/status")).status).toBe(200);
    expect((await operator.ask(home)).status).toBe(200);
  });

  test("asks nothing where it is not set", async () => {
    await using harness = await openAccountsHarness();
    const operator = await signUp(harness, "operator@example.com");
    expect((await operator.ask("/api/operator/status")).status).toBe(200);
  });
});
