/**
 * Whether the ids of a vocabulary are those that the graphs beside it were trained with. Sizes do not tell: shifted or
 * mixed up, a voice speaks other phonemes and a recognizer writes other words.
 */

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Family } from "../../engine/families/families.ts";
import { readModelFile } from "../../onnx/model-file.ts";
import { ProtobufError } from "../../onnx/protobuf.ts";
import type { PackageFile } from "../packages/package.ts";

type Json = Record<string, unknown>;
type Files = { folder: string; files: Pick<PackageFile, "role" | "path">[] };

/** By file. None where the family has no such file, or it cannot be read: the comparison with the signature says so. */
export function vocabularyFaults(
  family: Family,
  { folder, files }: Files,
): { path: string; message: string }[] {
  const pathOf = (role: string) => files.find((file) => file.role === role)?.path ?? "";
  const [model, config, tokenizer] = ["model", "config", "tokenizer"].map(pathOf) as [string, string, string];
  const read = (path: string) => jsonAt(join(folder, path));
  if (family === "vits") {
    const rows = phonemeRows(weightsAt(join(folder, model)));
    return phonemeFaults(read(config), { name: model, rows }).map((message) => ({ path: config, message }));
  }
  if (family !== "whisper") return [];
  const generation = read(pathOf("generation"));
  const end = (generation.eos_token_id ?? read(config).eos_token_id) as number;
  return tokenFaults(read(tokenizer), generation, end).map((message) => ({ path: tokenizer, message }));
}

function jsonAt(path: string): Json {
  try {
    return JSON.parse(readFileSync(path, "utf8")) ?? {};
  } catch {
    return {};
  }
}

function weightsAt(path: string): ReadonlyMap<string, readonly number[]> {
  try {
    return path.endsWith(".onnx") && existsSync(path) ? readModelFile(path).weights : new Map();
  } catch (error) {
    if (error instanceof ProtobufError) return new Map();
    throw error;
  }
}

/** Piper frames each sentence with these, and every voice of eSpeak NG's phonemes has them at the same places. */
const PIPER_IDS: Record<string, number> = { _: 0, "^": 1, $: 2 };

/** Some that the training of Piper gives every voice; one with others was trained in another way. */
const USUAL_IDS: Record<string, number> = {
  " ": 3,
  a: 14,
  e: 18,
  i: 21,
  o: 27,
  u: 33,
  ə: 59,
  ˈ: 120,
  ː: 122,
};

/** Whether a voice has the phoneme ids of other voices. */
export const hasUsualPhonemes = (map: Record<string, number[]>): boolean =>
  Object.entries(USUAL_IDS).every(([phoneme, id]) => !map[phoneme] || map[phoneme][0] === id);

/** Of a Piper voice's configuration; `rows`: how many phonemes its graph knows, where that can be seen. */
export function phonemeFaults(
  { phoneme_id_map: map }: Json,
  { name, rows }: { name: string; rows: number | null },
): string[] {
  const entries = Object.entries((map ?? {}) as Record<string, unknown>);
  const strange = entries.find(([, ids]) => !isIds(ids));
  if (strange)
    return [`phoneme_id_map has ${JSON.stringify(strange[1])} for "${strange[0]}", which are no ids`];
  const ids = new Map(entries as [string, number[]][]);
  const most = Math.max(0, ...[...ids.values()].flat());
  if (rows !== null && most >= rows)
    return [
      `it belongs to another model: it has phonemes up to the id ${most}, and ${name} knows ${rows} of them`,
    ];
  const moved = Object.entries(PIPER_IDS).find(
    ([sign, id]) => ids.has(sign) && String(ids.get(sign)) !== String(id),
  );
  if (!moved) return [];
  return [
    `it belongs to another model: "${moved[0]}" has the id ${ids.get(moved[0])}, and ${moved[1]} in every Piper voice`,
  ];
}

const isIds = (ids: unknown): boolean =>
  Array.isArray(ids) && ids.length > 0 && ids.every((id) => Number.isInteger(id) && id >= 0);

/** How many ids a graph of Piper knows; null where that cannot be seen. */
export function phonemeRows(weights: ReadonlyMap<string, readonly number[]>): number | null {
  const embedding = [...weights].find(([name]) => /(^|\.)enc_p\.emb\.weight(_quantized)?$/.test(name));
  return embedding?.[1][0] ?? null;
}

/** Ids of text tokens in both vocabularies of Whisper: that of GPT-2 in English, and that of many languages. */
const WHISPER_IDS: Record<number, Record<string, number>> = {
  50256: { "!": 0, ",": 11, ".": 13, A: 32, a: 64, Ġt: 256, Ġa: 257, Ġthe: 262, Ġto: 284, Ġand: 290 },
  50257: { "!": 0, ",": 11, ".": 13, A: 32, a: 64, Ġt: 256, Ġa: 257, Ġthe: 264, Ġto: 281, Ġand: 293 },
};
const BYTES = 256;
const MISPLACED_MAX = 0.01; // of the merges

type Tokenizer = {
  model?: { vocab?: Record<string, number>; merges?: (string | [string, string])[] };
  added_tokens?: { content: string; id: number }[];
};

/** Of Whisper's tokenizer and generation; `end`: the id of its first token that is no text. */
export function tokenFaults(tokenizer: Json, generation: Json, end: number): string[] {
  const { model, added_tokens: added } = tokenizer as Tokenizer;
  const ids = new Map(Object.entries(model?.vocab ?? {}));
  for (const { content, id } of Array.isArray(added) ? added : []) ids.set(content, id);
  const expected = [
    ...Object.entries(WHISPER_IDS[end] ?? {}),
    ["<|endoftext|>", end] as const,
    ["<|startoftranscript|>", end + 1] as const,
    ...Object.entries((generation.lang_to_id ?? {}) as Record<string, number>),
    ["<|notimestamps|>", generation.no_timestamps_token_id as number | undefined] as const,
  ];
  const moved = expected.find(([token, id]) => id !== undefined && ids.has(token) && ids.get(token) !== id);
  if (moved)
    return [`it belongs to another model: "${moved[0]}" has the id ${ids.get(moved[0])}, not ${moved[1]}`];
  const merges = Array.isArray(model?.merges) ? model.merges : [];
  const misplaced = merges.filter((merge, at) => {
    const id = ids.get(Array.isArray(merge) ? merge.join("") : String(merge).replace(" ", ""));
    return id !== undefined && id !== BYTES + at;
  });
  if (misplaced.length <= MISPLACED_MAX * merges.length) return [];
  return [`its ids are in another order than its merges: ${misplaced.length} of ${merges.length} differ`];
}
