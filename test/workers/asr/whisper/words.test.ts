/** Promise: Whisper's tokens become segments that continue at the right place, and words with their times. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { windowSegments } from "../../../../workers/asr/whisper/segments.ts";
import { rowTimes, splitWords } from "../../../../workers/asr/whisper/words.ts";

const FIRST = 1000;
const at = (seconds: number) => FIRST + Math.round(seconds / 0.02);
const window = (sampled: number[], seconds = 30) =>
  windowSegments(sampled, { firstTimestamp: FIRST, endOfText: 900, seconds });

describe("segments of a window", () => {
  test("are bounded by pairs of timestamps, and the window continues behind the last pair", () => {
    const { segments, nextStart, incomplete } = window([at(0), 1, 2, at(2.4), at(2.4), 3, at(5), at(5)]);
    expect(segments).toEqual([
      { start: 0, end: 2.4, tokens: [1, 2], sampled: [at(0), 1, 2, at(2.4)] },
      { start: 2.4, end: 5, tokens: [3], sampled: [at(2.4), 3, at(5)] },
    ]);
    expect(nextStart).toBe(5);
    expect(incomplete).toBeNull();
  });

  test("leave what is written behind the last pair incomplete, up to the end of the window", () => {
    const { segments, nextStart, incomplete } = window([at(0), 1, at(5), at(5), 2, 3], 7);
    expect(segments.map(({ tokens }) => tokens)).toEqual([[1]]);
    expect(nextStart).toBe(5);
    expect(incomplete).toEqual({ start: 5, end: 7, tokens: [2, 3], sampled: [at(5), 2, 3] });
  });

  test("with one timestamp at the end say that the rest is silence", () => {
    const { segments, nextStart } = window([at(0), 1, at(1), at(1), 2, at(3)]);
    expect(segments.map(({ end }) => end)).toEqual([1, 3]);
    expect(nextStart).toBeNull();
  });

  test("without a pair are one, up to the last timestamp or the end of the window", () => {
    expect(window([at(0), 1, 2, at(4)]).segments).toMatchObject([{ start: 0, end: 4, tokens: [1, 2] }]);
    expect(window([at(0), 1, 2], 7).segments).toMatchObject([{ start: 0, end: 7, tokens: [1, 2] }]);
  });

  test("contain each text token once, and the window continues inside itself", () => {
    const tokens = fc.array(
      fc.oneof(fc.integer({ min: 0, max: 899 }), fc.integer({ min: FIRST, max: FIRST + 1500 })),
    );
    fc.assert(
      fc.property(tokens, (sampled) => {
        const { segments, nextStart } = window(sampled);
        const text = sampled.filter((token) => token < 900);
        const tokens = segments.flatMap((segment) => segment.tokens);
        expect(tokens).toEqual(text.slice(0, tokens.length));
        if (nextStart !== null) expect(nextStart > 0 && nextStart < 30).toBe(true);
      }),
    );
  });
});

describe("words", () => {
  const pieces = [" And", " so", ",", " my", " fel", "low", " (", "Amer", "icans", ")", ".", "今", "天"];
  const decode = (tokens: readonly number[]) => tokens.map((token) => pieces[token]).join("");
  const texts = (tokens: number[], language = "en") =>
    splitWords(tokens, language, decode).map(({ text }) => text);

  test("begin at a space, and include the punctuation around them", () => {
    expect(texts([0, 1, 2, 3, 4, 5])).toEqual([" And", " so,", " my", " fellow"]);
    expect(texts([3, 6, 7, 8, 9, 10])).toEqual([" my", " (Americans)."]);
  });

  test("are single letters in a language without spaces", () => {
    expect(texts([11, 12], "zh")).toEqual(["今", "天"]);
    expect(texts([11, 12], "en")).toEqual(["今天"]);
  });

  test("contain every token once, in order", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: pieces.length - 1 })), (tokens) => {
        const words = splitWords(tokens, "en", decode);
        expect(words.flatMap((word) => word.tokens)).toEqual(tokens);
        expect(
          words
            .map(({ text }) => text)
            .join("")
            .replaceAll(" ", ""),
        ).toBe(decode(tokens).replaceAll(" ", ""));
      }),
    );
  });
});

test("word times are at the peak of each token's attention", () => {
  const [tokens, frames] = [4, 80];
  const head = Float32Array.from({ length: tokens * frames }, (_, place) => {
    const [row, frame] = [Math.floor(place / frames), place % frames];
    return Math.floor(frame / 20) === row ? 1 : 0.01;
  });
  const times = rowTimes({ tokens, frames, heads: [head, head] });
  expect(times).toHaveLength(tokens + 1);
  for (const [row, time] of times.entries()) expect(Math.abs(time - row * 0.4)).toBeLessThan(0.1);
});
