/**
 * Promise: a key and a project get no more than they may, of money and of rates, and what refuses them is said first: the key,
 * then the project, then the organization. Nothing of a refusal is charged.
 */
import { describe, expect, test } from "bun:test";
import type { NewRestrictions } from "../../../src/restrictions.ts";
import { errorOf } from "../../harness.ts";
import { until } from "../../until.ts";
import { COST, drain, freeHarness, good } from "./free.ts";

const free = freeHarness();
const { speak, spent, lastRequest } = free;
const accounts = () => free.harness.parts.accounts;
const DAY_MS = 86_400_000;

async function ownKey() {
  return (await accounts().listKeys()).find(({ name }) => name === "first")!;
}
/** Known a second later. */
async function restrictKey(restrictions: NewRestrictions | null, more = {}): Promise<void> {
  await accounts().updateKey((await ownKey()).id, { restrictions, ...more });
  free.harness.clock.pass(1001);
}
async function restrictProject(restrictions: NewRestrictions | null): Promise<void> {
  await accounts().updateProject((await ownKey()).project_id, { restrictions });
  free.harness.clock.pass(1001);
}
const times = (count: number) => ({ limit_micros: count * COST });
const refusal = async (fields: object = {}, init: RequestInit = {}) => {
  const { status, code, message } = await errorOf(await speak(fields, init));
  return { status, code, message };
};
const serve = async (count: number) => {
  for (let index = 0; index < count; index++) {
    const response = await speak();
    expect(response.status).toBe(200);
    await drain(response);
  }
};
const counted = async () => {
  const { query, tables } = free.harness.parts.database;
  const rows = await query.select().from(tables.budgetPeriod);
  return rows.map(({ micros }) => micros).sort((a, b) => a - b);
};

