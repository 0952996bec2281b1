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
