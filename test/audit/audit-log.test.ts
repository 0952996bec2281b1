/** Promise: a change of an organization leaves an event that says who made it, from where and what changed, and never a secret. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { AUDIT_KEPT_SECONDS } from "../../src/audit/audit-events.ts";
import {
  type AdminFixture,
  all,
  openAdminFixture,
  stockClients,
} from "../api/v1/organization/admin-fixture.ts";

let server: AdminFixture;
beforeAll(async () => {
  server = await openAdminFixture();
});
afterAll(() => server[Symbol.asyncDispose]());

type Event = Record<string, unknown> & { id: string; type: string };
type Page = { data: Event[]; has_more: boolean };

/** Events of one millisecond are in no order. */
const later = () => server.clock.pass(1);
beforeEach(later);

const events = async (query = "") => (await server.adminGet<Page>(`GET /audit_logs?limit=100${query}`)).data;
const last = async () => (await events())[0]!;

describe("an event", () => {
  test("of a person has their session, address and user agent, and the fields before and after", async () => {
    const { organizationId: id, owner } = server;
    await owner.ask(`PATCH /api/organizations/${id}`, { name: "Renamed" });
    const event = await last();
    expect(event).toMatchObject({
      ...{ object: "organization.audit_log", type: "organization.updated", resource_id: id },
      actor: { type: "session", session: { user: { id: owner.id, email: owner.email } } },
      loquat_actor: { type: "user", id: owner.id, ip_address: expect.any(String) },
      changes: [{ field: "name", before: "Default", after: "Renamed" }],
      "organization.updated": { id, changes_requested: { name: "Renamed" } },
    });
    await owner.ask(`PATCH /api/organizations/${id}`, { name: "Renamed" });
    expect((await last()).id).toBe(event.id); // nothing changed
    later();
  });

  test("of an admin key has the key; one of this server's own has no actor", async () => {
    const made = await server.adminGet<{ id: string }>("POST /projects", { name: "Audited" });
    expect(await last()).toMatchObject({
      ...{ type: "project.created", project: { id: made.id }, "project.created": { id: made.id } },
      actor: { type: "api_key", api_key: { id: expect.stringMatching(/^akey_/) } },
      loquat_actor: { type: "admin_key" },
    });
    later();
    await server.parts.accounts.archiveProject(made.id);
    expect(await last()).toMatchObject({
      type: "project.archived",
      actor: null,
      loquat_actor: { type: "system" },
    });
  });

  test("of an operator says so, and the organization sees it", async () => {
    const operator = await server.operator("Opal");
    const path = `/api/operator/organizations/${server.other.id}`;
    later();
    for (const status of ["suspended", "active"]) {
      await operator.ask(`PATCH ${path}`, { status });
      later();
    }
    await operator.ask(`POST ${path}/credit`, { amount_micros: 5_000_000, reason: "Sorry" });
    server.clock.pass(1000);
    const theirs = (await server.adminGet<Page>("GET /audit_logs", undefined, server.other.adminKey)).data;
    expect(theirs.map(({ type }) => type).slice(0, 3)).toEqual([
      ...["billing.credit.granted", "organization.resumed", "organization.suspended"],
    ]);
    expect(theirs[0]).toMatchObject({
      ...{ loquat_actor: { type: "operator", id: operator.id } },
      changes: [
        { field: "amount_micros", before: null, after: 5_000_000 },
        { field: "reason", before: null, after: "Sorry" },
      ],
    });
    expect((await events()).map(({ id }) => id)).not.toContain(theirs[0]!.id);
  });

  test("holds no secret", async () => {
    const project = (await server.parts.accounts.defaultProject(server.organizationId))!.id;
    const { owner } = server;
    const key = await owner.get<{ id: string; secret: string }>(`POST /api/projects/${project}/keys`, {
      ...{ name: "Hidden", environment: "live" },
    });
    const admin = await server.adminGet<{ value: string }>("POST /admin_api_keys", { name: "Hidden" });
    await owner.ask(`POST /api/keys/${key.id}/rotate`, { grace_seconds: 60 });
    const { organizationId } = server;
    const hugo = await server.person("Hugo", { organizationId, role: "member" });
    await hugo.ask("POST /api/auth/change-password", {
      ...{ currentPassword: "correct horse battery", newPassword: "another horse battery" },
    });
    const { query, tables } = server.parts.database;
    const rows = JSON.stringify(await query.select().from(tables.auditEvent));
    for (const secret of [key.secret, key.secret.slice(12, 40), admin.value, "horse battery", owner.cookie])
      expect(rows).not.toContain(secret);
    expect(rows).toContain("Hidden");
    expect(rows).toContain('\\"password\\"');
  });

  test("is not there where its change is refused, and is the only one where two are made at once", async () => {
    const before = await events();
    const { id } = server.owner;
    expect((await server.admin(`DELETE /users/${id}`)).status).toBe(409);
    expect((await server.admin("POST /projects", { name: "Default" })).status).toBe(409);
    expect(await events()).toEqual(before);
    const { id: project } = await server.parts.accounts.createProject(server.organizationId, "Twice");
    later();
    await Promise.all([1, 2].map(() => server.admin(`POST /projects/${project}/archive`)));
    const archived = await events(`&event_types[]=project.archived&resource_ids[]=${project}`);
    expect(archived).toHaveLength(1);
  });
});

