/** Promise: speech whose caller has left ends with the step or the run of the model that is under way. */
import { afterAll, expect, test } from "bun:test";
import { soleClaim } from "../../../src/engine/claim.ts";
import { inTurn } from "../../../workers/tts/runs.ts";
import { piperContents, supertonicContents } from "../../packages/families/voices.ts";
import { openTestStore } from "../../packages/model-store.ts";

const store = openTestStore();
afterAll(() => store[Symbol.asyncDispose]());

const task = { text: "Hello there.", language: "en", speed: 1, instructions: "" };

test("the steps of Supertonic end when its caller leaves", async () => {
  const endless = { steps: 1e9, pace: 1 };
  store.add("supertonic", "supertonic", { options: endless, contents: supertonicContents() });
  const engine = store.registry.engine("supertonic");
  expect(
    await engine.run<number>({ ...task, speaker: "F1", length: "measure" }, soleClaim()),
  ).toBeGreaterThan(0);
  const left = new AbortController();
  const speech = engine.run({ ...task, speaker: "F1" }, soleClaim(left.signal));
  const waiting = engine.run({ ...task, speaker: "F1" }, soleClaim(left.signal));
  await Bun.sleep(100); // it is at its steps
  left.abort(new Error("gone"));
  for (const { status } of await Promise.allSettled([speech, waiting])) expect(status).toBe("rejected");
});

test("no sentence of Piper begins after its caller left", async () => {
  store.add("piper", "vits", { contents: piperContents() });
  const engine = store.registry.engine("piper");
  const left = new AbortController();
  const long = "hə.".repeat(4e5);
  const speech = engine.run({ ...task, speaker: "0", phonemes: long }, soleClaim(left.signal));
  await Bun.sleep(100);
  left.abort(new Error("gone"));
  await expect(speech).rejects.toThrow("gone");
});

test("no run of a model begins once its task is not needed", async () => {
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
