/** Promise: Pocket TTS is given chunks that it can read: of whole sentences where they fit, of at most 50 tokens in any case. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import { jsonVocabulary } from "../../../../testing/packages/families/pocket-files.ts";
import { byteOf, openTokenizer } from "../../../../workers/tts/pocket/sentencepiece.ts";
import { chunksOf, type Writing } from "../../../../workers/tts/pocket/text.ts";

const parsed = (role: string): Record<string, number> => JSON.parse(jsonVocabulary()[role]!.bytes as string);
const scores = parsed("scores");
const pieces = Object.entries(parsed("vocabulary")).map(
  ([text, id]) => [text, { id, score: scores[text]!, ...byteOf(text) }] as const,
);
const tokenizer = openTokenizer({ pieces: new Map(pieces), normalize: (text) => ` ${text}` });
const WRITING: Writing = { tokensMax: 50, padsShort: false, removesSemicolons: false };
const read = (text: string, writing: Partial<Writing> = {}) =>
  chunksOf(text, tokenizer, { ...WRITING, ...writing }).map(({ tokens }) => tokenizer.decode(tokens));

test.each([
  ["hello there", ["Hello there."]],
  ["  Two  spaces\nand a line; then more!", ["Two spaces and a line; then more!"]],
  ['He said "no"', ['He said "no"']],
  ["   ", []],
])("%j is written as %j", (text, expected) => {
  expect(read(text)).toEqual(expected);
});

test("semicolons are commas where the language wants it, and few words are padded where the export wants it", () => {
  expect(read("a; b", { removesSemicolons: true })).toEqual(["A, b."]);
  expect(read("Hi there", { padsShort: true })).toEqual([`${" ".repeat(8)}Hi there.`]);
  expect(read("one two three four five", { padsShort: true })).toEqual(["One two three four five."]);
});

test("sentences stay together as long as they fit; a long one is cut at its clauses", () => {
  const short = "It was the best of times. It was the worst of times.";
  expect(read(short)).toEqual([short]);
  expect(read(short, { tokensMax: 12 })).toEqual(["It was the best of times.", "It was the worst of times."]);
  const long = "it was the best of times, it was the worst of times, it was the age of you";
  expect(read(long, { tokensMax: 12 })).toEqual([
    "It was the best of times,",
    "it was the worst of times,",
    "it was the age of you.",
  ]);
});

test("a few words end later", () => {
  const ends = (text: string) =>
    chunksOf(text, tokenizer, WRITING).map(({ framesAfterEnd }) => framesAfterEnd);
  expect(ends("one two three four")).toEqual([5]);
  expect(ends("one two three four five")).toEqual([3]);
});

test("no chunk is longer than the limit, and nothing is lost", () => {
  const word = fc.string({ unit: fc.constantFrom(..."abz,.;é漢!"), minLength: 1, maxLength: 90 });
  fc.assert(
    fc.property(fc.array(word, { maxLength: 12 }), (words) => {
      const text = words.join(" ");
      const chunks = chunksOf(text, tokenizer, WRITING);
      for (const { tokens } of chunks) expect(tokens.length).toBeLessThanOrEqual(50);
      const spoken = chunks.map(({ tokens }) => tokenizer.decode(tokens)).join("");
      const letters = (all: string) => all.toLowerCase().replace(/\s|\.$/g, "");
      expect(letters(spoken)).toBe(letters(text));
    }),
    { numRuns: 40 },
  );
});