test("signing in, failing to and signing out leave events, with the code of the failure", async () => {
  const { organizationId } = server;
  const { email } = await server.person("Sigrid", { organizationId, role: "member" });
  const post = (path: string, body: object, cookie = "") =>
    fetch(`${server.url}/api/auth/${path}`, {
      method: "POST",
      headers: { origin: server.url, "content-type": "application/json", cookie, "user-agent": "Browser" },
      body: JSON.stringify(body),
    });
  await post("sign-in/email", { email, password: "a wrong password" });
  await post("sign-in/email", { email: "nobody@example.com", password: "a wrong password" });
  later();
  const signed = await post("sign-in/email", { email, password: "correct horse battery" });
  later();
  await post("sign-out", {}, signed.headers.getSetCookie()[0]!.split(";")[0]!);
  const told = (await events(`&actor_emails[]=${email.toUpperCase()}`)).slice(0, 3);
  expect(told.map(({ type }) => type)).toEqual(["logout.succeeded", "login.succeeded", "login.failed"]);
  expect(told[2]).toMatchObject({
    "login.failed": { changes_requested: { error_code: "invalid_credentials" } },
    loquat_actor: { email, user_agent: "Browser" },
  });
});

test("invitations and members leave events", async () => {
  const { organizationId, owner } = server;
  const { id: invitationId } = await owner.get<{ id: string }>("POST /api/auth/organization/invite-member", {
    ...{ organizationId, email: "ivy@example.com", role: "member" },
  });
  later();
  const ivy = await server.person("Ivy");
  await ivy.ask("POST /api/auth/organization/accept-invitation", { invitationId });
  later();
  await server.adminGet(`POST /users/${ivy.id}`, { role: "admin" });
  later();
  await server.adminGet(`DELETE /users/${ivy.id}`);
  later();
  const { id } = await server.adminGet<{ id: string }>("POST /invites", {
    email: "i@example.com",
    role: "reader",
  });
  later();
  await server.adminGet(`DELETE /invites/${id}`);
  const types = (await events()).map(({ type }) => type).filter((type) => !/^log(in|out)/.test(type));
  expect(types.slice(0, 4)).toEqual(["invite.deleted", "invite.sent", "user.deleted", "user.updated"]);
  expect(types.slice(4, 6).sort()).toEqual(["invite.accepted", "user.added"]); // of one millisecond
  expect(types[6]).toBe("invite.sent");
});

describe("reading", () => {
  test("stock clients iterate all of it, newest first, and filter it", async () => {
    const every = (await events()).map(({ id }) => id);
    for (const [, client] of await stockClients(server.url, server.adminKey)) {
      const { auditLogs } = client.admin.organization;
      expect((await all(auditLogs.list({ limit: 1 }))).map(({ id }) => id)).toEqual(every);
      const created = await all(auditLogs.list({ limit: 1, event_types: ["project.created"] }));
      expect(created.length).toBeGreaterThan(0);
      expect(created.every(({ type }) => type === "project.created")).toBe(true);
      const [project] = created;
      const { id } = project!["project.created"]!;
      const of = await all(auditLogs.list({ project_ids: [id!] }));
      expect(of.map(({ project: { id: named } = {} }) => named)).toEqual(of.map(() => id));
      expect(await all(auditLogs.list({ resource_ids: [id!] }))).toEqual(of);
      const mine = await all(auditLogs.list({ actor_ids: [server.owner.id], limit: 1 }));
      expect(mine.every(({ actor }) => actor?.session?.user?.id === server.owner.id)).toBe(true);
    }
  });

  test("by time, and backwards from an event", async () => {
    server.clock.pass(10_000);
    const now = Math.floor(server.clock.now() / 1000);
    await server.adminGet("POST /projects", { name: "Timed" });
    const every = await events();
    const [newest, second, third] = every.map(({ id }) => id);
    const ids = async (query: string) => (await events(query)).map(({ id }) => id);
    expect(await ids(`&effective_at[gte]=${now}`)).toEqual([newest!]);
    expect(await ids(`&effective_at[gt]=${now}`)).toEqual([]);
    expect(await ids(`&effective_at[lt]=${now}`)).toEqual(every.slice(1).map(({ id }) => id));
    expect(await ids(`&effective_at[lte]=${now}`)).toEqual(every.map(({ id }) => id));
    expect(await ids(`&before=${third}`)).toEqual([newest!, second!]);
    const nearest = await server.adminGet<Page>(`GET /audit_logs?limit=1&before=${third}`);
    expect([nearest.data.map(({ id }) => id), nearest.has_more]).toEqual([[second!], true]);
    for (const query of ["effective_at[gt]=soon", "limit=0", "before=%00"])
      expect(await server.refused(`GET /audit_logs?${query}`)).toMatchObject({ code: "validation_error" });
  });
});

test("the log takes each where it is asked to, and events are kept 400 days", async () => {
  const { database, auditReads } = server.parts;
  const lines: Record<string, unknown>[] = [];
  database.audited = (row) => lines.push(row);
  await server.adminGet("POST /projects", { name: "Logged" });
  expect(lines).toMatchObject([{ type: "project.created", actorType: "admin_key" }]);
  const { length } = await events();
  server.clock.pass((AUDIT_KEPT_SECONDS + 1) * 1000);
  const before = Math.floor(server.clock.now() / 1000) - AUDIT_KEPT_SECONDS;
  expect(length).toBeGreaterThan(0);
  expect(await auditReads.forget(before)).toBe(false);
  const { query, tables } = database;
  expect(await query.select().from(tables.auditEvent)).toEqual([]);
});
