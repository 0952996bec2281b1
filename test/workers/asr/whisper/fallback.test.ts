/** Promise: a window's text is the first that is good enough, else the likeliest, and a hopeless one is none. */
import { describe, expect, test } from "bun:test";
import type { DecodeResult } from "../../../../workers/asr/whisper/decoder.ts";
import { decodeWithFallback } from "../../../../workers/asr/whisper/fallback.ts";

const text = (meanLogProbability: number, more: Partial<DecodeResult> = {}): DecodeResult => ({
  tokens: [Math.round(-100 * meanLogProbability)],
  logProbabilities: [],
  attention: [],
  noSpeech: 0,
  meanLogProbability,
  ...more,
});

/** `answers`: of each temperature in turn, one a draw. */
async function decoded(
  answers: DecodeResult[][],
  ratio: (token: number) => number = () => 1,
  { isCancelled = false, isShort = false, left = 1000 } = {},
) {
  const tried: [temperature: number, draw: number][] = [];
  const budget = { left };
  const result = await decodeWithFallback({
    async decode({ temperature, draw, tokensMax = 224 }) {
      tried.push([temperature, draw]);
      const text = answers[Math.round(temperature * 5)]![draw]!;
      return { ...text, tokens: text.tokens.slice(0, tokensMax) };
    },
    budget,
    workOf: (tokens) => tokens,
    compressionRatioOf: ([token]) => ratio(token!),
    isCancelled: () => isCancelled,
    isShort,
  });
  return { tried, result, left: budget.left };
}
const five = (...each: number[]) => each.map((one) => text(one));
const poor = [-1.9, -1.8, -1.7, -1.6, -1.5];

describe("a window", () => {
  test("whose first text is probable is decoded once", async () => {
    const { tried, result } = await decoded([[text(-0.3)]]);
    expect(tried).toEqual([[0, 0]]);
    expect(result).toMatchObject({ temperature: 0, compressionRatio: 1, meanLogProbability: -0.3 });
  });

  test("that is cancelled is not decoded again", async () => {
    const { tried, result } = await decoded([[text(-1.2)]], undefined, { isCancelled: true });
    expect([tried, result]).toEqual([[[0, 0]], null]);
  });

  test("whose first text is doubtful has the likeliest of five at the next temperature", async () => {
    const { tried, result } = await decoded([[text(-1.2)], five(-1.4, -0.9, -0.6, -0.8, -3)]);
    expect(tried.slice(1)).toEqual([0, 1, 2, 3, 4].map((draw) => [0.2, draw]));
    expect(result).toMatchObject({ temperature: 0.2, meanLogProbability: -0.6 });
  });

  test("without a good text has the likeliest that does not repeat itself", async () => {
    const all = [
      [text(-0.1)],
      five(...poor),
      five(...poor),
      five(...poor, -1.3),
      five(...poor),
      five(...poor),
    ];
    const { result } = await decoded(all, (token) => (token === 10 ? 3 : 1));
    expect(result).toMatchObject({ temperature: 0.2, meanLogProbability: -1.5 });
  });

  test("whose texts are all hopeless is silence", async () => {
    const hopeless = [[text(-5.7)], ...Array.from({ length: 5 }, () => five(-5, -6, -4, -3, -2.1))];
    const { tried, result } = await decoded(hopeless);
    expect(tried).toHaveLength(26);
    expect(result).toBeNull();
  });

  test("that probably has no speech, and a doubtful text, is silence at once", async () => {
    const { tried, result } = await decoded([[text(-1.2, { noSpeech: 0.7 })]]);
    expect([tried.length, result]).toEqual([1, null]);
    expect((await decoded([[text(-0.5, { noSpeech: 0.9 })]])).result).not.toBeNull();
  });

  test("that is short and probably has no speech is silence, however probable its text", async () => {
    const short = (noSpeech: number) => decoded([[text(-0.5, { noSpeech })]], undefined, { isShort: true });
    expect((await short(0.9)).result).toBeNull();
    expect((await short(0.5)).result).not.toBeNull();
  });
});

describe("the texts of a window whose budget is", () => {
  const long = (tokens: number, more: Partial<DecodeResult> = {}) =>
    text(-1.2, { tokens: Array.from({ length: tokens }, () => 7), ...more });
  const drawsAt = (tried: [number, number][]) =>
    [0, 0.2, 0.4, 0.6, 0.8, 1].map((each) => tried.filter(([temperature]) => temperature === each).length);
  const endless = [
    [long(100)],
    ...Array.from({ length: 5 }, () => Array.from({ length: 5 }, () => long(100))),
  ];

  test("spent are its first, which is finished", async () => {
    const { tried, result, left } = await decoded(endless, undefined, { left: 10 });
    expect(drawsAt(tried)).toEqual([1, 0, 0, 0, 0, 0]);
    expect(result!.tokens).toHaveLength(100);
    expect(left).toBe(-90);
  });

  test("small are fewer at each temperature, so that it is sampled at most of them", async () => {
    expect(drawsAt((await decoded(endless, undefined, { left: 900 })).tried)).toEqual([1, 4, 2, 1, 1, 0]);
    expect(drawsAt((await decoded(endless, undefined, { left: 2000 })).tried)).toEqual([1, 5, 5, 4, 2, 1]);
  });

  test("never exceeded by sampled ones, and those that it cuts are dropped", async () => {
    const probable = (tokens: number) => long(tokens, { meanLogProbability: -0.1 });
    const answers = [[long(10)], Array.from({ length: 5 }, () => probable(224)), ...endless.slice(1)];
    const { result, left } = await decoded(answers, undefined, { left: 110 });
    expect(result).toMatchObject({ temperature: 0, meanLogProbability: -1.2 });
    expect(left).toBe(0);
  });
});
