/** Promise: a person deletes their account whole, with their keys, unless something would be left without its owner. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import type { Role } from "../../src/accounts/memberships.ts";
import { everyRow } from "../api/management/every-row.ts";
import { forgetAttempts, PASSWORD, refusalOf } from "../api/management/people.ts";
import { type Fixture, openFixture, type Person } from "../api/management/server-fixture.ts";
import { STORES } from "../api/management/stores.ts";

const ROUTE = "POST /api/account/delete";

describe.each(STORES)("%s", (_name, openStore) => {
  let store: Awaited<ReturnType<typeof openStore>>;
  let fixture: Fixture;
  beforeAll(async () => {
    store = await openStore();
    fixture = await openFixture({ environment: store.environment });
  });
  afterAll(async () => {
    await fixture[Symbol.asyncDispose]();
    await store[Symbol.asyncDispose]();
  });

  const newOrganization = async () => (await fixture.parts.accounts.createOrganization("Shared")).id;
  const seated = (name: string, organizationId: string, role: Role) =>
    fixture.person(name, { organizationId, role });
  /** Rows in which the name of a person stands, which their address has too. */
  const rowsOf = async (name: string) =>
    (await everyRow(fixture)).filter((row) => row.toLowerCase().includes(name.toLowerCase()));
  const keyOf = async ({ id: createdBy }: Person, organizationId: string) => {
    const { accounts } = fixture.parts;
    const { id: projectId } = (await accounts.defaultProject(organizationId))!;
    const made = { projectId, name: "Key", environment: "live", expiresAt: null, createdBy } as const;
    return accounts.createKey({ ...made, scopes: ["catalog:read"] });
  };

  test("takes the password, or a sign-in of the last 15 minutes", async () => {
    const recent = await fixture.person("Rosamund");
    expect((await recent.ask(ROUTE, {})).status).toBe(204);
    const person = await fixture.person("Prudence");
    expect(await refusalOf(person.ask(ROUTE, { password: "wrong" }))).toBe("401 invalid_credentials");
    fixture.clock.pass(16 * 60_000);
    expect(await refusalOf(person.ask(ROUTE, {}))).toBe("422 validation_error");
    expect((await rowsOf("Prudence")).length).toBeGreaterThan(0);
    expect((await person.ask(ROUTE, { password: PASSWORD })).status).toBe(204);
    await fixture.parts.work.run();
    expect(await rowsOf("Prudence")).toEqual([]);
    expect(await refusalOf(person.ask("GET /api/session"))).toBe("401 not_signed_in");
  });

  test("refuses passwords after ten wrong ones", async () => {
    const person = await fixture.person("Guessing");
    for (let guess = 0; guess < 10; guess++) await person.ask(ROUTE, { password: `wrong ${guess}` });
    expect(await refusalOf(person.ask(ROUTE, { password: PASSWORD }))).toBe("429 rate_limit_exceeded");
    await forgetAttempts(fixture);
  });

  test("revokes their keys, and leaves the organization and the others as they were", async () => {
    const organizationId = await newOrganization();
    const owner = await seated("Ottilie", organizationId, "owner");
    const member = await seated("Melchior", organizationId, "member");
    const [kept, ended] = [await keyOf(owner, organizationId), await keyOf(member, organizationId)];
    await member.get("GET /api/session");
    const others = await rowsOf("Ottilie");
    expect((await member.ask(ROUTE, { password: PASSWORD })).status).toBe(204);
    await fixture.parts.work.run();
    const models = async (key: { secret: string }) =>
      (await fixture.ask("/v1/models", { headers: { authorization: `Bearer ${key.secret}` } })).status;
    expect([await models(kept), await models(ended)]).toEqual([200, 401]);
    expect(await rowsOf("Melchior")).toEqual([]);
    expect(await rowsOf("Ottilie")).toEqual(others);
    const { people } = fixture.parts.accounts;
    expect((await people(organizationId)).map(({ id }) => id)).toEqual([owner.id]);
  });

  test("leaves their id in the audit log, without their address", async () => {
    const organizationId = await newOrganization();
    const owner = await seated("Olympia", organizationId, "owner");
    const second = await seated("Wilhelmina", organizationId, "owner");
    await owner.ask("POST /api/auth/organization/invite-member", {
      ...{ organizationId, email: "wilhelmina.two@example.com", role: "member" },
    });
    await second.get(`PATCH /api/organizations/${organizationId}`, { name: "Renamed" });
    await second.ask("POST /api/auth/update-user", { name: "Wilhelmina Two" });
    expect((await second.ask(ROUTE, { password: PASSWORD })).status).toBe(204);
    await fixture.parts.work.run();
    const { query, tables } = fixture.parts.database;
    const isTheirs = eq(tables.auditEvent.actorId, second.id);
    const events = await query.select().from(tables.auditEvent).where(isTheirs);
    expect(events.length).toBeGreaterThan(2);
    for (const { actorEmail, address, userAgent } of events)
      expect([actorEmail, address, userAgent]).toEqual(["deleted user", null, null]);
    const renamed = events.find(({ type }) => type === "organization.updated");
    expect(renamed?.changes).toContain("Renamed");
    expect(JSON.stringify(events)).not.toContain("Wilhelmina");
    const told = await owner.get(`GET /api/organizations/${organizationId}`);
    expect(told).toMatchObject({ name: "Renamed" });
  });

  test("is refused to the only owner of an organization, until another one is or it is about to be deleted", async () => {
    const organizationId = await newOrganization();
    const owner = await seated("Lonely", organizationId, "owner");
    const key = await keyOf(owner, organizationId);
    const before = await rowsOf("Lonely");
    expect(await refusalOf(owner.ask(ROUTE, { password: PASSWORD }))).toBe("409 last_owner");
    expect(await rowsOf("Lonely")).toEqual(before);
    expect((await fixture.parts.accounts.key(key.id))?.status).toBe("active");
    await fixture.parts.accounts.scheduleDeletion(organizationId, Math.floor(fixture.clock.now() / 1000) + 9);
    expect((await owner.ask(ROUTE, { password: PASSWORD })).status).toBe(204);
    expect((await fixture.parts.accounts.organization(organizationId))?.deleteAt).not.toBeNull();
  });

  test("of two owners who leave at once, one stays", async () => {
    const organizationId = await newOrganization();
    const both = [
      await seated("Castor", organizationId, "owner"),
      await seated("Pollux", organizationId, "owner"),
    ];
    const statuses = await Promise.all(
      both.map(async (owner) => (await owner.ask(ROUTE, { password: PASSWORD })).status),
    );
    expect(statuses.sort()).toEqual([204, 409]);
    expect((await fixture.parts.accounts.people(organizationId)).length).toBe(1);
  });

  test("is refused to the only operator of the server", async () => {
    const operator = await fixture.operator("Opal");
    expect(await refusalOf(operator.ask(ROUTE, { password: PASSWORD }))).toBe("409 last_owner");
    await fixture.operator("Onyx");
    expect((await operator.ask(ROUTE, { password: PASSWORD })).status).toBe(204);
  });
});
