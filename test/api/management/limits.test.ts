/** Promise: the gauges show what a request would find, and reading them consumes nothing. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { ReplyOf } from "../../../src/api/management/schema/route.ts";
import type { usageRoutes } from "../../../src/api/management/schema/usage-routes.ts";
import { until } from "../../until.ts";
import { type Fixture, openFixture, type Person } from "./server-fixture.ts";
import { storedJob } from "./tenancy-jobs.ts";

type Gauges = ReplyOf<(typeof usageRoutes)["GET /api/organizations/:organization/limits"]>;
type Day = ReplyOf<(typeof usageRoutes)["GET /api/organizations/:organization/limits/day"]>;
type Requests = ReplyOf<(typeof usageRoutes)["GET /api/organizations/:organization/requests"]>;

let fixture: Fixture;
let member: Person;
beforeAll(async () => {
  fixture = await openFixture({ free: true });
  member = await fixture.person("member", { organizationId: fixture.organizationId, role: "member" });
});
afterAll(() => fixture[Symbol.asyncDispose]());

const path = (what: string) => `GET /api/organizations/${fixture.organizationId}/${what}`;
const gauges = () => member.get<Gauges>(path("limits"));
const full = (limit: number) => ({ limit, remaining: limit, reset_seconds: 0 });

describe("the limits page", () => {
  test("shows full limits before the first request", async () => {
    const untouched = {
      object: "limits",
      plan: "prepaid",
      tier: "free",
      requests: full(20),
      characters: full(25_000),
      seconds: full(1800),
      concurrency: full(2),
      spending: { limit_micros: 100_000_000, month_to_date_micros: 0 },
    };
    expect(await gauges()).toEqual(untouched as never);
    expect(await gauges()).toEqual(untouched as never);
  });

  test("shows the last 24 hours by quarter of an hour: the most that was used of each limit, and what it refused", async () => {
    const { id: organizationId } = await fixture.parts.accounts.createOrganization("Close");
    const reader = await fixture.person("reader", { organizationId, role: "member" });
    const day = () => reader.get<Day>(`GET /api/organizations/${organizationId}/limits/day`);
    const nothing = { requests: 0, characters: 0, seconds: 0, concurrency: 0, refused: 0 };
    const empty = await day();
    const now = Math.floor(fixture.clock.now() / 1000);
    expect(empty.data).toHaveLength(96);
    expect(empty.data.at(-1)).toEqual({ start: now - (now % 900), end: now - (now % 900) + 900, ...nothing });
    const spoken = { organizationId, characters: 40, durationMs: 60_000 };
    for (const fields of [spoken, spoken, { organizationId, status: 429, errorCode: "rate_limit_exceeded" }])
      await fixture.request(fields);
    expect((await day()).data.at(-1)).toMatchObject({ characters: 80, concurrency: 2, refused: 1 });
  });

  test("shows jobs that wait and run, without those of batches, and what is stored", async () => {
    const background = () => member.get(path("limits/background"));
    const untouched = {
      object: "background_limits",
      waiting_jobs: { limit: 5, used: 0 },
      running_jobs: { limit: 1, used: 0 },
      stored_bytes: { limit: 2_000_000_000, used: 0 },
      job_seconds_max: 43_200,
    };
    expect(await background()).toEqual(untouched);
    const { organizationId, parts } = fixture;
    const { id: projectId } = (await parts.accounts.defaultProject(organizationId))!;
    const owner = { organizationId, projectId, keyId: "key_x", completedAt: null, expiresAt: null };
    const queued = { ...owner, status: "queued", startedAt: null } as const;
    for (const row of [queued, queued, { ...queued, batchId: "batch_x" }]) await storedJob(fixture, row);
    await storedJob(fixture, { ...owner, status: "in_progress", batchId: "batch_x" });
    await storedJob(fixture, { organizationId, projectId, keyId: "key_x" }); // completed
    const limits = { plan: "prepaid", limitOverrides: null } as const;
    await using incoming = await parts.files.receive({ organizationId, projectId, ...limits }, 0);
    await incoming.write(new Uint8Array(1000));
    await incoming.finish({ purpose: "user_data", filename: "some", keptSeconds: null });
    expect(await background()).toMatchObject({
      waiting_jobs: { limit: 5, used: 2 },
      running_jobs: { limit: 1, used: 1 },
      stored_bytes: { used: 1000 },
    });
  });

  test("shows limits reduced by a request, and its cost in the month and the log", async () => {
    const input = "The gauges fall.";
    const body = JSON.stringify({ model: "svc-tts1", voice: "female-warm", input, response_format: "pcm" });
    const headers = { "content-type": "application/json" };
    const spoken = await fixture.ask("/v1/audio/speech", { method: "POST", body, headers });
    expect(spoken.status).toBe(200);
    await spoken.arrayBuffer();
    const { requests, characters, seconds, spending } = await gauges();
    expect(requests).toEqual({ limit: 20, remaining: 19, reset_seconds: 3 });
    expect(characters.remaining).toBe(25_000 - input.length);
    expect(seconds).toEqual(full(1800));
    const logged = async () => (await member.get<Requests>(path("requests"))).data;
    await until(async () => (await logged()).length !== 0);
    const [row] = await logged();
    expect(row).toMatchObject({
      id: spoken.headers.get("x-request-id")!,
      characters: input.length,
      status: 200,
    });
    expect(row!.paid_by.reduce((sum, { amount_micros }) => sum + amount_micros, 0)).toBe(row!.cost_micros);
    expect(spending.month_to_date_micros).toBe(row!.cost_micros);
    fixture.clock.pass(3000);
    expect((await gauges()).requests).toEqual(full(20));
  });

  test("counts the requests in flight", async () => {
    const { limits } = fixture.parts;
    const { organizationId, clock } = fixture;
    await limits.decide({ organizationId, now: clock.now(), take: [], slot: { id: "a", max: 2 } });
    expect((await gauges()).concurrency).toMatchObject({ limit: 2, remaining: 1 });
    await limits.release(organizationId, "a");
    expect((await gauges()).concurrency).toEqual(full(2));
  });

  test("shows an organization's own limits instead of those of its tier", async () => {
    await fixture.parts.accounts.setLimits(fixture.organizationId, {
      concurrentRequests: 7,
      ttsCharactersPerMinute: 9,
    });
    const { concurrency, characters, requests } = await gauges();
    expect([concurrency.limit, characters.limit, characters.remaining, requests.limit]).toEqual([
      7, 9, 9, 20,
    ]);
  });
});
