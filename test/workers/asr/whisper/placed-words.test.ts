/** Promise: a word has its own tokens, its own confidence, and does not take the pause behind a sentence. */
import { describe, expect, test } from "bun:test";
import { type Aligned, placedWords } from "../../../../workers/asr/whisper/placed-words.ts";

const PIECES = [" And", " so", ".", " my", " fel", "low", '."'];
const END = 900;
const FIRST = 1000;
const at = (seconds: number) => FIRST + Math.round(seconds / 0.02);

type Part = { start: number; end: number; tokens: number[] };

/** `ends`: of each token, which begins where the one before ends. */
function placed(parts: Part[], ends: number[], logProbabilities = ends.map(() => 0)) {
  const aligned: Aligned = {
    segments: parts.map((part) => ({ ...part, sampled: [at(part.start), ...part.tokens, at(part.end)] })),
    times: ends.map((end, index) => ({ start: ends[index - 1] ?? 0, end })),
    logProbabilities,
    endOfText: END,
    language: "en",
    decode: (tokens) => tokens.map((token) => PIECES[token]).join(""),
  };
  return placedWords(aligned);
}

describe("words of a window", () => {
  test("have the mean of their own tokens as confidence", () => {
    const words = placed([{ start: 0, end: 2, tokens: [0, 4, 5] }], [0.4, 0.8, 1.2], [-0.1, -2, -4]);
    expect(words.map(({ confidence }) => Math.log(confidence))).toEqual([
      expect.closeTo(-0.1, 9),
      expect.closeTo(-3, 9),
    ]);
  });

  test("have all tokens of the window, as they were written, once and in order", () => {
    const words = placed(
      [
        { start: 0, end: 1, tokens: [0, 1, 2] },
        { start: 1, end: 2, tokens: [4, 5] },
      ],
      [0.4, 0.8, 1, 1.4, 1.8],
    );
    expect(words.map(({ tokens }) => tokens)).toEqual([
      [at(0), 0],
      [1, 2, at(1)],
      [at(1), 4, 5, at(2)],
    ]);
  });

  test("end with a mark that lasts no longer than twice the usual word", () => {
    const parts = [{ start: 0, end: 6, tokens: [0, 1, 3, 4, 5, 6] }];
    const words = placed(parts, [0.4, 0.8, 1.2, 1.5, 1.6, 6]);
    expect(words.at(-1)).toMatchObject({ text: 'fellow."', start: 1.2, end: expect.closeTo(1.6 + 0.8, 9) });
  });

  test("are held to the times of their segment, where they are far from them", () => {
    const parts = [
      { start: 0, end: 1, tokens: [0, 1] },
      { start: 3, end: 4, tokens: [3, 4] },
    ];
    const words = placed(parts, [0.4, 2.2, 3.4, 6]);
    expect(words[1]).toMatchObject({ text: "so", start: 0.4, end: expect.closeTo(1.1, 9) });
    expect(words[2]).toMatchObject({ text: "my", start: expect.closeTo(2.7, 9), end: 3.4 });
    expect(words[3]).toMatchObject({ start: 3.4, end: expect.closeTo(4.1, 9) });
  });
});
