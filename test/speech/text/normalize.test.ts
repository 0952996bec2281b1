/** Promise: what is written is read as a person would read it aloud, and prose is left as it is. */
import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import fc from "fast-check";
import { textOf } from "../../../bench/harness/texts.ts";
import { normalizeText } from "../../../src/speech/text/normalize.ts";

/** Lines of a group: what is written, a tab, what an American voice says. */
const TABLE = readFileSync(new URL("english.tsv", import.meta.url), "utf8");
const GROUPS = TABLE.split(/^# /m)
  .slice(1)
  .map((group) => {
    const [name, ...lines] = group.trim().split("\n");
    return [name!, lines.map((line) => line.split("\t") as [string, string])] as const;
  });
const CASES = GROUPS.flatMap(([, cases]) => cases);

describe.each(GROUPS)("%s", (_name, cases) => {
  test.each(cases)("%s is read aloud as %s", (written, read) => {
    expect(normalizeText(written, "en-US")).toBe(read);
  });
});

test("the table has hundreds of cases, each once", () => {
  expect(CASES.length).toBeGreaterThan(400);
  expect(new Set(CASES.map(([written]) => written)).size).toBe(CASES.length);
});

/** Where a British voice differs. */
const BRITISH: [written: string, read: string][] = [
  ["31/12/2024", "the thirty-first of December, twenty twenty-four"],
  ["3/4/2024", "the third of April, twenty twenty-four"],
  ["12/31/2024", "the thirty-first of December, twenty twenty-four"],
  ["2024-12-31", "the thirty-first of December, twenty twenty-four"],
  ["on 5/11", "on the fifth of November"],
  ["£5.50", "five pounds and fifty pence"],
];
test.each(BRITISH)("a British voice reads %s as %s", (written, read) => {
  expect(normalizeText(written, "en-GB")).toBe(read);
});

describe("properties", () => {
  const word = fc.stringMatching(/^[b-df-hj-np-tv-z]{4,9}$/);
  const ugly = fc
    .array(
      fc.oneof(
        fc.constantFrom(...CASES.map(([written]) => written)),
        fc.constantFrom(" ", ", ", ". ", "\n", "-", "/", "$", "1", "(", "**"),
        fc.string({ unit: "binary", maxLength: 9 }),
      ),
      { maxLength: 30 },
    )
    .map((parts) => parts.join(""));

  test("any text can be normalized, and grows by a bounded factor", () => {
    fc.assert(
      fc.property(ugly, (text) => {
        expect(normalizeText(text, "en").length).toBeLessThanOrEqual(40 * text.length + 40);
      }),
    );
  });

  test("text with a letter or a digit is never empty", () => {
    for (const [written] of CASES) expect(normalizeText(written, "en-US")).not.toBe("");
    fc.assert(
      fc.property(word, fc.constantFrom("**", "> ", "- ", "# ", "`", "[", "(", '"', "— "), (text, mark) => {
        expect(normalizeText(`${mark}${text}`, "en")).toContain(text);
      }),
    );
  });

  test("words that no rule knows are kept in order", () => {
    fc.assert(
      fc.property(fc.array(word, { minLength: 1 }), (words) => {
        expect(normalizeText(words.join(" "), "en")).toBe(words.join(" "));
      }),
    );
  });

  test("prose is left as it is, and what was read is not read again", () => {
    for (let turn = 0; turn < 10; turn++) expect(normalizeText(textOf(turn), "en")).toBe(textOf(turn));
    for (const [, read] of CASES.filter(([, read]) => /^[a-z, -]+$/.test(read)))
      expect(normalizeText(read, "en-US")).toBe(read);
  });
});

describe("in other languages", () => {
  test.each([
    ["de", "Geöffnet Mo.–Fr. von 9 bis 17 Uhr", "Geöffnet Montag bis Freitag von 9 bis 17 Uhr"],
    ["de", "Mo. bis Fr. und Sa.", "Montag bis Freitag und Samstag."],
    ["de-AT", "Jan.–März 2024", "Januar bis März 2024"],
    ["de", "so-so und er war so", "so-so und er war so"],
    ["fr", "ouvert lun.-ven. de 9h", "ouvert lundi à vendredi de 9h"],
    ["fr", "la mer et la mar", "la mer et la mar"],
    ["es", "lun-vie 9-17", "lunes a viernes 9-17"],
    ["es", "el mar o el sol", "el mar o el sol"],
    ["pl", "pon.–pt. 9-17", "poniedziałek do piątek 9-17"],
    ["ja", "月–金", "月–金"],
  ])("of %s the range %s is read %s", (language, written, read) => {
    expect(normalizeText(written, language)).toBe(read);
  });

  test.each([
    ["10\u202F000", "10000"],
    ["1 234 567,5", "1234567,5"],
    ["12 345,67 €", "12345,67 €"],
    ["10'000", "10000"],
    ["1,00,000", "100000"],
    ["1.000.000,5", "1.000.000,5"],
    ["Zimmer 10 200", "Zimmer 10 200"],
    ["Telefon 612 345 678", "Telefon 612 345 678"],
  ])("the groups of %s are one number", (written, read) => {
    for (const language of ["de", "fr", "zh"]) expect(normalizeText(written, language)).toBe(read);
  });

  test.each([
    ["fa", "می\u200Cخواهم"],
    ["hi", "क्\u200Dष"],
    ["ml", "ന്\u200D"],
  ])("of %s joiners stay inside words", (language, word) => {
    expect(normalizeText(word, language)).toBe(word);
    expect(normalizeText(`\u200D${word}`, language)).toBe(word);
  });
});
