/** Promise: an operator sees and changes what the server holds; every other user is refused. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { version } from "../../../package.json";
import { operatorRoutes } from "../../../src/api/management/schema/operator-routes.ts";
import type { ReplyOf } from "../../../src/api/management/schema/route.ts";
import type { statusRoutes } from "../../../src/api/management/schema/status-routes.ts";
import { errorOf } from "../../harness.ts";
import { until } from "../../until.ts";
import { type Fixture, openFixture, type Person } from "./server-fixture.ts";

type Routes = typeof operatorRoutes & typeof statusRoutes;
type Tenants = ReplyOf<Routes["GET /api/operator/organizations"]>;
type Tenant = Tenants["data"][number];
type Activity = ReplyOf<Routes["GET /api/operator/activity"]>;
type Machines = ReplyOf<Routes["GET /api/operator/machines"]>;
type Status = ReplyOf<Routes["GET /api/operator/status"]>;

let fixture: Fixture;
let operator: Person;

beforeAll(async () => {
  fixture = await openFixture({ environment: { LOQUAT_THREADS: "1" } });
  operator = await fixture.operator("operator");
});
afterAll(() => fixture[Symbol.asyncDispose]());

describe("a user who is not an operator", () => {
  const filled = Object.keys(operatorRoutes).map((route) => route.replace(/:\w+/g, "whatever"));
  test.each(filled)("is refused by %s", async (route) => {
    const [method, path] = route.split(" ") as [string, string];
    expect(await errorOf(await fetch(fixture.url + path, { method }))).toMatchObject({
      status: 401,
      code: "not_signed_in",
    });
    const owner = await fixture.person(`owner of ${route}`.replace(/\W/g, "-"), {
      organizationId: fixture.organizationId,
      role: "owner",
    });
    expect(await errorOf(await owner.ask(route, method === "GET" ? undefined : {}))).toMatchObject({
      status: 403,
      code: "operator_required",
    });
  });
});

describe("the operator's organizations page", () => {
  const tenants = async () => (await operator.get<Tenants>("GET /api/operator/organizations")).data;
  const open = async (name: string) => (await fixture.parts.accounts.createOrganization(name)).id;

  test("lists every organization with its members, credit and spending", async () => {
    const organizationId = await open("Seen");
    await fixture.person("first", { organizationId, role: "owner" });
    await fixture.person("second", { organizationId, role: "member" });
    await fixture.request({ organizationId, charged: 250 });
    expect((await tenants()).find(({ id }) => id === organizationId)).toEqual({
      id: organizationId,
      object: "organization",
      name: "Seen",
      ...{ plan: "prepaid", tier: "free", status: "active", is_first: false },
      created_at: expect.any(Number),
      members: 2,
      balance_micros: 0,
      overdraft_micros: 250,
      month_to_date_micros: 250,
      month_usage_micros: 250,
      monthly_spending_limit_micros: 100_000_000,
      ...{ price_factor: 1, price_factor_from: null, next_price_factor: null },
      limit_overrides: null,
      default_limits: {
        ...{ requests_per_minute: 20, concurrent_requests: 2 },
        ...{ tts_characters_per_minute: 25_000, stt_seconds_per_minute: 1800 },
        ...{ waiting_jobs: 5, running_jobs: 1, job_seconds: 43_200, stored_bytes: 2_000_000_000 },
      },
      delete_at: null,
    });
  });

  test("gives an organization its own limits, and restores those of its tier", async () => {
    const route = `PATCH /api/operator/organizations/${await open("Limited")}`;
    const limits = { requests_per_minute: 500, stt_seconds_per_minute: 0 };
    const set = { limit_overrides: limits, monthly_spending_limit_micros: 2_500_000 };
    expect(await operator.get<Tenant>(route, set)).toMatchObject(set);
    expect(await operator.get<Tenant>(route, { monthly_spending_limit_micros: null })).toMatchObject({
      limit_overrides: limits,
      monthly_spending_limit_micros: null,
    });
    for (const none of [null, {}])
      expect(await operator.get<Tenant>(route, { limit_overrides: none })).toMatchObject({
        limit_overrides: null,
      });
  });

  test("gives credit that never expires, or expires after some days", async () => {
    const id = await open("Gifted");
    const route = `POST /api/operator/organizations/${id}/credit`;
    const credit = await operator.ask(route, { amount_micros: 3_000_000 });
    expect([credit.status, await credit.json()]).toMatchObject([201, { id, balance_micros: 3_000_000 }]);
    expect(await operator.get<Tenant>(route, { amount_micros: 1, days: 2 })).toMatchObject({
      balance_micros: 3_000_001,
    });
    const grants = await fixture.parts.ledger.grants(id);
    expect(grants.map((grant) => [grant.kind, grant.amountMicros, grant.expiresAt]).sort()).toEqual([
      ["adjustment", 1, grants.find(({ amountMicros }) => amountMicros === 1)!.createdAt + 172_800],
      ["adjustment", 3_000_000, null],
    ]);
  });

  test("takes back what was granted by mistake, with a reason that its members read", async () => {
    const id = await open("Corrected");
    await operator.ask(`POST /api/operator/organizations/${id}/credit`, {
      amount_micros: 3_000_000,
      reason: "Welcome",
    });
    const [grant] = await fixture.parts.ledger.grants(id);
    const route = `POST /api/operator/organizations/${id}/credit/${grant!.id}/revoke`;
    const wrong = { amount_micros: 1_000_000, reason: "Granted twice", idempotency_key: "once" };
    for (const turn of ["first", "again"])
      expect([turn, await operator.get<Tenant>(route, wrong)]).toMatchObject([
        turn,
        { balance_micros: 2_000_000 },
      ]);
    const detail = await operator.get<{ grants: object[] }>(`GET /api/operator/organizations/${id}`);
    expect(detail.grants).toMatchObject([
      {
        reason: "Welcome",
        remaining_micros: 2_000_000,
        reversals: [{ kind: "correction", amount_micros: 1_000_000, reason: "Granted twice" }],
      },
    ]);
    expect(await errorOf(await operator.ask(route, { ...wrong, amount_micros: 5 }))).toMatchObject({
      status: 409,
      code: "idempotency_key_reused",
    });
    expect(
      await errorOf(await operator.ask(route, { amount_micros: 2_000_001, reason: "More" })),
    ).toMatchObject({
      status: 422,
      param: "amount_micros",
      message: expect.stringContaining("at most 2000000"),
    });
    expect(await operator.get<Tenant>(route, { reason: "The rest" })).toMatchObject({ balance_micros: 0 });
    expect(await errorOf(await operator.ask(route, { reason: "Nothing is left" }))).toMatchObject({
      status: 422,
    });
    expect(await errorOf(await operator.ask(route, { amount_micros: 1 }))).toMatchObject({ param: "reason" });
    const other = route.replace(grant!.id, "grant_unknown");
    expect(await errorOf(await operator.ask(other, { reason: "Wrong" }))).toMatchObject({ status: 404 });
  });

  const bad: [what: string, route: string, body: object, field: string][] = [
    [
      "a negative limit",
      "PATCH ",
      { limit_overrides: { requests_per_minute: -1 } },
      "limit_overrides.requests_per_minute",
    ],
    [
      "more jobs at once than can run",
      "PATCH ",
      { limit_overrides: { running_jobs: 9 } },
      "limit_overrides.running_jobs",
    ],
    [
      "a limit over the maximum",
      "PATCH ",
      { limit_overrides: { concurrent_requests: 1e300 } },
      "limit_overrides.concurrent_requests",
    ],
    [
      "a negative monthly limit",
      "PATCH ",
      { monthly_spending_limit_micros: -1 },
      "monthly_spending_limit_micros",
    ],
    ["zero credit", "POST /credit", { amount_micros: 0 }, "amount_micros"],
    [
      "an empty idempotency key",
      "POST /credit",
      { amount_micros: 1, idempotency_key: "" },
      "idempotency_key",
    ],
    ["credit for zero days", "POST /credit", { amount_micros: 1, days: 0 }, "days"],
  ];
  test.each(bad)("refuses %s, and changes nothing", async (_what, route, body, param) => {
    const before = await tenants();
    const [method, rest] = route.split(" ");
    const refused = await operator.ask(
      `${method} /api/operator/organizations/${fixture.organizationId}${rest}`,
      body,
    );
    expect(await errorOf(refused)).toMatchObject({ status: 422, param });
    expect(await tenants()).toEqual(before);
  });

  test("says which organization is the first, which cannot be suspended", async () => {
    const first = await operator.get<Tenant>(`GET /api/operator/organizations/${fixture.organizationId}`);
    expect(first.is_first).toBe(true);
    const route = `PATCH /api/operator/organizations/${fixture.organizationId}`;
    expect(await errorOf(await operator.ask(route, { status: "suspended" }))).toMatchObject({
      code: "first_organization",
    });
  });

  test("answers 404 for an unknown organization", async () => {
    const path = "/api/operator/organizations/org_nobody";
    for (const asked of [
      operator.ask(`GET ${path}`),
      operator.ask(`PATCH ${path}`, { monthly_spending_limit_micros: 1 }),
      operator.ask(`POST ${path}/credit`, { amount_micros: 1 }),
      operator.ask(`POST ${path}/credit/grant_1/revoke`, { reason: "Wrong" }),
    ])
      expect(await errorOf(await asked)).toMatchObject({ status: 404, code: "not_found" });
  });
});

describe("the operator's status page", () => {
  const status = () => operator.get<Status>("GET /api/operator/status");

  test("shows the version, the settings and the machine", async () => {
    const report = await status();
    expect(report).toMatchObject({
      object: "status",
      version,
      runtime: `Bun ${Bun.version}`,
      database: "sqlite",
      limits: "memory",
      counters: { loquat_requests_total: expect.any(Number) },
    });
    expect(report.memory_bytes).toBeGreaterThan(1e7);
    expect(report.models).toContainEqual({ id: "svc-tts1", version: expect.stringMatching(/^\d{4}-/) });
  });

  test("counts requests", async () => {
    const before = (await status()).counters.loquat_requests_total!;
    await (await fixture.ask("/v1/audio/speech", { method: "POST", body: "{}" })).arrayBuffer();
    expect((await status()).counters.loquat_requests_total).toBe(before + 1);
  });

  test("counts what was served in the last minutes", async () => {
    const now = async () => (await operator.get<Activity>("GET /api/operator/activity")).data;
    const sum = (all: Activity["data"]) => all.reduce((total, { refused }) => total + refused, 0);
    const before = sum(await now());
    const body = JSON.stringify({ model: "nothing", voice: "nobody", input: "Hello." });
    expect((await fixture.ask("/v1/audio/speech", { method: "POST", body })).status).toBe(400);
    expect(sum(await now())).toBe(before + 1);
    expect(await now()).toHaveLength(60);
  });

  test("shows the machine of the node and the minutes in which it was seen", async () => {
    await fixture.parts.machines.look();
    const { data } = await operator.get<Machines>("GET /api/operator/machines");
    expect(data).toEqual([expect.objectContaining({ running: 0, waiting: 0 })]);
    const { now, minutes } = data[0]!;
    expect(now!.cpu).toBeWithin(0, 1.001);
    expect(now!.memory_used_bytes).toBeWithin(1, now!.memory_total_bytes);
    expect(now!.process_memory_bytes).toBeGreaterThan(0);
    expect(minutes).toHaveLength(60);
    expect(minutes.at(-1)!.memory_used_bytes).toBeGreaterThan(0);
    expect(minutes[0]).toMatchObject({ cpu: null, memory_used_bytes: null, gpu_use: null, running: null });
  });

  test("shows recent errors of all organizations, and the grants that paid for them", async () => {
    const failed = await fixture.request({ status: 502, errorCode: "inference_unavailable", charged: 7 });
    await fixture.request({ status: 400, errorCode: "invalid_model" });
    await until(async () => (await status()).errors.length > 0);
    expect((await status()).errors).toEqual([
      expect.objectContaining({
        ...{ id: failed.id, status: 502, error_type: "api_error", cost_micros: 7 },
        organization_name: (await fixture.parts.accounts.organization(failed.organizationId))!.name,
      }),
    ]);
  });

  test("shows an idle engine, then its running and waiting tasks", async () => {
    const flite = async () => (await status()).engines.find(({ name }) => name === "flite");
    expect(await flite()).toEqual({ name: "flite", running: 0, waiting: 0, loaded: false });
    const input = "A rather long sentence, said to keep the engine busy for a while. ".repeat(20);
    const body = JSON.stringify({ model: "svc-tts1", voice: "male-classic", input, response_format: "pcm" });
    const spoken = Array.from({ length: 3 }, async () =>
      (await fixture.ask("/v1/audio/speech", { method: "POST", body })).arrayBuffer(),
    );
    await until(async () => {
      const seen = await flite();
      return seen!.loaded && seen!.running === 1 && seen!.waiting > 0;
    });
    await Promise.all(spoken);
    expect(await flite()).toEqual({ name: "flite", running: 0, waiting: 0, loaded: true });
  });

  test("unloads no engine that had a task in the last minute, or that is not loaded", async () => {
    const unload = (engine: string) =>
      operator.get<{ unloaded: boolean }>("POST /api/operator/unload", { engine });
    for (const engine of ["nothing", "flite"])
      expect(await unload(engine)).toMatchObject({ unloaded: false });
    expect((await status()).engines).toContainEqual({ name: "flite", running: 0, waiting: 0, loaded: true });
  });
});
