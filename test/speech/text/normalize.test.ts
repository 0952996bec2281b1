/** Promise: numbers, dates and abbreviations are expanded as they are read aloud. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import { normalizeText } from "../../../src/speech/text/normalize.ts";

const ENGLISH: [written: string, read: string][] = [
  ["I have 5 apples.", "I have five apples."],
  ["1,234,567 people", "one million two hundred thirty-four thousand five hundred sixty-seven people"],
  ["0 errors", "zero errors"],
  ["007 agents", "zero zero seven agents"],
  ["3.14", "three point one four"],
  [".5 liters", "zero point five liters"],
  ["-5 degrees", "minus five degrees"],
  ["the 21st time", "the twenty-first time"],
  ["1st, 2nd, 3rd", "first, second, third"],
  ["in 1999", "in nineteen ninety-nine"],
  ["in 1905", "in nineteen oh five"],
  ["in 1800", "in eighteen hundred"],
  ["in 2000", "in two thousand"],
  ["in 2007", "in two thousand seven"],
  ["in 2026", "in twenty twenty-six"],
  ["the 1990s", "the nineteen nineties"],
  ["the '80s", "the eighties"],
  ["1914-1918", "nineteen fourteen to nineteen eighteen"],
  ["10-20 apples", "ten to twenty apples"],
  ["pages 3–5", "pages three to five"],
  ["$5", "five dollars"],
  ["$1", "one dollar"],
  ["$5.50", "five dollars and fifty cents"],
  ["$0.99", "ninety-nine cents"],
  ["£3.01", "three pounds and one penny"],
  ["£3.20", "three pounds and twenty pence"],
  ["€1.2 million", "one point two million euros"],
  ["$3bn", "three billion dollars"],
  ["$1,500", "one thousand five hundred dollars"],
  ["100%", "one hundred percent"],
  ["0.5 %", "zero point five percent"],
  ["3:45 pm", "three forty-five PM"],
  ["3:05", "three oh five"],
  ["15:00", "fifteen hundred"],
  ["7pm", "seven PM"],
  ["2026-11-21", "November twenty-first, twenty twenty-six"],
  ["7/4/1999", "July fourth, nineteen ninety-nine"],
  ["Jan. 5th", "January fifth"],
  ["on March 3", "on March third"],
  ["21 November", "the twenty-first of November"],
  ["Call 555-123-4567", "Call five five five, one two three, four five six seven"],
  ["5 km", "five kilometers"],
  ["1 km", "one kilometer"],
  ["10kg", "ten kilograms"],
  ["60 mph", "sixty miles per hour"],
  ["20°C", "twenty degrees Celsius"],
  ["16 GB", "sixteen gigabytes"],
  ["1/2 cup", "one half cup"],
  ["3/4 full", "three quarters full"],
  ["3/8 inch", "three eighths of an inch"],
  ["Henry VIII", "Henry the eighth"],
  ["Chapter IV", "Chapter four"],
  ["World War II", "World War two"],
  ["Dr. Smith", "Doctor Smith"],
  ["Mr. and Mrs. Jones", "Mister and Missus Jones"],
  ["St. Paul", "Saint Paul"],
  ["on Main St.", "on Main Street."],
  ["No. 5", "number five"],
  ["No. I will not.", "No. I will not."],
  ["e.g. this", "for example this"],
  ["cats vs. dogs", "cats versus dogs"],
  ["AT&T", "AT and T"],
  ["#1", "number one"],
  ["2+2=4", "two plus two equals four"],
  ["example.com/a", "example dot com slash a"],
  ["joe@example.org", "joe at example dot org"],
  ["“Hello”", '"Hello"'],
  ["it’s", "it's"],
  ["wait… what", "wait... what"],
  ["yes — no", "yes, no"],
  ["a **bold** word", "a bold word"],
  ["NASA", "NASA"],
  ["plain words stay", "plain words stay"],
];

test.each(ENGLISH)("%s is read aloud as expected", (written, read) => {
  expect(normalizeText(written, "en-US")).toBe(read);
});

test("texts of other languages keep their numbers for their engine", () => {
  expect(normalizeText("3,14 Euro am 3. Mai 1999", "de")).toBe("3,14 Euro am 3. Mai 1999");
  expect(normalizeText("«Bonjour»", "fr")).toBe('"Bonjour"');
});

test("any text can be normalized, and unknown words are never lost", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 200 }), (text) => {
      normalizeText(text, "en");
    }),
  );
  fc.assert(
    fc.property(fc.array(fc.stringMatching(/^[b-df-hj-np-tv-z]{4,9}$/), { minLength: 1 }), (words) => {
      expect(normalizeText(words.join(" "), "en")).toBe(words.join(" "));
    }),
  );
});
