/**
 * Promise: a word error rate here is that of the Open ASR leaderboard: texts normalized, and errors counted, as its own
 * code did, whose answers are kept in word-errors.json.
 *
 * Not as there, each for its reason: digits of other scripts in English text (Python's `\d` has them, no recognizer
 * writes them); numbers in other languages, which the leaderboard spells by a library in five of them, stay as they are
 * written; Japanese and Chinese, which the leaderboard does not have, are compared by characters.
 */
import { describe, expect, test } from "bun:test";
import { englishText } from "../wer/english.ts";
import { multilingualText } from "../wer/multilingual.ts";
import { percent, plainWordErrors, wordErrors } from "../wer.ts";
import written from "./word-errors.json";

type Row = [text: string, normalized: string];
type ErrorRow = [reference: string, hypothesis: string, language: string, errors: number, words: number];

test("English text is normalized as by EnglishTextNormalizer", () => {
  expect(written.english.map(([text]) => [text, englishText(text!)])).toEqual(written.english as Row[]);
});

test("text of other languages is normalized as by BasicMultilingualTextNormalizer", () => {
  expect(written.multilingual.map(([text]) => [text, multilingualText(text!)])).toEqual(
    written.multilingual as Row[],
  );
});

test("errors are counted as by kaldialign with merged compounds", () => {
  const rows = written.errors as ErrorRow[];
  const counted = rows.map(([reference, hypothesis, language]) => {
    const { errors, words } = wordErrors(reference, hypothesis, language);
    return [reference, hypothesis, language, errors, words];
  });
  expect(counted).toEqual(rows);
});

describe("a rate", () => {
  test("is that of all words, not the mean of rates", () => {
    const all = [
      wordErrors("one", "two"),
      wordErrors("a long text without a single error", "a long text without a single error"),
    ];
    expect(percent(all)).toBeCloseTo(12.5, 10);
  });

  test("of plain words counts what the public one forgives", () => {
    expect(wordErrors("it costs twenty dollars", "It costs $20.").errors).toBe(0);
    expect(plainWordErrors("it costs twenty dollars", "It costs $20.").errors).toBe(2);
  });
});
