/** Promise: a text is shown whole beside its recording, and its words are found where they stand. */
import { expect, test } from "bun:test";
import { currentAt, pieceAt, piecesOf } from "../../src/web/playground/speak/word-pieces.ts";

const words = ["a", "a", "b"].map((word, index) => ({ word, start_time: index }));

test("words that are alike are found one after the other, and nothing of the text is lost", () => {
  const text = "a, (a) x b!";
  const pieces = piecesOf(text, words);
  expect(pieces.map((piece) => piece.text).join("")).toBe(text);
  expect(pieces.filter(({ start }) => start !== null).map(({ from, start }) => [from, start])).toEqual([
    [0, 0],
    [4, 1],
    [9, 2],
  ]);
  expect(piecesOf("c", words)).toEqual([{ from: 0, text: "c", start: null }]);
});

test("the piece at a position is the one that it lies in", () => {
  const pieces = piecesOf("a, (a)", words);
  expect([0, 1, 3, 4, 5, 6].map((at) => pieceAt(pieces, at)?.from)).toEqual([0, 1, 1, 4, 5, undefined]);
});

test("the current word is the last that has begun", () => {
  const pieces = piecesOf("a a b", words);
  expect([-1, 0, 0.5, 1.9, 9].map((seconds) => currentAt(pieces, seconds))).toEqual([-1, 0, 0, 2, 4]);
});
