/**
 * Promise: Kokoro and Piper tell when each word is heard: where its phonemes begin and end, by the durations of the graph,
 * at any speed, and after the silence at the edges was cut off.
 */

import { afterAll, describe, expect, test } from "bun:test";
import type { TimedSamples } from "../../../../src/engine/protocol/synthesis.ts";
import { samplesOf } from "../../../../src/engine/protocol/synthesis.ts";
import { soleClaim } from "../../../../src/engine/runner.ts";
import {
  kokoroContents,
  kokoroFrames,
  piperContents,
  piperHops,
  piperVoice,
} from "../../../../testing/packages/families/voices.ts";
import { openTestStore } from "../../../../testing/packages/model-store.ts";
import { kokoroIds } from "../../../../workers/tts/kokoro/phonemes.ts";
import { timedOf } from "../../../timed-samples.ts";

const store = openTestStore();
afterAll(() => store[Symbol.asyncDispose]());
store.add("kokoro-82m", "kokoro", { contents: kokoroContents() });
store.add("piper", "vits", { contents: piperContents() });

const RATE = 24_000;
const say = (engine: string, task: { text: string; phonemes: string; speed: number; length?: number }) =>
  store.registry
    .engine(engine)
    .run(
      {
        language: "en-US",
        speaker: engine === "piper" ? "0" : "af_heart",
        kind: "synthesis" as const,
        instructions: "",
        words: true,
        ...task,
      },
      soleClaim(),
    )
    .then(timedOf);
const wordsIn = (text: string, { words }: TimedSamples) => words.map(({ from, to }) => text.slice(from, to));

describe("Kokoro", () => {
  const text = "Good morning, dear world.";
  const phonemes = "ɡˈʊd mˈɔɹnɪŋ, dˈɪɹ wˈɜɹld.";
  const framesOf = (part: string, speed: number) => kokoroFrames(kokoroIds(part), speed);

  test.each([0.7, 1, 1.9])("at speed %d, words last as long as their phonemes", async (speed) => {
    const length = 600 * kokoroFrames([0, ...kokoroIds(phonemes), 0], speed);
    const spoken = await say("kokoro-82m", { text, phonemes, speed, length });
    expect(wordsIn(text, spoken)).toEqual(["Good", "morning,", "dear", "world."]);
    const groups = ["ɡˈʊd", "mˈɔɹnɪŋ", "dˈɪɹ", "wˈɜɹld"];
    const lead = kokoroFrames([0], speed);
    for (const [index, group] of groups.entries()) {
      const start = 600 * (lead + framesOf(phonemes.slice(0, phonemes.indexOf(group)), speed));
      expect(spoken.words[index]).toMatchObject({ start, end: start + 600 * framesOf(group, speed) });
    }
  });

  test("times count from the first sample that is left when silence is cut off", async () => {
    const whole = await say("kokoro-82m", {
      text,
      phonemes,
      speed: 1,
      length: 600 * kokoroFrames([0, ...kokoroIds(phonemes), 0]),
    });
    const trimmed = await say("kokoro-82m", { text, phonemes, speed: 1 });
    const cut = whole.words[0]!.start - trimmed.words[0]!.start;
    expect(cut).toBeGreaterThanOrEqual(0);
    expect(trimmed.words.map(({ start }) => start + cut)).toEqual(whole.words.map(({ start }) => start));
    expect(trimmed.words.at(-1)!.end).toBeLessThanOrEqual(trimmed.samples.length);
  });

  test("a pace that the model cannot reach scales the times as it stretches the samples", async () => {
    const natural = await say("kokoro-82m", { text, phonemes, speed: 0.5 });
    const slow = await say("kokoro-82m", { text, phonemes, speed: 0.25 });
    expect(slow.samples.length / natural.samples.length).toBeCloseTo(2, 1);
    for (const [index, { end }] of slow.words.entries())
      expect(Math.abs(end - 2 * natural.words[index]!.end)).toBeLessThan(0.03 * RATE);
  });

  test("a text of several runs is timed through", async () => {
    const many = Array.from({ length: 40 }, () => "Good morning, dear world.").join(" ");
    const read = Array.from({ length: 40 }, () => phonemes).join(" ");
    const { words, samples } = await say("kokoro-82m", { text: many, phonemes: read, speed: 1 });
    expect(words.length).toBe(160);
    for (const [index, { start, end }] of words.entries()) {
      expect(end).toBeGreaterThan(start);
      expect(start).toBeGreaterThanOrEqual(words[index - 1]?.end ?? 0);
    }
    expect(samples.length - words.at(-1)!.end).toBeLessThan(RATE);
  });
});

describe("Piper", () => {
  const { phoneme_id_map: map } = piperVoice();
  const text = "Guten Tag. Ja, gut";
  const phonemes = "ɡutən tak. ja, ɡut";
  const hopsOf = (part: string, slowness: number) =>
    [...part].reduce((sum, sign) => sum + piperHops(map[sign]![0]!, slowness) + piperHops(0, slowness), 0);

  test.each([0.6, 1, 1.8])("at speed %d, words last as long as their phonemes and pads", async (speed) => {
    const spoken = await say("piper", { text, phonemes, speed });
    expect(wordsIn(text, spoken)).toEqual(["Guten", "Tag.", "Ja,", "gut"]);
    const slowness = Math.fround(1 / speed);
    const lead = piperHops(1, slowness) + piperHops(0, slowness);
    const first = lead + hopsOf("ɡutən tak.", slowness) + piperHops(2, slowness);
    const seconds = (hops: number, silence = 0) => (256 * hops) / 22_050 + silence;
    const expected = [
      [seconds(lead), seconds(lead + hopsOf("ɡutən", slowness))],
      [seconds(lead + hopsOf("ɡutən ", slowness)), seconds(lead + hopsOf("ɡutən tak", slowness))],
      [seconds(first + lead, 0.2), seconds(first + lead + hopsOf("ja", slowness), 0.2)],
      [
        seconds(first + lead + hopsOf("ja, ", slowness), 0.2),
        seconds(first + lead + hopsOf("ja, ɡut", slowness), 0.2),
      ],
    ];
    const cut = expected[0]![1]! - spoken.words[0]!.end / RATE;
    expect(Math.abs(cut)).toBeLessThan(0.02);
    for (const [index, { start, end }] of spoken.words.entries()) {
      if (index > 0) expect(Math.abs(start / RATE + cut - expected[index]![0]!)).toBeLessThan(0.001);
      expect(Math.abs(end / RATE + cut - expected[index]![1]!)).toBeLessThan(0.001);
    }
  });
});

test("words that are asked for change no sample", async () => {
  const task = {
    language: "de",
    speaker: "0",
    speed: 1,
    kind: "synthesis" as const,
    instructions: "",
    text: "Ja",
    phonemes: "ja",
  };
  const plain = await store.registry.engine("piper").run(task, soleClaim()).then(samplesOf);
  const timed = await store.registry
    .engine("piper")
    .run({ ...task, words: true }, soleClaim())
    .then(timedOf);
  expect(timed.samples).toEqual(plain);
});
