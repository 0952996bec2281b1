/** Promise: requests beyond the concurrent ones of an unmetered organization wait for a slot, and are all served. */
import { afterEach, expect, test } from "bun:test";
import { pcmWav } from "../../audio/pcm-wav.ts";
import { errorOf, type Harness, openHarness } from "../../harness.ts";
import { form } from "./form.ts";
import { drain, good } from "./free.ts";
import { dial } from "./realtime/live.ts";

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

test("a request does not wait for long where live sessions hold all slots", async () => {
  await open();
  const session = await dial(harness);
  await session.until("created");
  harness.clock.pass(12_000);
  const response = await speak();
  expect(response.headers.get("retry-after")).toBe("12");
  expect(await errorOf(response)).toMatchObject({ status: 429, code: "concurrency_limit_exceeded" });
  session.close();
});

test("a folder of files is transcribed whole, far beyond the slots", async () => {
  harness = await openHarness({ plan: "unmetered", free: true });
  await harness.parts.accounts.setLimits(harness.organizationId, { concurrentRequests: 4 });
  const recording = form([
    ["model", "svc-stt1"],
    ["file", pcmWav(1)],
  ]);
  const transcribe = () => harness.ask("/v1/audio/transcriptions", recording);
  const all = await Promise.all(Array.from({ length: 100 }, transcribe));
  expect(all.filter(({ status }) => status === 200)).toHaveLength(100);
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
