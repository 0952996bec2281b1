/** Promise: programs manage API keys and service accounts with stock clients, and a service account's keys outlive their maker. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { USUAL_SCOPES } from "../../../../src/scopes.ts";
import { errorOf } from "../../../harness.ts";
import { type AdminFixture, all, openAdminFixture, statusOf, stockClients } from "./admin-fixture.ts";

let server: AdminFixture;
let project_id: string;
beforeAll(async () => {
  server = await openAdminFixture();
  project_id = (await server.parts.accounts.createProject(server.organizationId, "Machines")).id;
});
afterAll(() => server[Symbol.asyncDispose]());

/** What a key may do on the audio API: its status there. */
const statusAt = async (key: string) =>
  (await fetch(`${server.url}/v1/models`, { headers: { authorization: `Bearer ${key}` } })).status;

test("stock clients create, change, list and delete service accounts, and their keys work until then", async () => {
  for (const [version, client] of await stockClients(server.url, server.adminKey)) {
    const { serviceAccounts, apiKeys } = client.admin.organization.projects;
    server.clock.pass(1);
    const made = await serviceAccounts.create(project_id, { name: `Bot ${version}` });
    const { api_key, ...record } = made as typeof made & { api_key: { id: string; value: string } };
    expect(record).toMatchObject({ object: "organization.project.service_account", role: "member" });
    expect(api_key).toMatchObject({ object: "organization.project.service_account.api_key" });
    expect(api_key.value).toMatch(/^sk_live_[0-9A-Za-z]{40}$/);
    expect(await statusAt(api_key.value)).toBe(200);
    server.clock.pass(1);
    const lone = await serviceAccounts.create(project_id, {
      name: "Lone",
      create_service_account_only: true,
    });
    expect(lone.api_key).toBeNull();
    expect((await all(serviceAccounts.list(project_id, { limit: 1 }))).map(({ id }) => id)).toEqual([
      ...[made.id, lone.id],
    ]);
    expect(await serviceAccounts.retrieve(made.id, { project_id })).toEqual(record as never);
    const renamed = await serviceAccounts.update(made.id, { project_id, name: "Renamed", role: "owner" });
    expect(renamed).toEqual({ ...record, name: "Renamed", role: "owner" } as never);
    const more = await serviceAccounts.apiKeys.create(made.id, {
      ...{ project_id, name: "Night", scopes: ["speech:create"], expires_in_seconds: 3600 },
    });
    expect(more).toMatchObject({ name: "Night", expires_at: more.created_at + 3600 });
    expect(await apiKeys.retrieve(more.id, { project_id })).toMatchObject({
      ...{ object: "organization.project.api_key", owner_project_access: "active" },
      redacted_value: `sk_live_…${more.value.slice(-4)}`,
      owner: { type: "service_account", service_account: { id: made.id, name: "Renamed", role: "owner" } },
    });
    expect(await serviceAccounts.delete(made.id, { project_id })).toEqual({
      ...{ id: made.id, object: "organization.project.service_account.deleted", deleted: true },
    });
    expect(await statusAt(api_key.value)).toBe(401);
    expect(await statusOf(serviceAccounts.retrieve(made.id, { project_id }))).toBe(404);
    expect(await all(apiKeys.list(project_id, { limit: 1 }))).toEqual([]);
    await serviceAccounts.delete(lone.id, { project_id });
  }
});

test("stock clients find, change and delete keys, and iterate them one by one", async () => {
  const { accounts } = server.parts;
  const fields = {
    projectId: project_id,
    environment: "live",
    scopes: USUAL_SCOPES,
    expiresAt: null,
  } as const;
  for (const [version, client] of await stockClients(server.url, server.adminKey)) {
    const { apiKeys } = client.admin.organization.projects;
    const theirs = await accounts.createKey({ ...fields, name: "Own", createdBy: server.owner.id });
    server.clock.pass(1);
    const route = `POST /projects/${project_id}/api_keys`;
    const body = { name: "Nobody's", environment: "test", scopes: ["speech:create"] };
    const made = await server.adminGet<{ id: string; value: string }>(route, body);
    expect(made).toMatchObject({ owner: {}, scopes: ["speech:create"], environment: "test" });
    expect(made.value).toStartWith("sk_test_");
    expect(await all(apiKeys.list(project_id, { limit: 1 }))).toMatchObject([
      { id: theirs.id, owner: { type: "user", user: { email: "olive@example.com", role: "owner" } } },
      { id: made.id, last_used_at: null },
    ]);
    if (version === "7") {
      const scopes = ["transcription:create"];
      const changed = await apiKeys.update(theirs.id, { project_id, scopes, expires_in_seconds: 60 });
      expect(changed).toMatchObject({ scopes, expires_at: Math.floor(server.clock.now() / 1000) + 60 });
      expect(await apiKeys.update(theirs.id, { project_id, scopes: [] })).toMatchObject({
        scopes: USUAL_SCOPES,
      });
      expect(await statusOf(apiKeys.update(theirs.id, { project_id, scopes: ["api.all.read"] }))).toBe(422);
    }
    for (const { id } of [theirs, made])
      expect(await apiKeys.delete(id, { project_id })).toEqual({
        ...{ id, object: "organization.project.api_key.deleted", deleted: true },
      });
    expect((await accounts.key(theirs.id))?.status).toBe("revoked");
    expect(await statusOf(apiKeys.delete(theirs.id, { project_id }))).toBe(404);
  }
});

