/** Promise: Whisper's special tokens have their published ids, and a transcript's times come in pairs and never go back. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { applyRules, specialTokens, type WhisperRules } from "../../../../workers/asr/whisper/tokens.ts";
import { argmax } from "../../../../workers/onnx/logits.ts";

describe("special tokens", () => {
  test("have the published ids of the multilingual models", () => {
    expect(specialTokens(50_257, 99)).toEqual({
      endOfText: 50_257,
      startOfTranscript: 50_258,
      firstLanguage: 50_259,
      translate: 50_358,
      transcribe: 50_359,
      startOfLm: 50_360,
      startOfPrevious: 50_361,
      noSpeech: 50_362,
      noTimestamps: 50_363,
      firstTimestamp: 50_364,
      vocabulary: 51_865,
    });
  });

  test("have the published ids of v3, with one more language, and of the English models", () => {
    expect(specialTokens(50_257, 100)).toMatchObject({
      transcribe: 50_360,
      firstTimestamp: 50_365,
      vocabulary: 51_866,
    });
    expect(specialTokens(50_256, 99)).toMatchObject({
      transcribe: 50_358,
      firstTimestamp: 50_363,
      vocabulary: 51_864,
    });
  });
});

/** Twenty words, some of which may not be said, and the times. */
const special = specialTokens(20, 2);
const RULES: WhisperRules = { special, suppressed: [3, 4], blank: [5], timestamps: true, firstMax: 50 };

/** What is chosen, greedily, from these scores; one list a step. */
function decode(steps: number[][], rules: WhisperRules = RULES): number[] {
  const sampled: number[] = [];
  for (const scores of steps) {
    const logits = Float32Array.from(
      { length: special.vocabulary },
      (_, token) => scores[token % scores.length]!,
    );
    applyRules(logits, sampled, rules);
    const token = argmax(logits);
    if (logits[token] === Number.NEGATIVE_INFINITY || token === special.endOfText) break;
    sampled.push(token);
  }
  return sampled;
}

const anySteps = fc.array(
  fc.array(fc.double({ min: -20, max: 20, noNaN: true }), { minLength: 7, maxLength: 61 }),
  { minLength: 1, maxLength: 40 },
);
const isTime = (token: number) => token >= special.firstTimestamp;

describe("the next token", () => {
  test("is first a timestamp within the first second", () => {
    fc.assert(
      fc.property(anySteps, (steps) => {
        const [first] = decode(steps);
        expect(first).toBeWithin(special.firstTimestamp, special.firstTimestamp + 51);
      }),
    );
  });

  test("keeps timestamps in order and in pairs between the words", () => {
    fc.assert(
      fc.property(anySteps, (steps) => {
        const sampled = decode(steps);
        const times = sampled.filter(isTime);
        expect(times).toEqual(times.toSorted((a, b) => a - b));
        const runs = sampled.map((token) => (isTime(token) ? "t" : "w")).join("");
        expect(runs).toMatch(/^t(w+tt?)*(w*)$/);
      }),
    );
  });

  test("is never the no-speech token", () => {
    fc.assert(
      fc.property(anySteps, fc.boolean(), (steps, timestamps) => {
        const sampled = decode(steps, { ...RULES, timestamps });
        const never = [
          3,
          4,
          special.startOfTranscript,
          special.translate,
          special.transcribe,
          special.noSpeech,
        ];
        expect(sampled.filter((token) => never.includes(token))).toEqual([]);
      }),
    );
  });

  test("without timestamps is first neither a blank nor the end", () => {
    const blank = Array.from({ length: special.vocabulary }, (_, token) =>
      token === 5 ? 9 : token === 7 ? 1 : 0,
    );
    expect(decode([blank], { ...RULES, timestamps: false })).toEqual([7]);
  });
});
