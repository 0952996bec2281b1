/** Promise: Kokoro says the whole of a text that is longer than one run takes, in runs that end where a speaker would pause. */

import { afterAll, expect, test } from "bun:test";
import { TTS_SAMPLE_RATE } from "../../../../src/audio/rates.ts";
import type { SynthesisTask } from "../../../../src/engine/protocol/synthesis.ts";
import { samplesOf } from "../../../../src/engine/protocol/synthesis.ts";
import { soleClaim } from "../../../../src/engine/runner.ts";
import { kokoroContents, kokoroFrames } from "../../../../testing/packages/families/voices.ts";
import { openTestStore } from "../../../../testing/packages/model-store.ts";
import { kokoroIds, kokoroRuns } from "../../../../workers/tts/kokoro/phonemes.ts";

const store = openTestStore();
afterAll(() => store[Symbol.asyncDispose]());

const SENTENCE = "ðə kwˈɪk bɹˈWn fˈɑks.";

test.each([
  ["a short text in one run", SENTENCE, [SENTENCE]],
  ["unknown symbols left out", "a§b", ["ab"]],
  ["nothing for nothing", "§", []],
  [
    "sentences first",
    `${`${SENTENCE} `.repeat(30)}`,
    [`${SENTENCE} `.repeat(23).trim(), `${SENTENCE} `.repeat(7).trim()],
  ],
  [
    "then clauses",
    `${"a".repeat(400)}; ${"b, ".repeat(50)}`,
    [`${"a".repeat(400)};`, "b, ".repeat(50).trim()],
  ],
  ["then words", `${"abcd ".repeat(150)}`, ["abcd ".repeat(102).trim(), "abcd ".repeat(48).trim()]],
  ["then anywhere", "a".repeat(600), ["a".repeat(510), "a".repeat(90)]],
])("runs are divided at %s", (_title, phonemes, runs) => {
  expect(kokoroRuns(phonemes).map(({ ids }) => ids)).toEqual(runs.map(kokoroIds));
});

test("speech of a long text is as long as that of its runs, and as long as announced", async () => {
  store.add("kokoro-82m", "kokoro", { contents: kokoroContents() });
  const phonemes = `${SENTENCE} `.repeat(30).trim();
  const expected = kokoroRuns(phonemes).reduce((sum, { ids }) => sum + kokoroFrames([0, ...ids, 0]) * 600, 0);
  const say = (length: NonNullable<SynthesisTask["length"]>) =>
    store.registry.engine("kokoro-82m").run(
      {
        text: "",
        language: "en-US",
        speaker: "af_heart",
        speed: 1,
        kind: "synthesis" as const,
        instructions: "",
        length,
        phonemes,
      },
      soleClaim(),
    );
  expect(await say("measure")).toBe(expected);
  expect(samplesOf(await say(expected)).length).toBe(expected);
  expect(expected / TTS_SAMPLE_RATE).toBeGreaterThan(30);
});