test("a service account's key outlives the admin key and the person that made it, and counts for no user", async () => {
  const { accounts } = server.parts;
  const { organizationId } = server;
  const leaver = await server.person("Leaver", { organizationId, role: "owner" });
  const { secret } = await server.newAdminKey({ createdBy: leaver.id });
  const route = `POST /projects/${project_id}/service_accounts`;
  const bot = await server.adminGet<{ id: string; api_key: { id: string; value: string } }>(
    route,
    { name: "Lasting" },
    secret,
  );
  const theirs = await accounts.createKey({
    ...{
      projectId: project_id,
      name: "Left behind",
      environment: "live",
      scopes: USUAL_SCOPES,
      expiresAt: null,
    },
    createdBy: leaver.id,
  });
  await server.adminGet(`DELETE /users/${leaver.id}`);
  server.clock.pass(1000);
  expect(await statusAt(theirs.secret)).toBe(401);
  expect((await server.admin("GET /users", undefined, secret)).status).toBe(401);
  expect(await statusAt(bot.api_key.value)).toBe(200);
  expect(await accounts.key(bot.api_key.id)).toMatchObject({ created_by: null, service_account_id: bot.id });
  const rotated = await accounts.rotateKey(bot.api_key.id, 0);
  expect(rotated).toMatchObject({ service_account_id: bot.id });
  await server.adminGet(`DELETE /projects/${project_id}/service_accounts/${bot.id}`);
  expect(await statusAt(rotated!.secret)).toBe(401);
});

test("keys whose owner has left are told apart", async () => {
  const { accounts } = server.parts;
  const { organizationId } = server;
  const leaver = await server.person("Former", { organizationId, role: "admin" });
  const { id: projectId } = await accounts.createProject(organizationId, "Left");
  const fields = { projectId, environment: "live", scopes: USUAL_SCOPES, expiresAt: null } as const;
  const left = await accounts.createKey({ ...fields, name: "Left", createdBy: leaver.id });
  server.clock.pass(1); // the ids of one millisecond are in no order
  const own = await accounts.createKey({ ...fields, name: "Own", createdBy: server.owner.id });
  await accounts.leave({ userId: leaver.id, organizationId }, "keep");
  const ids = async (access: string) =>
    (
      await server.adminGet<{ data: { id: string; owner_project_access: string }[] }>(
        `GET /projects/${projectId}/api_keys${access}`,
      )
    ).data.map(({ id, owner_project_access }) => [id, owner_project_access]);
  const [gone, there] = [
    [left.id, "inactive"],
    [own.id, "active"],
  ];
  expect(await ids("")).toEqual([gone, there]);
  expect(await ids("?owner_project_access=any")).toEqual([gone, there]);
  expect(await ids("?owner_project_access=inactive")).toEqual([gone]);
  expect(await ids("?owner_project_access=active")).toEqual([there]);
});

test("an archived project gets no keys, and a refused first key leaves no service account", async () => {
  const { accounts } = server.parts;
  const { id } = await accounts.createProject(server.organizationId, "Old");
  await accounts.archiveProject(id);
  for (const path of ["api_keys", "service_accounts"])
    expect(await errorOf(await server.admin(`POST /projects/${id}/${path}`, { name: "x" }))).toMatchObject({
      ...{ status: 409, code: "project_archived" },
    });
  const full = await accounts.createProject(server.organizationId, "Full");
  const { query, tables } = server.parts.database;
  const [row] = await query.select().from(tables.apiKey).limit(1);
  const rows = Array.from({ length: 1000 }, (_, index) => ({
    ...{ ...row!, id: `key_full_${index}`, projectId: full.id, hash: Buffer.from(`full ${index}`) },
    createdAt: Math.floor(server.clock.now() / 1000),
  }));
  for (let from = 0; from < 1000; from += 100)
    await query.insert(tables.apiKey).values(rows.slice(from, from + 100));
  expect(await server.refused(`POST /projects/${full.id}/service_accounts`, { name: "x" })).toMatchObject({
    ...{ status: 429, code: "rate_limit_exceeded" },
  });
  expect(await accounts.serviceAccountsOf(full.id, { after: null, limit: 10 })).toEqual([]);
});

test("fields are checked", async () => {
  const path = `/projects/${project_id}`;
  const { id } = await server.parts.accounts.createServiceAccount({ projectId: project_id, name: "Checked" });
  for (const [route, body] of [
    [`POST ${path}/service_accounts`, {}],
    [`POST ${path}/service_accounts`, { name: "a\nb" }],
    [`POST ${path}/service_accounts`, { name: "x", expires_in_seconds: 0 }],
    [`POST ${path}/service_accounts/${id}`, { role: "admin" }],
    [`POST ${path}/service_accounts/${id}/api_keys`, { scopes: ["everything"] }],
    [`POST ${path}/api_keys`, { name: "x", environment: "prod" }],
    [`GET ${path}/api_keys?owner_project_access=some`, undefined],
    [`GET ${path}/service_accounts?limit=0`, undefined],
  ] as const)
    expect(await server.refused(route, body)).toMatchObject({ status: 422, code: "validation_error" });
});
