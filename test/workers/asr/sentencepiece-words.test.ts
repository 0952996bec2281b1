/** Promise: words do not depend on how their tokens are divided, and each token is read once however long a stream is. */
import { describe, expect, test } from "bun:test";
import { type Emission, GrowingWords, wordsOf } from "../../../workers/asr/sentencepiece-words.ts";
import { openRandom } from "../../../workers/random.ts";

const PIECES = ["<unk>", "▁Hel", "lo", ",", "▁wor", "ld", ".", "▁", "<en-US>", "▁!", "'s"];
const TIMING = { frameSeconds: 0.08, offset: 2 };

const emitted = (tokens: number[]): Emission[] =>
  tokens.map((token, at) => ({ token, frame: 2 * at, frames: null, confidence: 1 / (at + 1) }));

function randomTokens(count: number, seed: number): number[] {
  const random = openRandom(seed);
  return Array.from({ length: count }, () => Math.floor(random() * PIECES.length));
}

/** Of a stream whose tokens come a few at a time. */
function grown(emissions: Emission[], pieces: readonly string[], seed: number) {
  const random = openRandom(seed);
  const words = new GrowingWords(pieces, TIMING);
  const all = [];
  for (let at = 0, next = 0; at < emissions.length; at = next) {
    next = at + 1 + Math.floor(random() * 4);
    all.push(...words.add(emissions.slice(at, next)));
  }
  return [...all, ...words.rest()];
}

test("pieces are joined to words, and closing punctuation to the word before it", () => {
  const words = wordsOf(emitted([1, 2, 3, 4, 5, 8, 6]), PIECES, TIMING);
  expect(words.map(({ text, start, end }) => [text, start, end])).toEqual([
    ["Hello,", 2, 2.4],
    ["world.", 2.48, 3.04],
  ]);
  expect(words[0]!.confidence).toBeCloseTo((1 + 1 / 2 + 1 / 3) / 3);
});

test("a lone space begins a word", () => {
  const texts = wordsOf(emitted([1, 7, 2, 7, 3]), PIECES, TIMING).map(({ text }) => text);
  expect(texts).toEqual(["Hel", "lo,"]);
});

describe("a stream", () => {
  test("has the words of the whole, however its tokens are divided", () => {
    for (let seed = 1; seed <= 200; seed++) {
      const emissions = emitted(randomTokens(40, seed));
      expect(grown(emissions, PIECES, seed)).toEqual(wordsOf(emissions, PIECES, TIMING));
    }
  });

  test("reads each of its tokens once", () => {
    let read = 0;
    const counting = new Proxy(PIECES, {
      get(pieces, name) {
        read++;
        return Reflect.get(pieces, name);
      },
    });
    grown(emitted(randomTokens(5000, 1)), counting, 1);
    expect(read).toBe(5000);
  });
});