describe("a budget", () => {
  test("of a key admits requests until it is used, and says when it begins again", async () => {
    await restrictKey({ budget: { ...times(2), interval: "month" } });
    await serve(2);
    expect(await refusal()).toEqual({
      status: 402,
      code: "key_budget_reached",
      message:
        "This key has used its budget of this month, $0.000360. It begins again at 2026-02-01T00:00:00.000Z.",
    });
    await lastRequest(3);
    const rows = await free.harness.parts.ledger.requests(free.harness.organizationId, 3);
    const refused = rows.find(({ status }) => status === 402);
    expect(refused).toMatchObject({ errorCode: "key_budget_reached", costMicros: 0 });
    expect(await spent()).toBe(2 * COST);
    expect(await counted()).toEqual([2 * COST]);
  });

  test("of a project counts all of its keys, one of a key only its own", async () => {
    await restrictProject({ budget: { ...times(3), interval: "total" } });
    const { project_id: projectId } = await ownKey();
    const fields = {
      projectId,
      name: "b",
      environment: "live",
      scopes: ["speech:create"],
      expiresAt: null,
    } as const;
    const other = await accounts().createKey({
      ...fields,
      restrictions: { budget: { ...times(2), interval: "day" } },
    });
    const init = { headers: { authorization: `Bearer ${other.secret}` } };
    for (let index = 0; index < 2; index++) await drain(await speak({}, init));
    expect(await refusal({}, init)).toMatchObject({ code: "key_budget_reached" });
    await serve(1);
    expect(await refusal()).toMatchObject({
      status: 402,
      code: "project_budget_reached",
      message: "This project has used its budget, $0.000540. It begins again when it is reset.",
    });
    expect(await refusal({}, init)).toMatchObject({ code: "key_budget_reached" });
    expect(await spent()).toBe(3 * COST);
  });

  test.each([
    ["day", "2026-01-03T00:00:00Z"],
    ["week", "2026-01-05T00:00:00Z"],
    ["month", "2026-02-01T00:00:00Z"],
  ] as const)("of a %s begins again at %s", async (interval, again) => {
    await restrictKey({ budget: { ...times(1), interval } });
    await serve(1);
    free.harness.clock.pass(Date.parse(again) - free.harness.clock.now() - 1000);
    expect((await refusal()).code).toBe("key_budget_reached");
    free.harness.clock.pass(1000);
    await free.harness.parts.ledger.grant({
      ...{ id: "grant_more", organizationId: free.harness.organizationId, kind: "adjustment", topUpId: null },
      ...{ amountMicros: 1_000_000, createdAt: 0, expiresAt: null },
    });
    await serve(1);
    expect((await refusal()).code).toBe("key_budget_reached");
  });

  test("in total never begins again by itself, and does once it is reset", async () => {
    await restrictKey({ budget: { ...times(1), interval: "total" } });
    await serve(1);
    free.harness.clock.pass(20 * DAY_MS);
    expect((await refusal()).code).toBe("key_budget_reached");
    await restrictKey({ budget: { ...times(1), interval: "total" } }, { resetBudget: true });
    await serve(1);
    expect((await refusal()).code).toBe("key_budget_reached");
  });

  test("goes on where other restrictions change, and begins unused where it is changed itself", async () => {
    await restrictKey({ budget: { ...times(1), interval: "month" } });
    await serve(1);
    await restrictKey({ budget: { ...times(1), interval: "month" }, limits: { requests_per_minute: 19 } });
    expect((await refusal()).code).toBe("key_budget_reached");
    await restrictKey({ budget: { ...times(1), interval: "week" } });
    await serve(1);
  });

  test("of nothing admits nothing", async () => {
    await restrictKey({ budget: { limit_micros: 0, interval: "month" } });
    expect((await refusal()).code).toBe("key_budget_reached");
    expect(await spent()).toBe(0);
  });

  test("holds on the unmetered plan too, at list price", async () => {
    await accounts().setPlan(free.harness.organizationId, "unmetered");
    await restrictKey({ budget: { ...times(2), interval: "day" } });
    await serve(2);
    expect((await refusal()).code).toBe("key_budget_reached");
    expect(await spent()).toBe(0);
    expect(await counted()).toEqual([2 * COST]);
  });

  test("counts from anew for the key that replaces another", async () => {
    await restrictKey({ budget: { ...times(1), interval: "month" } });
    await serve(1);
    const rotated = await accounts().rotateKey((await ownKey()).id, 60);
    expect(rotated).toMatchObject({ restrictions: { budget: { ...times(1), interval: "month" } } });
    const init = { headers: { authorization: `Bearer ${rotated!.secret}` } };
    await drain(await speak({}, init));
    expect((await refusal({}, init)).code).toBe("key_budget_reached");
  });

  test("is passed by what is under way at most", async () => {
    await accounts().setLimits(free.harness.organizationId, { concurrentRequests: 4 });
    await restrictKey({ budget: { ...times(3), interval: "month" } });
    const all = await Promise.all(Array.from({ length: 12 }, () => speak()));
    await Promise.all(all.map(drain));
    const served = all.filter(({ status }) => status === 200).length;
    expect(served).toBeLessThanOrEqual(3 + 3);
    expect((await refusal()).status).toBeOneOf([402, 200]);
    expect(await counted()).toEqual([await spent()]);
  });

  test("is not needed by a key without one, in an organization that has budgets", async () => {
    await restrictKey({ limits: { requests_per_minute: 10 } });
    await serve(1);
    expect(await counted()).toEqual([]);
  });
});

