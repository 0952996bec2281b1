/** Promise: a tokenizer of the right size whose ids are those of another model is refused, and both of Whisper's are not. */
import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { hasUsualPhonemes, phonemeFaults, tokenFaults } from "../../../src/models/signature/vocabulary.ts";
import { realWeights, unlessReal } from "../../../testing/packages/real-weights.ts";

const unless = unlessReal("whisper", "piper");
const END = 50_256;

type Vocab = Record<string, number>;
type Tokenizer = {
  model: { vocab: Vocab; merges: string[] };
  added_tokens: { content: string; id: number }[];
};

const renumbered = (tokenizer: Tokenizer, next: (id: number) => number): Tokenizer => ({
  ...tokenizer,
  model: {
    ...tokenizer.model,
    vocab: Object.fromEntries(Object.entries(tokenizer.model.vocab).map(([token, id]) => [token, next(id)])),
  },
});

describe.skipIf(unless !== "")(`published vocabularies${unless}`, () => {
  const read = (model: "whisper" | "piper", name: string) =>
    JSON.parse(readFileSync(join(realWeights(model)!, name), "utf8"));
  const english = (): Tokenizer => read("whisper", "tokenizer.json");
  const faultsOf = (tokenizer: Tokenizer, generation: object = { no_timestamps_token_id: 50_362 }) =>
    tokenFaults(tokenizer, { ...generation }, END).join();

  test("are accepted as they are", () => {
    expect(faultsOf(english())).toBe("");
    const config = read("piper", "en_US-joe-medium.onnx.json");
    expect(phonemeFaults(config, { name: "joe.onnx", rows: 256 })).toEqual([]);
    expect(hasUsualPhonemes(config.phoneme_id_map)).toBe(true);
  });

  test.each<[name: string, next: (id: number) => number, fault: string]>([
    ["shifted by one", (id) => (id + 1) % END, "belongs to another model"],
    ["shifted among the text", (id) => (id < END ? (id + 1) % END : id), '"!" has the id 1, not 0'],
    ["in reverse", (id) => (id < END ? END - 1 - id : id), '"!" has the id 50255, not 0'],
    [
      "mixed beyond the usual words",
      (id) => (id > 1000 && id < END ? END + 1000 - id : id),
      "another order than its merges: 49",
    ],
  ])("are refused when %s", (_name, next, fault) => {
    const found = faultsOf(renumbered(english(), next));
    expect(found).toContain(fault);
  });

  test("are refused with the special tokens of another model", () => {
    const { added_tokens, ...tokenizer } = english();
    const moved = added_tokens.map(({ content, id }) => ({ content, id: id + 1 }));
    expect(faultsOf({ ...tokenizer, added_tokens: moved })).toContain(
      '"<|endoftext|>" has the id 50257, not 50256',
    );
    expect(faultsOf(english(), { lang_to_id: { "<|de|>": 50_258 } })).toContain(
      '"<|de|>" has the id 50260, not 50258',
    );
  });
});

const TIKTOKEN = new URL("../../../../shared/models/whisper/multilingual.tiktoken", import.meta.url);
const unlessHere = existsSync(TIKTOKEN) ? "" : " (skipped: Whisper's vocabulary is not here)";

test.skipIf(unlessHere !== "")(
  `the vocabulary of many languages is told from that of English${unlessHere}`,
  () => {
    const vocab: Vocab = {};
    for (const line of readFileSync(TIKTOKEN, "utf8").split("\n")) {
      const [piece = "", rank] = line.split(" ");
      if (rank) vocab[Buffer.from(piece, "base64").toString("latin1").replaceAll(" ", "Ġ")] = Number(rank);
    }
    expect(tokenFaults({ model: { vocab } }, {}, 50_257)).toEqual([]);
    expect(tokenFaults({ model: { vocab } }, {}, END).join()).toContain('"Ġthe" has the id 264, not 262');
  },
);

test("a voice with ids of its own training is told from others", () => {
  expect(hasUsualPhonemes({ a: [14], e: [18] })).toBe(true);
  expect(hasUsualPhonemes({ a: [4] })).toBe(false);
  expect(phonemeFaults({ phoneme_id_map: { _: [0], a: [12] } }, { name: "joe.onnx", rows: 10 })).toEqual([
    "it belongs to another model: it has phonemes up to the id 12, and joe.onnx knows 10 of them",
  ]);
});
