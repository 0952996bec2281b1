/** Promise: an organization pays list prices times its factor, is told so by the catalogue, and its ledger verifies. */
import { afterEach, expect, test } from "bun:test";
import { differencesOf } from "../../../src/ledger/verify.ts";
import type { Plan } from "../../../src/plans.ts";
import { type Harness, openHarness } from "../../harness.ts";
import { CHARACTER, COST, drain, good } from "./free.ts";

const LIST_PRICE = CHARACTER * 1_000_000;

let harness: Harness;
afterEach(async () => {
  expect(differencesOf(await harness.parts.ledger.audit())).toEqual([]);
  await harness[Symbol.asyncDispose]();
});

async function open(plan: Plan = "prepaid"): Promise<void> {
  harness = await openHarness({ plan });
}
async function charge(factor: number): Promise<void> {
  await harness.parts.accounts.setPriceFactor(harness.organizationId, factor, null);
  harness.clock.pass(1000); // keys are cached for a second
}
const speak = async () =>
  drain(await harness.ask("/v1/audio/speech", { method: "POST", body: JSON.stringify(good) }));
const monthMicros = async () => (await harness.parts.ledger.credit(harness.organizationId)).monthUsageMicros;
const listed = async () => {
  const { data } = (await (await harness.ask("/v1/models")).json()) as { data: Model[] };
  return data.find(({ id }) => id === "svc-tts1")!;
};
type Pricing = { unit: string; micros_per_million: number; currency: string };
type Model = { id: string; pricing?: Pricing };

test.each([
  [5000, COST / 2],
  [0, 0],
  [12_345, Math.ceil(Number((good.input.length * CHARACTER * 1.2345).toFixed(6)))],
])("with a factor of %d ten-thousandths speech costs %d micros", async (factor, micros) => {
  await open();
  await charge(factor);
  await speak();
  expect(await monthMicros()).toBe(micros);
  const { query, tables } = harness.parts.database;
  const [event, ...others] = await query.select().from(tables.usageEvent);
  expect(others).toEqual([]);
  const priceMicros = (LIST_PRICE * factor) / 10_000;
  expect(event).toMatchObject({ priceMicros, costMicros: micros });
  const pricing = { unit: "character", micros_per_million: priceMicros, currency: "usd" };
  expect((await listed()).pricing).toEqual(pricing);
  const one = (await (await harness.ask("/v1/models/svc-tts1")).json()) as Model;
  expect(one.pricing).toEqual(pricing);
});

test("a new factor changes what follows, not what was charged", async () => {
  await open();
  await speak();
  const before = await listed();
  await charge(20_000);
  await speak();
  expect(await monthMicros()).toBe(3 * COST);
  expect([before, await listed()].map(({ pricing }) => pricing!.micros_per_million)).toEqual([
    LIST_PRICE,
    2 * LIST_PRICE,
  ]);
});

test("an unmetered organization has no pricing, and is recorded at list price", async () => {
  await open("unmetered");
  await charge(5000);
  await speak();
  expect(await monthMicros()).toBe(COST);
  expect(await listed()).not.toHaveProperty("pricing");
});

test("a request is charged the price of its start, and the catalogue announces the next", async () => {
  await open();
  await charge(20_000);
  const { prices } = harness.parts;
  const from = Math.floor(harness.clock.now() / 1000) + 60;
  const asked = { model: "svc-tts1", backgroundMicros: null };
  await prices.set({ ...asked, micros: 3 * LIST_PRICE, validFrom: from });
  expect((await listed()).pricing).toMatchObject({
    micros_per_million: 2 * LIST_PRICE,
    next: { micros_per_million: 6 * LIST_PRICE, valid_from: from },
  });
  const begun = await harness.ask("/v1/audio/speech", { method: "POST", body: JSON.stringify(good) });
  harness.clock.pass(60_000);
  await drain(begun);
  expect(await monthMicros()).toBe(2 * COST);
  await speak();
  expect(await monthMicros()).toBe(8 * COST);
  expect((await listed()).pricing).toEqual({
    ...{ unit: "character", micros_per_million: 6 * LIST_PRICE, currency: "usd" },
  });
  await prices.remove({ model: "svc-tts1", validFrom: from });
  expect((await listed()).pricing!.micros_per_million).toBe(2 * LIST_PRICE);
});
