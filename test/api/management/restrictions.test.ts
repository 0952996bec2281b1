/**
 * Promise: owners and admins restrict keys and projects, members do not lift what restricts them, and restrictions that nothing
 * would read are refused with the field's name.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { newId } from "../../../src/ids.ts";
import { errorOf } from "../../harness.ts";
import { type Fixture, openFixture, type Person } from "./server-fixture.ts";

type Restricted = {
  id: string;
  restrictions: unknown;
  budget_period: { used_micros: number; state: string } | null;
  default_key_restrictions?: unknown;
};

let fixture: Fixture;
let owner: Person;
let admin: Person;
let member: Person;
let project: string;
beforeAll(async () => {
  fixture = await openFixture();
  const { organizationId } = fixture;
  project = (await fixture.parts.accounts.defaultProject(organizationId))!.id;
  owner = await fixture.person("owner", { organizationId, role: "owner" });
  admin = await fixture.person("admin", { organizationId, role: "admin" });
  member = await fixture.person("member", { organizationId, role: "member" });
});
afterAll(() => fixture[Symbol.asyncDispose]());

const MONTHLY = { limit_micros: 20_000_000, interval: "month" };
const ALL = {
  budget: MONTHLY,
  limits: {
    requests_per_minute: 60,
    concurrent_requests: 2,
    tts_characters_per_minute: 20_000,
    stt_seconds_per_minute: 600,
  },
  models: { mode: "allow_list", ids: ["svc-tts1", "not-yet-installed"] },
  voices: { mode: "deny_list", ids: ["male-classic"] },
  addresses: ["203.0.113.0/24", "2001:db8::1"],
};
const NONE = { budget: null, limits: null, models: null, voices: null, addresses: null };
const make = (who: Person, more: object = {}) =>
  who.get<Restricted>(`POST /api/projects/${project}/keys`, { name: "ci", environment: "test", ...more });
const sinceOf = async (id: string) => {
  const { query, tables } = fixture.parts.database;
  const rows = await query.select().from(tables.apiKey);
  return rows.find((row) => row.id === id)!.restrictions?.budget?.since;
};

describe("restrictions of a key", () => {
  test("are set with it, changed and removed", async () => {
    const key = await make(admin, { restrictions: ALL });
    expect(key.restrictions).toEqual(ALL);
    const path = `/api/keys/${key.id}`;
    expect((await owner.get<Restricted>(`GET ${path}`)).restrictions).toEqual(ALL);
    const less = { ...NONE, budget: MONTHLY };
    expect((await owner.get<Restricted>(`PATCH ${path}`, { restrictions: less })).restrictions).toEqual(less);
    expect((await owner.get<Restricted>(`PATCH ${path}`, { name: "new" })).restrictions).toEqual(less);
    expect((await owner.get<Restricted>(`PATCH ${path}`, { restrictions: null })).restrictions).toBeNull();
  });

  test("stay with the key that replaces it", async () => {
    const key = await make(admin, { restrictions: ALL });
    const rotated = await admin.get<Restricted>(`POST /api/keys/${key.id}/rotate`, {});
    expect(rotated.restrictions).toEqual(ALL);
  });

  test("begin a budget again where it is reset", async () => {
    const { id } = await make(admin, { restrictions: { budget: MONTHLY } });
    const before = (await sinceOf(id))!;
    fixture.clock.pass(1000);
    await admin.get(`PATCH /api/keys/${id}`, { restrictions: { budget: MONTHLY } });
    expect(await sinceOf(id)).toBe(before);
    await admin.get(`PATCH /api/keys/${id}`, { reset_budget: true });
    expect(await sinceOf(id)).toBeGreaterThan(before);
  });

  test("of a member are not lifted by the member", async () => {
    const key = await make(member);
    for (const body of [{ restrictions: null }, { restrictions: ALL }, { reset_budget: true }])
      expect((await errorOf(await member.ask(`PATCH /api/keys/${key.id}`, body))).code).toBe(
        "insufficient_role",
      );
    const made = { name: "x", environment: "test", restrictions: null };
    expect((await errorOf(await member.ask(`POST /api/projects/${project}/keys`, made))).code).toBe(
      "insufficient_role",
    );
    expect(
      (await member.get<Restricted>(`PATCH /api/keys/${key.id}`, { name: "mine" })).restrictions,
    ).toBeNull();
  });

  test("are told by the audit log", async () => {
    const { id } = await make(admin);
    await admin.get(`PATCH /api/keys/${id}`, { restrictions: { budget: MONTHLY } });
    const { query, tables } = fixture.parts.database;
    const rows = (await query.select().from(tables.auditEvent)).filter(({ resourceId }) => resourceId === id);
    const changed = rows.find(({ type }) => type === "api_key.updated")!;
    expect(JSON.parse(changed.changes)).toEqual([
      { field: "restrictions", before: null, after: { budget: { ...MONTHLY, since: expect.any(Number) } } },
    ]);
  });
});

describe("restrictions of a project", () => {
  test("are set, and those of its new keys with them", async () => {
    const path = `/api/projects/${project}`;
    const changed = await admin.get<Restricted>(`PATCH ${path}`, {
      restrictions: { budget: MONTHLY },
      default_key_restrictions: ALL,
    });
    expect(changed).toMatchObject({
      restrictions: { ...NONE, budget: MONTHLY },
      default_key_restrictions: ALL,
    });
    expect((await make(member)).restrictions).toEqual(ALL);
    expect((await make(admin, { restrictions: null })).restrictions).toBeNull();
    const playground = await member.get<Restricted>(`POST /api/projects/${project}/playground-key`);
    expect(playground.restrictions).toEqual(ALL);
    await admin.get(`PATCH ${path}`, { restrictions: null, default_key_restrictions: null });
    expect((await make(member)).restrictions).toBeNull();
  });

  test("have no addresses, which are a key's", async () => {
    const restrictions = { addresses: ["203.0.113.7"] };
    const refused = await admin.ask(`PATCH /api/projects/${project}`, { restrictions });
    const { error } = (await refused.json()) as { error: { param: string } };
    expect(error.param).toBe("restrictions.addresses");
  });

  test("are not a member's to change", async () => {
    const refused = await member.ask(`PATCH /api/projects/${project}`, { restrictions: null });
    expect((await errorOf(refused)).code).toBe("insufficient_role");
  });
});

describe("what is used of a budget", () => {
  const MONTH = 31 * 86_400; // reaches the next month from any day
  const startsOf = (now: number) => {
    const date = new Date(now * 1000);
    const month = (more: number) => Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + more) / 1000;
    return { this: month(0), next: month(1) };
  };
  const now = () => Math.floor(fixture.clock.now() / 1000);
  const listed = async (what: "keys" | "projects") => {
    const { data } = await member.get<{ data: Restricted[] }>(
      `GET /api/organizations/${fixture.organizationId}/${what}`,
    );
    return new Map(data.map(({ id, budget_period }) => [id, budget_period]));
  };
  /** A charge as a request with the key makes it. */
  const spend = async (keyId: string, costMicros: number, started: number) => {
    const id = newId("req", fixture.clock);
    await fixture.parts.ledger.charge({
      ...{ id: `${id}.0`, requestId: id, organizationId: fixture.organizationId, projectId: project, keyId },
      ...{ environment: "test", plan: "prepaid", endpoint: "/v1/audio/speech", model: "svc-tts1" },
      ...{ unit: "character", quantity: costMicros, priceMicros: 1_000_000, costMicros, createdAt: now() },
      budgets: [
        [keyId, started],
        [project, started],
      ],
    });
  };

  test("is in the records of keys and projects, and in their lists", async () => {
    const key = await make(admin, { restrictions: { budget: MONTHLY } });
    const other = await make(admin);
    await admin.get(`PATCH /api/projects/${project}`, {
      restrictions: { budget: { limit_micros: 20_000_000, interval: "total" } },
    });
    const started = now();
    expect(key.budget_period).toEqual({
      ...{ began_at: started, begins_again_at: startsOf(started).next },
      ...{ used_micros: 0, state: "within" },
    } as never);
    expect(other.budget_period).toBeNull();
    await spend(key.id, 15_999_999, started);
    const keys = await listed("keys");
    expect(keys.get(key.id)).toMatchObject({ used_micros: 15_999_999, state: "within" });
    expect(keys.get(other.id)).toBeNull();
    expect((await listed("projects")).get(project)).toEqual({
      ...{ began_at: started, begins_again_at: null, used_micros: 15_999_999, state: "within" },
    } as never);
    await spend(key.id, 1, started);
    const one = await member.get<Restricted>(`GET /api/keys/${key.id}`);
    expect(one.budget_period).toMatchObject({ used_micros: 16_000_000, state: "near" });
    await spend(key.id, 4_000_000, started);
    expect((await listed("keys")).get(key.id)).toMatchObject({ used_micros: 20_000_000, state: "reached" });
    const shown = await member.get<Restricted>(`GET /api/projects/${project}`);
    expect(shown.budget_period).toMatchObject({ used_micros: 20_000_000, state: "reached" });

    fixture.clock.pass(MONTH * 1000);
    expect((await listed("keys")).get(key.id)).toEqual({
      ...{ began_at: startsOf(now()).this, begins_again_at: startsOf(now()).next },
      ...{ used_micros: 0, state: "within" },
    } as never);
    const again = await admin.get<Restricted>(`PATCH /api/projects/${project}`, { reset_budget: true });
    expect(again.budget_period).toMatchObject({ used_micros: 0, state: "within" });
    await admin.get(`PATCH /api/projects/${project}`, { restrictions: null });
  });
});

