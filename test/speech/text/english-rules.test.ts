/** Promise: each rule of English reads its own example, alone, and the order of the rules settles what several match. */
import { heapStats } from "bun:jsc";
import { describe, expect, test } from "bun:test";
import { ENGLISH_RULES, readEnglish } from "../../../src/speech/text/english/english.ts";
import { applyRules } from "../../../src/speech/text/lexicon/rule.ts";

const AMERICAN = { isMonthFirst: true };
/** As the end of the normalization does with every line. */
const tidy = (text: string) =>
  text
    .replace(/ +/g, " ")
    .replace(/ (?=[,.])/g, "")
    .trim();

describe("a rule alone reads its example", () => {
  test.each(ENGLISH_RULES.map((rule) => [rule.name, rule] as const))("%s", (_name, rule) => {
    const [written, read] = rule.example;
    expect(tidy(applyRules([rule], written, AMERICAN))).toBe(read);
    expect(read).not.toBe(written);
  });
});

test("every rule has its own name and says what it does in a sentence", () => {
  const names = ENGLISH_RULES.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  for (const { what } of ENGLISH_RULES) expect(what).toMatch(/^[A-Z0-9"§].*\.$/);
});

test("rules that match nothing leave no garbage", () => {
  const functions = () => heapStats().objectTypeCounts.Function ?? 0;
  readEnglish("Go on.", "en-US");
  const before = functions();
  for (let turn = 0; turn < 10; turn++) readEnglish("Go on.", "en-US");
  expect(functions() - before).toBeLessThan(ENGLISH_RULES.length);
});

/** Pairs of rules that match the same text; the first reads it. */
const PRECEDENCE: [first: string, second: string, written: string, read: string][] = [
  ["color", "hashtag", "#ff00aa", "hash F F zero zero A A"],
  ["version of a product", "file", "Node.js 22.04", "Node dot JS twenty-two point oh four"],
  ["hashtag", "number sign", "#one", "hashtag one"],
  ["telephone number", "range", "555-123-4567", "five five five, one two three, four five six seven"],
  ["ISO date", "range", "2026-11-21", "November twenty-first, twenty twenty-six"],
  ["numeric date", "version", "31.12.2024", "the thirty-first of December, twenty twenty-four"],
  ["numeric date", "fraction", "7/4/1999", "July fourth, nineteen ninety-nine"],
  ["range of years", "range", "1914-1918", "nineteen fourteen to nineteen eighteen"],
  ["IPv4 address", "version", "10.0.0.1", "ten dot zero dot zero dot one"],
  ["time with seconds", "time", "10:20:30", "ten twenty and thirty seconds"],
  ["street", "title", "on Elm Dr. now", "on Elm Drive now"],
  ["money", "decimal", "$5.50", "five dollars and fifty cents"],
  ["measure", "power", "5 m²", "five square meters"],
  ["idiom with a slash", "fraction", "24/7", "twenty-four seven"],
  ["percentage", "range", "5-10%", "five to ten percent"],
  ["numbered with a letter", "multiple", "Gate 7B", "Gate seven B"],
  ["year", "whole number", "1999", "nineteen ninety-nine"],
];

test.each(PRECEDENCE)("%s comes before %s", (first, second, written, read) => {
  const names = ENGLISH_RULES.map(({ name }) => name);
  expect(names).toContain(first);
  expect(names.indexOf(first)).toBeLessThan(names.indexOf(second));
  expect(tidy(readEnglish(written, "en-US"))).toBe(read);
});
