/** Promise: a voice has one gain, whatever it says; recorded voices and unknown ones are left as they are. */

import { expect, test } from "bun:test";
import type { VoiceEncodingTask } from "../../src/engine/protocol/voice-encoding.ts";
import { gainFor, type Levels, TARGET_LUFS, withLoudness } from "../../src/speech/fit-task.ts";
import { SPEECH } from "../engine/any-task.ts";
import { seeing } from "./seeing.ts";

const LEVELS: Levels = { voices: { loud: TARGET_LUFS + 6, quiet: TARGET_LUFS - 6 }, others: TARGET_LUFS - 2 };
const inDb = (gain: number) => 20 * Math.log10(gain);

test("it lifts a quiet voice to the target, and lowers a loud one", () => {
  expect(inDb(gainFor({ speaker: "quiet" }, LEVELS))).toBeCloseTo(6);
  expect(inDb(gainFor({ speaker: "loud" }, LEVELS))).toBeCloseTo(-6);
});

test("a voice without a figure has that of the others, and where there is none it stays as it is", () => {
  expect(inDb(gainFor({ speaker: "new" }, LEVELS))).toBeCloseTo(2);
  expect(inDb(gainFor({ speaker: "toString" }, LEVELS))).toBeCloseTo(2);
  expect(gainFor({ speaker: "new" }, { voices: LEVELS.voices, others: null })).toBe(1);
});

test("a blend is between its voices", () => {
  const blend = [
    { speaker: "loud", weight: 0.75 },
    { speaker: "quiet", weight: 0.25 },
  ];
  expect(inDb(gainFor({ speaker: "loud", blend }, LEVELS))).toBeCloseTo(-3);
});

test("a recorded voice is left as it was recorded", () => {
  const style = { id: "mine", data: new Float32Array(1), shape: [1] };
  expect(gainFor({ speaker: "quiet", style }, LEVELS)).toBe(1);
});

test("a figure that cannot be right lifts by 12 dB at most", () => {
  expect(gainFor({ speaker: "x" }, { voices: { x: -70 }, others: null })).toBe(4);
});

test("tasks without a text, and those with a gain, are left as they are", async () => {
  const { runner, seen } = seeing();
  const loud = withLoudness(runner, LEVELS);
  const quiet = { ...SPEECH, speaker: "quiet" };
  const encoding: VoiceEncodingTask = { kind: "voice-encoding", samples: new Float32Array(1) };
  await loud.run(quiet);
  await loud.run({ ...quiet, gain: 1 });
  await loud.run(encoding);
  expect(seen).toEqual([
    { ...quiet, gain: gainFor({ speaker: "quiet" }, LEVELS) },
    { ...quiet, gain: 1 },
    encoding,
  ]);
});