describe("restrictions that would restrict nothing are refused:", () => {
  test.each([
    [{ budgets: MONTHLY }, "restrictions.budgets"],
    [{ budget: { ...MONTHLY, limit_micros: -1 } }, "restrictions.budget.limit_micros"],
    [{ budget: { ...MONTHLY, limit_micros: 0.5 } }, "restrictions.budget.limit_micros"],
    [{ budget: { ...MONTHLY, limit_micros: 1e16 } }, "restrictions.budget.limit_micros"],
    [{ budget: { limit_micros: 1 } }, "restrictions.budget.interval"],
    [{ budget: { ...MONTHLY, interval: "year" } }, "restrictions.budget.interval"],
    [{ budget: { ...MONTHLY, since: 0 } }, "restrictions.budget.since"],
    [{ limits: { requests_per_minute: 0 } }, "restrictions.limits.requests_per_minute"],
    [{ limits: { requests_per_minute: -5 } }, "restrictions.limits.requests_per_minute"],
    [{ limits: { requests_per_second: 5 } }, "restrictions.limits.requests_per_second"],
    [{ limits: { concurrent_requests: "2" } }, "restrictions.limits.concurrent_requests"],
    [{ models: ["svc-tts1"] }, "restrictions.models"],
    [{ models: { mode: "some", ids: [] } }, "restrictions.models.mode"],
    [{ voices: { mode: "allow_list", ids: [""] } }, "restrictions.voices.ids.0"],
    [{ addresses: ["203.0.113.7", "203.0.113.0/33"] }, "restrictions.addresses.1"],
    [{ addresses: ["example.com"] }, "restrictions.addresses.0"],
    [{ addresses: [""] }, "restrictions.addresses.0"],
    [{ addresses: Array(51).fill("203.0.113.7") }, "restrictions.addresses"],
    [[], "restrictions"],
    ["none", "restrictions"],
  ])("%j", async (restrictions, field) => {
    const key = await make(admin);
    const refused = await admin.ask(`PATCH /api/keys/${key.id}`, { restrictions });
    expect(refused.status).toBe(422);
    const { error } = (await refused.json()) as { error: { message: string; details: { field: string }[] } };
    expect(error.details.map((detail) => detail.field)).toContain(field);
    expect(error.message).toMatch(
      / (is not a known field|is required|is empty|must be|has|must have|must not) ?.*\.$/,
    );
    expect((await admin.get<Restricted>(`GET /api/keys/${key.id}`)).restrictions).toBeNull();
  });
});
