/**
 * Promise: an unmetered organization needs no credit and is recorded like any other; a prepaid one is refused once its
 * credit is gone, and told how to get some on this server.
 */
import { afterEach, describe, expect, test } from "bun:test";
import type { Principal } from "../../../src/accounts/principal.ts";
import { differencesOf } from "../../../src/ledger/verify.ts";
import { machineLimits, type Plan } from "../../../src/plans.ts";
import { movePlan } from "../../../src/usage/move-plan.ts";
import { errorOf, type Harness, openHarness } from "../../harness.ts";
import { until } from "../../until.ts";
import { COST, drain, good } from "./free.ts";

const MONTH_MS = 31 * 86_400_000;
const STRIPE = { STRIPE_SECRET_KEY: "sk_test", STRIPE_WEBHOOK_SECRET: "whsec_test" };
const PRICE = { model: "svc-tts1", priceMicros: 15_000_000 };

let harness: Harness;
afterEach(async () => {
  expect(differencesOf(await harness.parts.ledger.audit())).toEqual([]);
  await harness[Symbol.asyncDispose]();
});

async function open(plan: Plan, environment: Record<string, string> = {}): Promise<void> {
  harness = await openHarness({ plan, free: true, environment: { LOQUAT_THREADS: "2", ...environment } });
}
const speak = () => harness.ask("/v1/audio/speech", { method: "POST", body: JSON.stringify(good) });
const credit = () => harness.parts.ledger.credit(harness.organizationId);
const move = (plan: Plan) => movePlan(harness.parts, harness.organizationId, plan);
const logged = (count: number) =>
  until(async () => {
    const rows = await harness.parts.ledger.requests(harness.organizationId, 100);
    return rows.length >= count && rows;
  });

describe("an unmetered organization", () => {
  test("speaks 26 sentences in a row, and 31 days later, with nothing deducted", async () => {
    await open("unmetered");
    expect(await harness.parts.ledger.grants(harness.organizationId)).toEqual([]);
    for (let sentence = 0; sentence < 26; sentence++) {
      const response = await speak();
      expect([response.status, await drain(response)]).toEqual([200, expect.any(Number)]);
    }
    expect(await credit()).toMatchObject({ balanceMicros: 0, overdraftMicros: 0, monthMicros: 0 });
    harness.clock.pass(MONTH_MS);
    const later = await speak();
    expect([later.status, await drain(later)]).toEqual([200, expect.any(Number)]);
    expect(await credit()).toMatchObject({ balanceMicros: 0, overdraftMicros: 0, monthUsageMicros: COST });
    expect((await logged(27)).map(({ costMicros }) => costMicros)).toEqual(Array(27).fill(COST));
    const { requests, costMicros } = await harness.parts.ledger.totals(harness.organizationId);
    expect({ requests, costMicros }).toEqual({ requests: 27, costMicros: 27 * COST });
  });

  test("has the limits of the machine in the same headers, and its own where it has any", async () => {
    await open("unmetered");
    const { requestsPerMinute, ttsCharactersPerMinute } = machineLimits({
      engine: { threads: 2 },
      jobs: { secondsMax: 43_200 },
    });
    const headers = async () => {
      const response = await speak();
      await drain(response);
      return Object.fromEntries(
        [...response.headers].filter(([name]) => name.startsWith("x-ratelimit-")),
      ) as object;
    };
    expect(await headers()).toEqual({
      "x-ratelimit-limit-requests": `${requestsPerMinute}`,
      "x-ratelimit-remaining-requests": `${requestsPerMinute - 1}`,
      "x-ratelimit-reset-requests": "5ms",
      "x-ratelimit-limit-characters": `${ttsCharactersPerMinute}`,
      "x-ratelimit-remaining-characters": `${ttsCharactersPerMinute - good.input.length}`,
      "x-ratelimit-reset-characters": expect.stringMatching(/^\d+ms$/),
    });
    await harness.parts.accounts.setLimits(harness.organizationId, { requestsPerMinute: 3 });
    harness.clock.pass(1001);
    expect(await headers()).toMatchObject({ "x-ratelimit-limit-requests": "3" });
    await (await speak()).arrayBuffer();
    await (await speak()).arrayBuffer();
    expect(await errorOf(await speak())).toMatchObject({ status: 429, code: "rate_limit_exceeded" });
  });

  test("is not held to a spending limit, and GET /v1/me names its plan and limits", async () => {
    await open("unmetered");
    await harness.parts.ledger.setMonthlyLimit(harness.organizationId, 0);
    expect(await drain(await speak())).toBeGreaterThan(0);
    const me = (await (await harness.ask("/v1/me")).json()) as object;
    expect(me).toMatchObject({
      organization: { plan: "unmetered", tier: "free" },
      limits: { requests_per_minute: 12_000, concurrent_requests: 32 },
    });
  });
});

