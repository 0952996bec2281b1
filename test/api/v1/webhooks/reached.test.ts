/** Promise: running into a limit, the spending limit or the end of credit is raised once for its time, and refusals cost nothing more. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { NewRestrictions } from "../../../../src/restrictions.ts";
import { type Harness, openHarness } from "../../../harness.ts";
import { until } from "../../../until.ts";

let harness: Harness;
beforeAll(async () => {
  harness = await openHarness();
});
afterAll(() => harness[Symbol.asyncDispose]());

async function organization(): Promise<{
  id: string;
  keyId: string;
  projectId: string;
  speak(): Promise<number>;
}> {
  const { accounts, ledger } = harness.parts;
  const { id } = await accounts.createOrganization("Acme");
  await ledger.grantStarting(id);
  const { id: projectId } = (await accounts.defaultProject(id))!;
  const fields = { projectId, name: "k", environment: "live", expiresAt: null } as const;
  const { id: keyId, secret } = await accounts.createKey({ ...fields, scopes: ["speech:create"] });
  const body = JSON.stringify({ model: "svc-tts1", voice: "female-warm", input: "Good morning." });
  const headers = { authorization: `Bearer ${secret}`, "content-type": "application/json" };
  return {
    ...{ id, keyId, projectId },
    speak: async () => {
      const response = await fetch(`${harness.url}/v1/audio/speech`, { method: "POST", headers, body });
      await response.arrayBuffer();
      return response.status;
    },
  };
}

async function raised(organizationId: string, type: string): Promise<object[]> {
  const { query, tables } = harness.parts.database;
  const events = await query.select().from(tables.event);
  return events
    .filter((event) => event.organizationId === organizationId && event.type === type)
    .map(({ data }) => JSON.parse(data));
}

const HOUR_MS = 3_600_000;

const restricted = (budget: NonNullable<NewRestrictions["budget"]>): NewRestrictions => ({
  ...{ budget, limits: null, models: null, voices: null, addresses: null },
});

test("a 429 is raised once in an hour", async () => {
  const { id, speak } = await organization();
  await harness.parts.accounts.setLimits(id, { requestsPerMinute: 1 });
  harness.clock.pass(1000);
  expect([await speak(), await speak(), await speak()]).toEqual([200, 429, 429]);
  await until(async () => (await raised(id, "rate_limit.reached")).length > 0);
  harness.clock.pass(HOUR_MS);
  expect([await speak(), await speak()]).toEqual([200, 429]);
  await until(async () => (await raised(id, "rate_limit.reached")).length > 1);
  expect(await raised(id, "rate_limit.reached")).toEqual([0, 1].map(() => ({ code: "rate_limit_exceeded" })));
});

test("the spending limit is raised once in a month", async () => {
  const { id, speak } = await organization();
  await harness.parts.ledger.setMonthlyLimit(id, 0);
  expect([await speak(), await speak()]).toEqual([402, 402]);
  await until(async () => (await raised(id, "spending_limit.reached")).length > 0);
  harness.clock.pass(31 * 24 * HOUR_MS);
  expect(await speak()).toBe(402);
  await until(async () => (await raised(id, "spending_limit.reached")).length === 2);
});

test("the budget of a key or of a project is raised once in a period", async () => {
  const { id, keyId, projectId, speak } = await organization();
  const { accounts } = harness.parts;
  const spent = { limit_micros: 0, interval: "day" as const };
  await accounts.updateKey(keyId, { restrictions: restricted(spent) });
  harness.clock.pass(2000);
  expect([await speak(), await speak()]).toEqual([402, 402]);
  await until(async () => (await raised(id, "budget.reached")).length === 1);
  harness.clock.pass(24 * HOUR_MS);
  expect(await speak()).toBe(402);
  await until(async () => (await raised(id, "budget.reached")).length === 2);
  await accounts.updateKey(keyId, { restrictions: null });
  await accounts.updateProject(projectId, { restrictions: restricted({ ...spent, interval: "total" }) });
  harness.clock.pass(2000);
  expect([await speak(), await speak()]).toEqual([402, 402]);
  await until(async () => (await raised(id, "budget.reached")).length === 3);
  const told = await raised(id, "budget.reached");
  expect(told).toContainEqual(expect.objectContaining({ id: keyId, of: "key", interval: "day" }));
  expect(told).toContainEqual(expect.objectContaining({ id: projectId, of: "project", limit_micros: 0 }));
});

test("the end of credit is raised once, and again after new credit has ended", async () => {
  const { id, speak } = await organization();
  const { ledger } = harness.parts;
  const take = async (grantId: string) => {
    const reversal = { id: `rev_${grantId}`, organizationId: id, grantId, kind: "correction" as const };
    const [grant] = (await ledger.grants(id)).filter((each) => each.id === grantId);
    const createdAt = Math.floor(harness.clock.now() / 1000);
    await ledger.correct({
      ...reversal,
      amountMicros: grant!.remainingMicros,
      createdAt,
      reason: "test",
    } as never);
  };
  for (const grant of await ledger.grants(id)) await take(grant.id);
  expect([await speak(), await speak()]).toEqual([402, 402]);
  await until(async () => (await raised(id, "balance.empty")).length === 1);
  const createdAt = Math.floor(harness.clock.now() / 1000) + 1;
  harness.clock.pass(120_000);
  await ledger.grant({
    ...{ id: "grant_again", organizationId: id, kind: "adjustment", amountMicros: 1_000_000, createdAt },
    ...{ expiresAt: null, topUpId: null },
  });
  expect(await speak()).toBe(200);
  await take("grant_again");
  expect([await speak(), await speak()]).toEqual([402, 402]);
  await until(async () => (await raised(id, "balance.empty")).length === 2);
  expect(await raised(id, "balance.empty")).toContainEqual({ last_grant_id: "grant_again" });
});
