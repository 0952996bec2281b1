/** Promise: speech whose caller has left ends with the step or the run of the model that is under way. */
import { afterAll, expect, test } from "bun:test";
import { type Family, familyOf } from "../../../src/engine/families/families.ts";
import type { EngineData } from "../../../src/engine/protocol/engine-data.ts";
import type { SynthesisTask } from "../../../src/engine/protocol/synthesis.ts";
import { soleClaim } from "../../../src/engine/runner.ts";
import { openThreadPool } from "../../../src/engine/threads/thread-pool.ts";
import { worker } from "../../../src/resources.ts";
import { kittenContents } from "../../../testing/packages/families/kitten.ts";
import {
  kokoroContents,
  piperContents,
  supertonicContents,
} from "../../../testing/packages/families/voices.ts";
import { openTestStore } from "../../../testing/packages/model-store.ts";
import { inTurn } from "../../../workers/tts/runs.ts";

const store = openTestStore();
afterAll(() => store[Symbol.asyncDispose]());

const task: SynthesisTask = {
  kind: "synthesis",
  text: "Hello there.",
  language: "en",
  speaker: "",
  speed: 1,
  instructions: "",
};
const phonemes = "hə.";

test("the steps of Supertonic end when the callers of a batch have left", async () => {
  const endless = { steps: 1e9, pace: 1 };
  store.add("supertonic", "supertonic", { options: endless, contents: supertonicContents() });
  const engine = store.registry.engine("supertonic");
  const left = new AbortController();
  const speak = () => engine.run({ ...task, speaker: "F1" }, soleClaim(left.signal));
  const measure = () => engine.run({ ...task, speaker: "F1", length: "measure" }, soleClaim());
  const spoken = Promise.allSettled([speak(), speak()]);
  expect(await measure()).toBeGreaterThan(0);
  expect(await measure()).toBeGreaterThan(0); // those before it are at their steps
  left.abort("gone");
  const gone = { status: "rejected" as const, reason: "gone" };
  expect(await spoken).toEqual([gone, gone]);
  expect(await measure()).toBeGreaterThan(0);
});

const needless = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)).fill(1);

test.each([
  ["kitten", kittenContents(), { speaker: "Bella", phonemes }],
  ["kokoro", kokoroContents(), { speaker: "af_heart", phonemes }],
  ["kokoro", kokoroContents(), { speaker: "af_heart", phonemes, length: "measure" }],
  ["vits", piperContents(), { speaker: "0", phonemes }],
] as const)("no run of %s begins for a task that is not needed: %#", async (family, contents, asked) => {
  const name = `needless-${family}`;
  store.add(name, family satisfies Family, { contents });
  const fileOf = store.filesOf(name);
  const data: EngineData = {
    files: Object.fromEntries(Object.keys(contents).map((role) => [role, fileOf(role)])),
    options: {},
    silero: null,
    placement: { threads: 1, devices: [], shared: false },
  };
  await using engine = openThreadPool(worker(familyOf(family).worker!), { size: 1, data });
  const [needed, unneeded] = await Promise.allSettled([
    engine.run({ ...task, ...asked }),
    engine.run({ ...task, ...asked, cancel: needless }),
  ]);
  expect(needed.status).toBe("fulfilled");
  expect(unneeded).toMatchObject({ status: "rejected", reason: { message: "the request was cancelled" } });
});

test("no run of a model begins after its task is no longer needed", async () => {
  const cancel = new Int32Array(1);
  const begun: number[] = [];
  const runs = inTurn([1, 2, 3], { cancel }, async (each) => {
    begun.push(each);
    cancel[0] = each - 1;
  });
  await expect(runs).rejects.toThrow("cancelled");
  expect(begun).toEqual([1, 2]);
  expect(await inTurn([1, 2], {}, async (each) => each + 1)).toEqual([2, 3]);
});
