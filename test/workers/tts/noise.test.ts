/** Promise: Supertonic's noise depends on the voice alone, so that a text sounds the same each time, whatever runs beside it. */

import { afterAll, expect, test } from "bun:test";
import { samplesOf } from "../../../src/engine/protocol/synthesis.ts";
import { soleClaim } from "../../../src/engine/runner.ts";
import { supertonicContents } from "../../../testing/packages/families/voices.ts";
import { openTestStore } from "../../../testing/packages/model-store.ts";
import { openNoise } from "../../../workers/tts/noise.ts";

const CHANNELS = 144;
const store = openTestStore();
afterAll(() => store[Symbol.asyncDispose]());

test("noise is normally distributed, and a longer text begins with that of a shorter one", () => {
  const noise = openNoise("voice-F1", CHANNELS);
  const short = noise(10).slice();
  const long = noise(200);
  expect(long.length).toBe(200 * CHANNELS);
  expect(long.subarray(0, short.length)).toEqual(short);
  const mean = long.reduce((sum, value) => sum + value, 0) / long.length;
  const variance = long.reduce((sum, value) => sum + (value - mean) ** 2, 0) / long.length;
  expect(Math.abs(mean)).toBeLessThan(0.03);
  expect(Math.abs(variance - 1)).toBeLessThan(0.05);
  expect(openNoise("voice-F1", CHANNELS)(10)).toEqual(short);
  expect(openNoise("voice-F2", CHANNELS)(10)).not.toEqual(short);
});

test("a text has the same samples each time, alone and in a batch", async () => {
  store.add("supertonic-3", "supertonic", {
    options: { steps: 2, pace: 1 },
    contents: supertonicContents(0.2),
  });
  const say = (text: string) =>
    store.registry
      .engine("supertonic-3")
      .run(
        {
          text,
          language: "en",
          speaker: "F1",
          speed: 1,
          kind: "synthesis" as const,
          instructions: "",
          length: 20_000,
        },
        soleClaim(),
      )
      .then(samplesOf);
  const alone = await say("The same text.");
  const batch = await Promise.all([
    say("The same text."),
    say("Another one beside it, and longer."),
    say("Short."),
  ]);
  expect(batch[0]).toEqual(alone);
  const silent = alone.every((sample) => sample === 0);
  expect(silent).toBe(false);
});
