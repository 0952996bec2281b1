/**
 * Promise: each rule of English reads its own example, alone, and the order of the rules decides where several match.
 */
import { describe, expect, test } from "bun:test";
import { readEnglish } from "../../../src/speech/text/english.ts";
import { ENGLISH_RULES } from "../../../src/speech/text/english-rules.ts";

/** By rule: a text, and what this rule alone makes of it. */
const EXAMPLES: Record<string, [written: string, read: string]> = {
  "web address": ["See https://www.example.com/a-b.", "See example dot com slash a dash b."],
  "email address": ["Ask joe_s@example.org.", "Ask joe underscore s at example dot org."],
  "ISO date": ["on 2026-11-21", "on November twenty-first, twenty twenty-six"],
  "date with slashes": ["on 7/4/1999", "on July fourth, nineteen ninety-nine"],
  "month and day": ["Jan. 5th", "January fifth"],
  "day and month": ["21 November", "the twenty-first of November"],
  time: ["at 3:05 pm", "at three oh five P M"],
  "full hour": ["at 7 a.m. sharp", "at seven A M sharp"],
  money: ["$3bn or £3.01", "three billion dollars or three pounds and one penny"],
  percentage: ["0.5 %", "zero point five percent"],
  degrees: ["20°C", "twenty degrees Celsius"],
  measure: ["1 km and 10kg", "one kilometer and ten kilograms"],
  ordinal: ["the 21st", "the twenty-first"],
  decade: ["the 1990s", "the nineteen nineties"],
  "short decade": ["the '80s", "the eighties"],
  "telephone number": ["555-123-4567", "five five five, one two three, four five six seven"],
  "range of years": ["1914-1918", "nineteen fourteen to nineteen eighteen"],
  range: ["10–20 apples", "ten to twenty apples"],
  "one half": ["1/2 cup", "one half cup"],
  "one quarter": ["¼ cup", "one quarter cup"],
  "three quarters": ["3/4 full", "three quarters full"],
  fraction: ["3/8 inch", "three eighths inch"],
  ruler: ["Henry VIII", "Henry the eighth"],
  "numbered part": ["World War II", "World War two"],
  "No.": ["No. 5", "number 5"],
  title: ["Dr. Smith", "Doctor Smith"],
  saint: ["St. Paul", "Saint Paul"],
  "street or road": ["on Main St., off Mill Rd.", "on Main Street, off Mill Road"],
  abbreviation: ["cats vs. dogs", "cats versus dogs"],
  year: ["in 1905", "in nineteen oh five"],
  minus: ["-5", "minus 5"],
  decimal: ["3.14", " three point one four"],
  "whole number": ["5 apples", " five  apples"],
  ampersand: ["AT&T", "AT and T"],
  "at sign": ["me @ home", "me at home"],
  "number sign": ["#1", "number 1"],
  "arithmetic sign": ["a+b = c", "a plus b equals c"],
};

describe("a single rule", () => {
  test.each(ENGLISH_RULES.map((rule) => [rule.name, rule] as const))(
    "reads its example: %s",
    (name, { pattern, read }) => {
      const [written, expected] = EXAMPLES[name]!;
      const result = written.replace(pattern, (...match) => read(match as [string, ...string[]]));
      expect(result).toBe(expected);
    },
  );

  test("has a unique name, and every example has a rule", () => {
    expect(ENGLISH_RULES.map(({ name }) => name).sort()).toEqual(Object.keys(EXAMPLES).sort());
  });
});

/** Pairs of rules that match the same text; the first reads it. */
const PRECEDENCE: [first: string, second: string, written: string, read: string][] = [
  ["email address", "at sign", "joe@example.org", "joe at example dot org"],
  ["ISO date", "range", "2026-11-21", "November twenty-first, twenty twenty-six"],
  ["date with slashes", "fraction", "7/4/1999", "July fourth, nineteen ninety-nine"],
  ["money", "decimal", "$5.50", "five dollars and fifty cents"],
  ["range of years", "range", "1914-1918", "nineteen fourteen to nineteen eighteen"],
  ["telephone number", "range", "555-123-4567", "five five five, one two three, four five six seven"],
  ["saint", "street or road", "St. Paul", "Saint Paul"],
  ["year", "whole number", "1999", "nineteen ninety-nine"],
];

test.each(PRECEDENCE)("the rule %s comes before %s", (first, second, written, read) => {
  const names = ENGLISH_RULES.map(({ name }) => name);
  expect(names.indexOf(first)).toBeLessThan(names.indexOf(second));
  expect(readEnglish(written)).toBe(read);
});
