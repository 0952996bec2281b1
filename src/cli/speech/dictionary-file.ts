/** A pronunciation dictionary in a file, as "loquat pronunciation list --json" prints one. */
import { readFileSync } from "node:fs";
import { Refusal } from "../../errors.ts";
import { checkedEntry, ENTRIES_MAX } from "../../pronunciations/pronunciations.ts";
import { type Dictionary, openDictionary } from "../../speech/script/dictionary.ts";
import { UsageError } from "../base/output.ts";

export const DICTIONARY_OPTION = [
  "--dictionary <file>",
  'how words are read, as "loquat pronunciation list --json" prints it',
] as const;

/** Undefined: a dictionary without words. */
export function readDictionary(path: string | undefined): Dictionary {
  if (path === undefined) return openDictionary([]);
  const words = (contentOf(path) as { data?: unknown }).data;
  if (!Array.isArray(words)) throw new UsageError(`${path}: it has no list "data" of words.`);
  if (words.length > ENTRIES_MAX) throw new UsageError(`${path}: it has more than ${ENTRIES_MAX} words.`);
  return openDictionary(words.map((entry, index) => entryOf(entry, `${path}, word ${index + 1}`)));
}

function contentOf(path: string): object {
  try {
    return Object(JSON.parse(readFileSync(path, "utf8")));
  } catch (error) {
    throw new UsageError(`${path} cannot be read as a dictionary: ${(error as Error).message}`);
  }
}

function entryOf(entry: unknown, place: string) {
  const { word, alias = null, phonemes = null } = Object(entry) as Record<string, unknown>;
  if (typeof word !== "string" || !isReading(alias) || !isReading(phonemes))
    throw new UsageError(`${place}: it needs "word", and "alias" or "phonemes", as text.`);
  try {
    return checkedEntry({ word, alias, phonemes });
  } catch (error) {
    if (error instanceof Refusal) throw new UsageError(`${place}: ${error.message}`);
    throw error;
  }
}

const isReading = (value: unknown): value is string | null => value === null || typeof value === "string";
