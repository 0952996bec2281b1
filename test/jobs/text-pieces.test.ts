/** Promise: pieces of a text are all of it, in its order and short, and chapters begin at the headings of Markdown. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import { chaptersAtHeadings, codePointsIn, textPieces } from "../../src/jobs/text-pieces.ts";

const words = fc.constantFrom("a", "word ", "End. ", "\n", "\n\n", "漢字。", "👍", " ", "x".repeat(2000));

test("pieces are all of a text, none longer than 1,500 code units, and none ends inside a character", () => {
  const texts = fc.array(words, { maxLength: 400 }).map((parts) => parts.join(""));
  fc.assert(
    fc.property(texts, (text) => {
      const pieces = [...textPieces(text)].map((piece) => piece.text);
      expect(pieces.join("").replace(/\s/g, "")).toBe(text.replace(/\s/g, ""));
      for (const piece of pieces) {
        expect(piece.length).toBeLessThanOrEqual(1500);
        expect(piece.isWellFormed()).toBeTrue();
      }
      expect(codePointsIn(text)).toBe([...text].length);
    }),
  );
});

test.each([
  ["# One\n\na\n\n## Two ##\nb\n### Part\nc", ["One", "Two"]],
  ["Before.\n\n# One\n\na", ["", "One"]],
  ["# Book\n\n## One\n\na", ["One"]],
  ["# One\n```\n# code\n```\n# Two\na", ["One", "Two"]],
  [`# ${"x".repeat(400)}\n\na`, [""]],
  ["No heading.", [""]],
  ["# C#\na\r\n# #\r\nb", ["C#", "#"]],
])("%j has the chapters %j", (text, titles) => {
  const chapters = chaptersAtHeadings(text);
  expect(chapters.map(({ title }) => title)).toEqual(titles);
  expect(chapters.map(({ text }) => text).join("")).toBe(text);
});
