/** Promise: beyond its concurrent requests an unmetered organization waits a short while, and is then refused. */
import { afterEach, expect, test } from "bun:test";
import { errorOf, type Harness, openHarness } from "../../harness.ts";
import { drain, good } from "./free.ts";

let harness: Harness;
afterEach(() => harness[Symbol.asyncDispose]());

async function open(): Promise<void> {
  harness = await openHarness({ plan: "unmetered", free: true });
  await harness.parts.accounts.setLimits(harness.organizationId, { concurrentRequests: 1 });
}
const speak = (fields: object = {}, init: RequestInit = {}) =>
  harness.ask("/v1/audio/speech", { method: "POST", body: JSON.stringify({ ...good, ...fields }), ...init });
/** Takes the only slot, as another node would. */
async function holdSlot() {
  const { limits } = harness.parts;
  const { organizationId, clock } = harness;
  await limits.decide({ organizationId, now: clock.now(), take: [], slot: { id: "held", max: 1 } });
  return () => limits.release(organizationId, "held");
}

test("sentences that arrive together are spoken one after another", async () => {
  await open();
  await drain(await speak()); // starts the engine
  const sentences = await Promise.all(["One.", "Two.", "Three."].map((input) => speak({ input })));
  expect(sentences.map(({ status }) => status)).toEqual([200, 200, 200]);
  await Promise.all(sentences.map(drain));
});

test("a request waits for a slot that another node releases", async () => {
  await open();
  const release = await holdSlot();
  const next = speak();
  await release();
  expect(await drain(await next)).toBeGreaterThan(1000);
});

test("a request waits a limited time for a slot, and is then refused with the time to retry", async () => {
  await open();
  await holdSlot();
  const response = await speak();
  expect(response.headers.get("retry-after")).toBe("1");
  expect(await errorOf(response)).toMatchObject({ status: 429, code: "concurrency_limit_exceeded" });
});

test("a client that leaves takes no slot", async () => {
  await open();
  const release = await holdSlot();
  const leave = new AbortController();
  const left = speak({}, { signal: leave.signal }).catch((error: Error) => error.name);
  leave.abort();
  expect(await left).toBe("AbortError");
  await release();
  expect(await drain(await speak())).toBeGreaterThan(1000);
});
