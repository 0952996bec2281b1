/**
 * Promise: texts become the tokens that SentencePiece makes of them, with both forms of a vocabulary; what no piece covers is
 * written as bytes, and characters are replaced as the model file says.
 */
import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { jsonVocabulary, modelVocabulary } from "../../../../testing/packages/families/pocket-files.ts";
import { openCharacterMap } from "../../../../workers/tts/pocket/character-map.ts";
import { openTokenizer } from "../../../../workers/tts/pocket/sentencepiece.ts";
import { readVocabulary } from "../../../../workers/tts/pocket/vocabulary.ts";

const folder = mkdtempSync(join(tmpdir(), "loquat-tokens-"));
afterAll(() => rmSync(folder, { recursive: true }));

const file = (name: string, bytes: Uint8Array | string) => {
  writeFileSync(join(folder, name), bytes);
  return join(folder, name);
};
const { vocabulary, scores } = jsonVocabulary();
const pieces: Record<string, number> = JSON.parse(vocabulary!.bytes as string);
const names: string[] = [];
for (const [text, id] of Object.entries(pieces)) names[id] = text;
const byJson = openTokenizer(
  readVocabulary({
    vocabulary: file("vocab.json", vocabulary!.bytes),
    scores: file("scores.json", scores!.bytes),
  }),
);
const byModel = openTokenizer(readVocabulary({ tokenizer: file("tokenizer.model", modelVocabulary()) }));

test.each([
  ["Hello there", "▁Hello ▁there"],
  ["How are you today?", "▁How ▁are ▁you ▁today ?"],
  ["hello... world", "▁hello ... ▁world"],
  ["wall", "▁w a ll"],
  ["é", "▁ <0xC3> <0xA9>"],
])("%s is divided into the likeliest pieces", (text, expected) => {
  for (const { encode, decode } of [byJson, byModel]) {
    const ids = encode(text);
    expect(ids.map((id) => names[id]).join(" ")).toBe(expected);
    expect(decode(ids)).toBe(text);
  }
});

test("a model file puts a space in front in any case; without one, a space that is there counts", () => {
  expect(byModel.encode("  a").map((id) => names[id])).toEqual(["▁", "▁", "▁a"]);
  expect(byJson.encode("  a").map((id) => names[id])).toEqual(["▁", "▁a"]);
});

/** A double array in which each node has a block of 256 places for those that follow it. */
function characterMap(replaced: Record<string, string>): Uint8Array {
  const texts = Buffer.from(
    Object.values(replaced)
      .map((text) => `${text}\0`)
      .join(""),
  );
  const places = Object.values(replaced).map((_, at, all) =>
    Buffer.byteLength(
      all
        .slice(0, at)
        .map((text) => `${text}\0`)
        .join(""),
    ),
  );
  const units = new Uint32Array(256 * 64);
  let blocks = 1;
  const add = (at: number, keys: [bytes: Uint8Array, value: number][], label: number) => {
    const base = 256 * blocks++;
    const ended = keys.find(([bytes]) => bytes.length === 0);
    units[at] = ((at ^ base) << 10) | (ended ? 0x100 : 0) | label;
    if (ended) units[base] = (0x80000000 | ended[1]) >>> 0;
    for (const [first, rest] of Map.groupBy(
      keys.filter(([bytes]) => bytes.length > 0),
      ([bytes]) => bytes[0]!,
    ))
      add(
        base ^ first,
        rest.map(([bytes, value]) => [bytes.subarray(1), value]),
        first,
      );
  };
  add(
    0,
    Object.keys(replaced).map((key, at) => [Buffer.from(key), places[at]!]),
    0,
  );
  const head = Buffer.alloc(4);
  head.writeUInt32LE(units.byteLength);
  return Buffer.concat([head, new Uint8Array(units.buffer), texts]);
}

test("the longest known beginning is replaced, and the rest stays", () => {
  const replace = openCharacterMap(characterMap({ ﬁ: "fi", "½": "1/2", a: "b", aa: "c", "\t": " " }));
  expect(replace("ﬁne\t½ aaa é😀")).toBe("fine 1/2 cb é😀");
  expect(openCharacterMap(new Uint8Array())("as it is")).toBe("as it is");
});

test("a damaged character map is refused", () => {
  expect(() => openCharacterMap(Uint8Array.of(255, 255, 0, 0, 1))).toThrow("is damaged");
});