describe("a prepaid organization", () => {
  test("starts with five dollars for 30 days and the limits of the free tier", async () => {
    await open("prepaid");
    const response = await speak();
    expect(response.headers.get("x-ratelimit-limit-requests")).toBe("20");
    await drain(response);
    expect(await credit()).toMatchObject({ balanceMicros: 5_000_000 - COST, monthMicros: COST });
  });

  test("is refused 31 days later, and told to ask the operator, who may switch metering off", async () => {
    await open("prepaid");
    harness.clock.pass(MONTH_MS);
    expect(await errorOf(await speak())).toMatchObject({
      status: 402,
      code: "insufficient_credits",
      message: "Your organization has no credit left. Ask the operator of this server for credit.",
    });
    await move("unmetered");
    harness.clock.pass(1001);
    expect(await drain(await speak())).toBeGreaterThan(0);
  });

  test("is told to buy credit on a server with payments", async () => {
    await open("prepaid", STRIPE);
    harness.clock.pass(MONTH_MS);
    const { organizationId, url } = harness;
    expect((await errorOf(await speak())).message).toBe(
      `Your organization has no credit left. An owner can buy some at ${url}/orgs/${organizationId}/billing.`,
    );
  });
});

describe("an organization whose plan changes", () => {
  /** A request as the server meters it, of a principal that was read before the change. */
  function admitted(principal: Principal, id: string) {
    const { meter } = harness.parts;
    const sent = { endpoint: "/v1/audio/speech", method: "POST", bucket: "characters" } as const;
    return meter.open({ id, principal, ...sent, ip: null, userAgent: null });
  }
  const principal = () => harness.parts.accounts.authenticate(harness.key);

  test.each([
    ["unmetered", "prepaid", { balanceMicros: 5_000_000 - 150, monthMicros: 150, monthUsageMicros: 300 }],
    ["prepaid", "unmetered", { balanceMicros: 5_000_000 - 150, monthMicros: 150, monthUsageMicros: 300 }],
  ] as const)("from %s to %s settles what is in flight under the plan before", async (from, to, settled) => {
    await open(from);
    const before = await principal();
    const work = admitted(before, "req_before");
    await work.admit();
    await move(to);
    harness.clock.pass(1001);
    const after = await principal();
    expect([before.plan, after.plan]).toEqual([from, to]);
    await work.post({ ...PRICE, quantity: 10 });
    await work.checkCredit();
    work.end(200);
    const next = admitted(after, "req_next");
    await next.admit();
    await next.post({ ...PRICE, quantity: 10 });
    next.end(200);
    expect(await credit()).toMatchObject(settled);
    const plans = ["req_before", "req_next"].map(async (id) => {
      const row = await harness.parts.ledger.request(harness.organizationId, id);
      return row!.payment.plan;
    });
    expect(await Promise.all(plans)).toEqual([from, to]);
  });

  test("to prepaid has its starting credit once", async () => {
    await open("unmetered");
    for (const plan of ["prepaid", "unmetered", "prepaid", "prepaid"] as const) await move(plan);
    expect((await credit()).balanceMicros).toBe(5_000_000);
    expect(await movePlan(harness.parts, "org_nobody", "prepaid")).toBeNull();
  });
});