describe("a limit", () => {
  const header = (response: Response, name: string) => response.headers.get(`x-ratelimit-${name}`);

  test("of a key refuses before that of its organization, which its requests count in too", async () => {
    await restrictKey({ limits: { requests_per_minute: 2 } });
    const first = await speak();
    expect([header(first, "limit-requests"), header(first, "remaining-requests")]).toEqual(["2", "1"]);
    await drain(first);
    await serve(1);
    expect(await refusal()).toEqual({
      status: 429,
      code: "rate_limit_exceeded",
      message:
        "This key may use 2 requests a minute. Try again in 30 seconds. Its limit is set under API keys in the dashboard.",
    });
    await restrictKey(null);
    const after = await speak();
    expect(header(after, "limit-requests")).toBe("20");
    expect(Number(header(after, "remaining-requests"))).toBeLessThan(19);
    await drain(after);
  });

  test("of a project counts the requests of all of its keys", async () => {
    await restrictProject({ limits: { requests_per_minute: 1 } });
    await serve(1);
    expect(await refusal()).toMatchObject({
      code: "rate_limit_exceeded",
      message: expect.stringMatching(/^This project may use 1 requests a minute\. /),
    });
  });

  test("of characters and seconds counts the work", async () => {
    await restrictKey({ limits: { tts_characters_per_minute: 20, stt_seconds_per_minute: 1 } });
    const first = await speak();
    expect(header(first, "remaining-characters")).toBe(String(20 - good.input.length));
    await drain(first);
    expect(await refusal()).toMatchObject({
      status: 429,
      message: expect.stringMatching(/^This key may use 20 characters of speech a minute\. /),
    });
    expect(await spent()).toBe(COST);
  });

  test("of concurrent requests refuses the next at once, and frees the slot at the end", async () => {
    await restrictKey({ limits: { concurrent_requests: 1 } });
    const long = { input: "It was a long story. ".repeat(60), response_format: "pcm", stream: true };
    const open = await speak(long);
    expect(await refusal()).toEqual({
      status: 429,
      code: "concurrency_limit_exceeded",
      message:
        "This key may have 1 requests at once. Wait for one to finish. Its limit is set under API keys in the dashboard.",
    });
    await drain(open);
    await until(async () => (await speak()).status === 200);
  });

  test("above that of the organization gives nothing more", async () => {
    await accounts().setLimits(free.harness.organizationId, { requestsPerMinute: 1 });
    await restrictKey({ limits: { requests_per_minute: 1000 } });
    const first = await speak();
    expect(header(first, "limit-requests")).toBe("1");
    await drain(first);
    expect((await refusal()).message).toMatch(/^Your organization may use 1 requests a minute\. /);
  });
});

test("/v1/me shows a key what restricts it, and what is used of it", async () => {
  const me = async () => ((await (await free.harness.ask("/v1/me")).json()) as { caps: object[] }).caps;
  expect(await me()).toEqual([]);
  await restrictKey({ budget: { ...times(9), interval: "month" } });
  await restrictProject({ budget: { ...times(7), interval: "total" }, limits: { concurrent_requests: 3 } });
  await serve(2);
  const used = { used_micros: 2 * COST };
  const names = { models: null, voices: null };
  const again = Date.UTC(2026, 1) / 1000;
  expect(await me()).toEqual([
    {
      of: "key",
      budget: { ...times(9), interval: "month", ...used, begins_again_at: again },
      limits: null,
      ...names,
    },
    {
      of: "project",
      budget: { ...times(7), interval: "total", ...used, begins_again_at: null },
      limits: { concurrent_requests: 3 },
      ...names,
    },
  ]);
});

test("what refuses a request is said in order, and costs nothing", async () => {
  const { organizationId, parts } = free.harness;
  const { project_id: projectId } = await ownKey();
  const fields = { projectId, name: "narrow", environment: "live", expiresAt: null } as const;
  const narrow = await accounts().createKey({
    ...{ ...fields, scopes: ["catalog:read"] },
    restrictions: { budget: { limit_micros: 0, interval: "day" }, limits: { requests_per_minute: 1 } },
  });
  const init = { headers: { authorization: `Bearer ${narrow.secret}` } };
  await restrictKey({ budget: { limit_micros: 0, interval: "day" }, limits: { requests_per_minute: 2 } });
  await restrictProject({ budget: { limit_micros: 0, interval: "day" }, limits: { requests_per_minute: 3 } });
  await parts.ledger.setMonthlyLimit(organizationId, 0);
  const codes = [(await refusal({}, { headers: { authorization: "Bearer sk_live_x" } })).code];
  codes.push((await refusal({}, init)).code);
  codes.push((await refusal()).code, (await refusal()).code);
  const limited = await refusal();
  codes.push(limited.code);
  expect(limited.message).toMatch(/^This key /);
  await restrictKey(null);
  codes.push((await refusal()).code);
  const ofProject = await refusal();
  codes.push(ofProject.code);
  expect(ofProject.message).toMatch(/^This project /);
  await restrictProject(null);
  codes.push((await refusal()).code);
  expect(codes).toEqual([
    "invalid_api_key",
    "insufficient_scope",
    ...["key_budget_reached", "key_budget_reached", "rate_limit_exceeded"],
    ...["project_budget_reached", "rate_limit_exceeded"],
    "spending_limit_reached",
  ]);
  expect(await spent()).toBe(0);
  expect(await counted()).toEqual([]);
});
