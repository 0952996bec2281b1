/** Promise: text is encoded as Whisper's own tokens, and decoded unchanged. */
import { describe, expect, spyOn, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import fc from "fast-check";
import { BytePairs, type Pieces, readVocabulary } from "../../../../workers/asr/whisper/byte-pairs.ts";

const SHARED = new URL("../../../../../shared/", import.meta.url);
const ready = existsSync(new URL("models/whisper/", SHARED));
const unlessReady = ready ? "" : " (skipped: Whisper's vocabulary is not here)";
const read = (name: string) => readFileSync(new URL(name, SHARED), "utf8");

const FILES = { multilingual: "multilingual.tiktoken", english_only: "gpt2.tiktoken" };

/** The pieces of a `.tiktoken` file: base64 and rank, a line each. */
function readTiktoken(text: string): Pieces {
  const pieces: string[] = [];
  for (const line of text.split("\n")) {
    const [piece, rank] = line.split(" ");
    if (rank !== undefined) pieces[Number(rank)] = Buffer.from(piece!, "base64").toString("latin1");
  }
  return pieces;
}

describe.skipIf(!ready).each(Object.entries(FILES))(`the vocabulary %s${unlessReady}`, (kind, file) => {
  const pieces = ready ? readTiktoken(read(`models/whisper/${file}`)) : [];
  const pairs = new BytePairs(pieces);

  test("encodes the goldens", () => {
    const { n_base, encode_goldens } = JSON.parse(read("goldens/whisper_tokens.json"))[kind];
    expect(pieces).toHaveLength(n_base);
    for (const [text, tokens] of Object.entries(encode_goldens)) {
      expect(pairs.encode(text)).toEqual(tokens as number[]);
      expect(pairs.decode(tokens as number[])).toBe(text);
    }
  });

  test("decodes any text unchanged", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        const whole = text.toWellFormed();
        expect(pairs.decode(pairs.encode(whole))).toBe(whole);
      }),
    );
  });

  test("decodes special tokens to nothing", () => {
    expect(pairs.decode([...pairs.encode(" So"), 50_363, 51_000, ...pairs.encode(" it goes")])).toBe(
      " So it goes",
    );
  });
});

/** The single bytes, and a few pairs of them. */
const small: Pieces = [
  ...Array.from({ length: 256 }, (_, byte) => String.fromCharCode(byte)),
  "lo",
  "low",
  "er",
];

test("pairs are merged by rank, the lowest first", () => {
  expect(new BytePairs(small).encode("lower")).toEqual([257, 258]);
});

/** The definition: again and again, the first pair of the lowest rank. */
function joinedSimply(bytes: string, ranks: ReadonlyMap<string, number>): number[] {
  const parts = [...bytes];
  for (;;) {
    const pairs = parts.slice(1).map((part, at) => ranks.get(parts[at]! + part) ?? Number.POSITIVE_INFINITY);
    const lowest = Math.min(...pairs);
    if (lowest === Number.POSITIVE_INFINITY) return parts.map((part) => ranks.get(part)!);
    const at = pairs.indexOf(lowest);
    parts.splice(at, 2, parts[at]! + parts[at + 1]!);
  }
}

test("any word has the tokens of the definition, whatever the ranks are", () => {
  const word = fc.string({ unit: fc.constantFrom("a", "b", "c"), minLength: 1, maxLength: 24 });
  fc.assert(
    fc.property(word, fc.uniqueArray(word, { maxLength: 30 }), (text, joined) => {
      const pieces = ["a", "b", "c", ...joined.filter(({ length }) => length > 1)];
      const ranks = new Map(pieces.map((piece, rank) => [piece, rank]));
      expect(new BytePairs(pieces).encode(text)).toEqual(joinedSimply(text, ranks));
    }),
    { numRuns: 2000 },
  );
});

test("a long word is read in proportion to its length", () => {
  const doubling = Array.from({ length: 9 }, (_, times) => "a".repeat(2 ** times));
  const pairs = new BytePairs([...doubling, "b", "ab"]);
  const looked = spyOn(Map.prototype, "get");
  const lookupsFor = (text: string): number => {
    looked.mockClear();
    pairs.encode(text);
    return looked.mock.calls.length;
  };
  try {
    for (const part of ["a", "ab"])
      expect(lookupsFor(part.repeat(4000))).toBeLessThan(8 * 4000 * part.length);
  } finally {
    looked.mockRestore();
  }
});

test("a vocabulary in GPT-2's visible letters gives the same tokens", () => {
  const pieces = readVocabulary({ "!": 0, Ġthe: 1, Ċ: 2, é: 3, Ā: 4 });
  expect(pieces).toEqual(["!", " the", "\n", "\u00e9", "\u0000"]);
});
