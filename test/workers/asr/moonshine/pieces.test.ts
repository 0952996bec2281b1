/** Promise: Moonshine's vocabulary is read as it is published, and its tokens become the words that were said. */
import { expect, test } from "bun:test";
import { moonshineVocabulary } from "../../../../testing/packages/families/moonshine.ts";
import { readMoonshinePieces } from "../../../../workers/asr/moonshine/pieces.ts";
import { tokenWords } from "../../../../workers/asr/moonshine/words.ts";

const FIRST_PIECE = 259;

test("pieces of any length are read, and empty ones keep their place", () => {
  const long = Buffer.from("a".repeat(300));
  const pieces = readMoonshinePieces(
    Buffer.concat([
      Buffer.of(1, 120),
      Buffer.of(0),
      Buffer.of((300 % 128) | 128, 300 >> 7),
      long,
      Buffer.of(1, 121),
    ]),
  );
  expect(pieces.texts).toEqual(["x", "", long.toString(), "y"]);
  expect(() => readMoonshinePieces(Buffer.of(5, 1, 2))).toThrow("ends within a piece");
});

test("single bytes join to letters, and specials are no text", () => {
  const pieces = readMoonshinePieces(moonshineVocabulary(320));
  const byteOf = (byte: number) => 3 + byte;
  expect(pieces.decode([1, FIRST_PIECE + 1, ...[...Buffer.from("é!")].map(byteOf), 2])).toBe("word1é!");
  expect(pieces.texts[byteOf(10)]).toBe("<0x0a>");
});

test("words begin with a space, and closing punctuation belongs to the word before", () => {
  const pieces = readMoonshinePieces(moonshineVocabulary(320));
  const [stop, word, part] = [FIRST_PIECE, FIRST_PIECE + 1, FIRST_PIECE + 4];
  expect(tokenWords([word, part, stop, word, stop], pieces)).toEqual([
    { text: "word1ly4.", from: 0, to: 3, glued: false },
    { text: "word1.", from: 3, to: 5, glued: false },
  ]);
  expect(tokenWords([], pieces)).toEqual([]);
});

test("pieces of Japanese are words without spaces between them, closed by their own punctuation", () => {
  const pieces = readMoonshinePieces(
    Buffer.concat(
      ["▁", "今日", "は", "。", "▁GPU", "の"].map((text) =>
        Buffer.concat([Buffer.of(Buffer.byteLength(text)), Buffer.from(text)]),
      ),
    ),
  );
  expect(tokenWords([0, 1, 2, 3, 4, 5], pieces)).toEqual([
    { text: "今日", from: 1, to: 2, glued: true },
    { text: "は。", from: 2, to: 4, glued: true },
    { text: "GPU", from: 4, to: 5, glued: false },
    { text: "の", from: 5, to: 6, glued: true },
  ]);
});
