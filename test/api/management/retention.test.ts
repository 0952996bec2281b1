/** Promise: an organization keeps no more of its requests than its owners chose, its books add up all the same, and its new keys end in time. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { openAuditReads } from "../../../src/audit/audit-reads.ts";
import { type Redaction, redacted } from "../../../src/kept-data.ts";
import { differencesOf } from "../../../src/ledger/verify.ts";
import { openOwnRetention } from "../../../src/server/own-retention.ts";
import { until } from "../../until.ts";
import {
  type AdminFixture,
  openAdminFixture,
  statusOf,
  stockClients,
} from "../v1/organization/admin-fixture.ts";

const DAY_MS = 86_400_000;

let server: AdminFixture;
let path: string;
beforeAll(async () => {
  server = await openAdminFixture({
    environment: {
      LOQUAT_PROXIES: "127.0.0.1,::1",
      LOQUAT_REQUEST_LOG_DAYS: "30",
      LOQUAT_KEY_MAX_DAYS: "365",
    },
  });
  path = `/api/organizations/${server.organizationId}`;
});
afterAll(() => server[Symbol.asyncDispose]());

const change = (body: object) => server.owner.get<Record<string, unknown>>(`PATCH ${path}`, body);
const rows = () => server.parts.ledger.requests(server.organizationId, 100);
async function refusedRequest() {
  const before = (await rows()).length;
  const response = await fetch(`${server.url}/v1/audio/speech`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${server.key}`,
      ...{ "x-forwarded-for": "203.0.113.77", "user-agent": "Anna's laptop" },
    },
    body: JSON.stringify({ model: "svc-tts1", voice: "no-such-voice", input: "Hello." }),
  });
  expect(response.status).toBe(404);
  await until(async () => (await rows()).length > before);
  return (await rows())[0]!;
}

test("settings are changed one by one, and not beyond what the server allows", async () => {
  expect(await change({ request_log_days: 7, request_log_addresses: "none" })).toMatchObject({
    ...{ request_log_days: 7, request_log_addresses: "none", data_retention: "none", key_max_days: null },
  });
  expect(await change({ request_log_addresses: "full" })).toMatchObject({ request_log_days: 7 });
  expect(await change({ job_result_days: 0 })).toMatchObject({ request_log_days: 7, job_result_days: 0 });
  for (const body of [
    { request_log_days: 31 },
    { request_log_days: 0 },
    { key_max_days: 366 },
    { job_result_days: 31 },
    { job_result_days: -1 },
    { request_log_addresses: "some" },
    { data_retention: "some" },
  ])
    expect((await server.owner.ask(`PATCH ${path}`, body)).status).toBe(422);
  const admin = await server.person("Ada", { organizationId: server.organizationId, role: "admin" });
  expect((await admin.ask(`PATCH ${path}`, { request_log_days: 1 })).status).toBe(403);
  expect(await change({ request_log_days: null })).toMatchObject({ request_log_days: null });
});

describe("a row of a request", () => {
  test("has the address that its organization lets it have, and with zero retention nothing of a person", async () => {
    expect(await refusedRequest()).toMatchObject({ ip: "203.0.113.77", userAgent: "Anna's laptop" });
    await change({ request_log_addresses: "truncated" });
    server.clock.pass(1001);
    expect(await refusedRequest()).toMatchObject({ ip: "203.0.113.0", userAgent: "Anna's laptop" });
    await change({ request_log_addresses: "full", data_retention: "zero_data_retention" });
    server.clock.pass(1001);
    expect(await refusedRequest()).toMatchObject({
      ...{ ip: null, userAgent: null, errorMessage: null, errorCode: "invalid_voice" },
    });
    const project = (await server.parts.accounts.defaultProject(server.organizationId))!;
    await server.owner.get(`PATCH /api/projects/${project.id}`, { data_retention: "none" });
    server.clock.pass(1001);
    expect(await refusedRequest()).toMatchObject({ ip: "203.0.113.77" });
    await server.owner.get(`PATCH /api/projects/${project.id}`, { data_retention: null });
    await change({ data_retention: "none" });
  });

  test.each([
    ["203.0.113.77", "203.0.113.0"],
    ["::ffff:203.0.113.77", "203.0.113.0"],
    ["2001:db8:aa:bb:1:2:3:4", "2001:db8:aa::"],
    ["2001:db8::1", "2001:db8:0::"],
    ["::1", "0:0:0::"],
    ["fe80::1%eth0", "fe80:0:0::"],
  ])("of %s is truncated to %s", (address, network) => {
    const row = { ip: address, userAgent: "u", errorMessage: "m", endUser: "e", label: "l" };
    const truncating: Redaction = { addresses: "truncated", isZero: false, endUserKey: null };
    expect(redacted(row, truncating)).toEqual({ ...row, ip: network });
  });
});

test("stock clients choose what is kept of an organization and of a project", async () => {
  const project = (await server.parts.accounts.defaultProject(server.organizationId))!.id;
  for (const [, client] of await stockClients(server.url, server.adminKey)) {
    const { dataRetention, projects } = client.admin.organization;
    const zero = { retention_type: "zero_data_retention" } as const;
    expect(await dataRetention.update(zero)).toEqual({
      ...{ object: "organization.data_retention", type: "zero_data_retention" },
    });
    expect((await dataRetention.retrieve()).type).toBe("zero_data_retention");
    expect(await projects.dataRetention.update(project, { retention_type: "none" })).toEqual({
      ...{ object: "project.data_retention", type: "none" },
    });
    expect(
      (await projects.dataRetention.update(project, { retention_type: "organization_default" })).type,
    ).toBe("organization_default");
    expect((await projects.dataRetention.retrieve(project)).type).toBe("organization_default");
    const modified = { retention_type: "modified_abuse_monitoring" } as const;
    expect(await statusOf(dataRetention.update(modified))).toBe(422);
    await server.adminGet("POST /data_retention", { retention_type: "none" });
  }
  const theirs = (await server.parts.accounts.defaultProject(server.other.id))!.id;
  expect((await server.refused(`GET /projects/${theirs}/data_retention`)).status).toBe(404);
});

test("programs restrict keys and projects", async () => {
  const project = (await server.parts.accounts.defaultProject(server.organizationId))!.id;
  const restrictions = {
    budget: { limit_micros: 5_000_000, interval: "day" },
    limits: { concurrent_requests: 2 },
  };
  const whole = { ...restrictions, models: null, voices: null, addresses: null };
  const keys = `/projects/${project}/api_keys`;
  const key = await server.adminGet<{ id: string }>(`POST ${keys}`, { name: "ci", restrictions });
  expect(key).toMatchObject({ restrictions: whole });
  expect(await server.adminGet(`POST ${keys}/${key.id}`, { restrictions: {} })).toMatchObject({
    restrictions: null,
  });
  const restricted = await server.adminGet(`POST /projects/${project}`, {
    default_key_restrictions: restrictions,
  });
  expect(restricted).toMatchObject({ name: "Default", restrictions: null, default_key_restrictions: whole });
  expect(await server.adminGet(`POST ${keys}`, { name: "ci" })).toMatchObject({ restrictions: whole });
  expect(
    (await server.refused(`POST /projects/${project}`, { restrictions: { addresses: ["1.2.3.4"] } })).status,
  ).toBe(422);
  expect((await server.refused(`POST ${keys}/${key.id}`, { restrictions: { bugdet: 1 } })).status).toBe(422);
  await server.adminGet(`POST /projects/${project}`, { default_key_restrictions: {} });
});

describe("new keys", () => {
  test("end within the days of their server and their organization, and are not extended beyond", async () => {
    const { accounts } = server.parts;
    const projectId = (await accounts.defaultProject(server.organizationId))!.id;
    const create = (expiresAt: number | null) =>
      accounts.createKey({ projectId, name: "k", environment: "live", scopes: ["speech:create"], expiresAt });
    const now = () => Math.floor(server.clock.now() / 1000);
    const inDays = (days: number) => now() + days * 86_400;
    expect((await create(null)).expires_at).toBe(inDays(365));
    await change({ key_max_days: 10 });
    const key = await create(null);
    expect(key.expires_at).toBe(inDays(10));
    expect((await create(inDays(9))).expires_at).toBe(inDays(9));
    const beyond = { code: "validation_error", param: "expires_at" };
    await expect(create(inDays(11))).rejects.toMatchObject(beyond);
    for (const expiresAt of [null, inDays(11)])
      await expect(accounts.updateKey(key.id, { expiresAt })).rejects.toMatchObject(beyond);
    await accounts.updateKey(key.id, { name: "renamed" });
    const response = await server.owner.ask(`POST /api/projects/${projectId}/keys`, {
      ...{ name: "k", environment: "live", expires_at: inDays(11) },
    });
    expect(response.status).toBe(422);
    await change({ key_max_days: null });
  });
});

test("rows are deleted after the days of their organization, and the ledger still verifies", async () => {
  const { parts, clock, organizationId } = server;
  await change({ request_log_days: 3 });
  await server.parts.accounts.setRetention(server.other.id, { requestLogDays: null });
  const old = await refusedRequest();
  clock.pass(4 * DAY_MS);
  const recent = await refusedRequest();
  const auditEvents = openAuditReads(parts.database);
  await openOwnRetention(parts, { logDays: 30, auditEvents, clock, log: parts.log })[Symbol.asyncDispose]();
  const left = (await rows()).map(({ id }) => id);
  expect(left).toContain(recent.id);
  expect(left).not.toContain(old.id);
  expect(differencesOf(await parts.ledger.audit())).toEqual([]);
  expect((await parts.accounts.organization(organizationId))!.requestLogsFrom).toBeGreaterThan(old.createdAt);
});
