/** Promise: programs manage the projects and the spending limit of their own organization, and of no other, with stock clients. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type AdminFixture, all, openAdminFixture, statusOf, stockClients } from "./admin-fixture.ts";

let server: AdminFixture;
beforeAll(async () => {
  server = await openAdminFixture();
});
afterAll(() => server[Symbol.asyncDispose]());

test("stock clients create, find, rename and archive projects", async () => {
  for (const [version, client] of await stockClients(server.url, server.adminKey)) {
    const { projects } = client.admin.organization;
    server.clock.pass(1);
    const made = await projects.create({ name: `By ${version}` });
    expect(made).toMatchObject({ object: "organization.project", status: "active", archived_at: null });
    expect(await projects.retrieve(made.id)).toEqual(made);
    const renamed = await projects.update(made.id, { name: `Of ${version}` });
    expect(renamed).toEqual({ ...made, name: `Of ${version}` });
    const listed = await all(projects.list({ limit: 1 }));
    expect(listed.map(({ name }) => name)).toEqual(["Default", `Of ${version}`]);
    const of = { projectId: made.id, name: "x", environment: "live", scopes: [], expiresAt: null } as const;
    const key = await server.parts.accounts.createKey(of);
    const archived = await projects.archive(made.id);
    expect(archived).toMatchObject({ status: "archived", archived_at: expect.any(Number) });
    expect((await server.parts.accounts.key(key.id))?.status).toBe("revoked");
    expect((await all(projects.list({ limit: 1 }))).map(({ name }) => name)).toEqual(["Default"]);
    expect(await all(projects.list({ limit: 1, include_archived: true }))).toContainEqual(archived);
    expect(await statusOf(projects.create({ name: `Of ${version}` }))).toBe(409);
    expect(await statusOf(projects.archive(listed[0]!.id))).toBe(409);
    for (const name of ["", "two\nlines"]) expect(await statusOf(projects.create({ name }))).toBe(422);
  }
});

test("projects of another organization are not found, and stay as they are", async () => {
  const theirs = (await server.parts.accounts.defaultProject(server.other.id))!;
  const own = await server.adminGet<{ data: { id: string }[] }>("GET /projects?include_archived=true");
  expect(own.data.map(({ id }) => id)).not.toContain(theirs.id);
  for (const route of ["GET /projects/ID", "POST /projects/ID", "POST /projects/ID/archive"])
    for (const id of [theirs.id, "proj_none"]) {
      const body = route.startsWith("POST") ? { name: "Taken" } : undefined;
      expect(await server.refused(route.replace("ID", id), body)).toMatchObject({
        ...{ status: 404, code: "not_found" },
      });
    }
  expect(await server.parts.accounts.project(theirs.id)).toEqual(theirs);
});

test("stock clients set and remove the monthly spending limit", async () => {
  for (const [, client] of await stockClients(server.url, server.adminKey)) {
    const { spendLimit } = client.admin.organization;
    const set = { threshold_amount: 2550, currency: "USD", interval: "month" } as const;
    const limit = { ...set, object: "organization.spend_limit", enforcement: { status: "enforcing" } };
    expect(await spendLimit.update(set)).toEqual(limit as never);
    expect(await spendLimit.retrieve()).toEqual(limit as never);
    expect((await server.parts.ledger.credit(server.organizationId)).monthlyLimitMicros).toBe(25_500_000);
    expect(await spendLimit.delete()).toEqual({ object: "organization.spend_limit.deleted", deleted: true });
    expect(await statusOf(spendLimit.retrieve())).toBe(404);
    for (const threshold_amount of [-1, 0.5, 1e12])
      expect(await statusOf(spendLimit.update({ ...set, threshold_amount }))).toBe(422);
  }
});

test("projects and keys tell what is used of their budgets, in the period that is under way", async () => {
  type Record = { id: string; budget_period: object | null };
  const { accounts, database } = server.parts;
  const budget = { limit_micros: 10_000_000, interval: "month" as const };
  const made = await server.adminGet<Record>("POST /projects", { name: "Budgeted" });
  expect(made.budget_period).toBeNull();
  const project = `/projects/${made.id}`;
  const restricted = await server.adminGet<Record>(`POST ${project}`, { restrictions: { budget } });
  const keys = `${project}/api_keys`;
  const key = await server.adminGet<Record>(`POST ${keys}`, { name: "k", restrictions: { budget } });
  expect([restricted, key].map((record) => record.budget_period)).toEqual(
    Array(2).fill(expect.objectContaining({ used_micros: 0, state: "within" })),
  );
  const period = restricted.budget_period as { began_at: number };
  for (const [subject, micros] of [
    [made.id, 8_000_000],
    [key.id, 10_000_000],
  ] as const)
    await database.query.insert(database.tables.budgetPeriod).values({
      ...{ organizationId: server.organizationId, subject, start: period.began_at, micros },
    });
  const [near, reached] = [
    { used_micros: 8_000_000, state: "near" },
    { used_micros: 10_000_000, state: "reached" },
  ].map((used) => ({ budget_period: { ...period, ...used } }));
  expect(await server.adminGet<Record>(`GET ${project}`)).toMatchObject(near!);
  expect(await server.adminGet<Record>(`GET ${keys}/${key.id}`)).toMatchObject(reached!);
  const { data: projects } = await server.adminGet<{ data: Record[] }>("GET /projects");
  expect(projects.find(({ id }) => id === made.id)).toMatchObject(near!);
  expect(projects.find(({ id }) => id === made.id)).not.toHaveProperty("organization_id");
  expect(await server.adminGet<object>(`GET ${keys}`)).toMatchObject({ data: [reached!] });
  await accounts.archiveProject(made.id);
});
