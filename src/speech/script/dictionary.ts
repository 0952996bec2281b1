/**
 * How an organization reads words: as other letters, or as IPA. Whole words are matched, whatever their capitals, the longest
 * first, in one pass over the text.
 *
 *   nginx -> engine x        SQL -> sequel        Nguyen -> /wɪn/        New York -> …
 */
import type { TextPart } from "../../engine/protocol/plan.ts";
import { SIGNS_MAX, signOf } from "../../engine/protocol/signs.ts";
import { edited } from "../text/origins.ts";
import { isText, type Pronounced, type Script } from "./script.ts";

/** One of `alias` and `phonemes` is null. */
export type DictionaryEntry = { word: string; alias: string | null; phonemes: string | null };

/** Entries by the tokens of their words: those behind a space begin with one. */
type Node = { next: Map<string, Node>; entry: DictionaryEntry | null };
export type Dictionary = { root: Node; size: number };

/** What is not seen, such as a soft hyphen, is no letter of a word and does not end it. */
const TOKEN = /[\p{L}\p{N}\p{M}\p{DI}]+|[^\s\p{L}\p{N}\p{M}\p{DI}]/gu;
const UNSEEN = /\p{DI}+/gu;

/** By which a word is found. */
export const keyOf = (word: string): string =>
  word.normalize("NFC").toLowerCase().replace(/\s+/g, " ").trim();

type Token = { from: number; to: number; key: string };

function tokensOf(text: string): Token[] {
  let end = -1;
  return Array.from(text.matchAll(TOKEN), ({ 0: token, index }) => {
    const key = `${index === end || end === -1 ? "" : " "}${token.replace(UNSEEN, "").normalize("NFC").toLowerCase()}`;
    end = index + token.length;
    return { from: index, to: end, key };
  });
}

/** How many tokens a word has. */
export const tokenCount = (word: string): number => tokensOf(word).length;

export function openDictionary(entries: readonly DictionaryEntry[]): Dictionary {
  const root: Node = { next: new Map(), entry: null };
  for (const entry of entries) {
    let node = root;
    for (const { key } of tokensOf(entry.word)) {
      const next = node.next.get(key) ?? { next: new Map(), entry: null };
      node.next.set(key, next);
      node = next;
    }
    node.entry = entry;
  }
  return { root, size: entries.length };
}

/** The script as the dictionary has it read. */
export function withDictionary(script: Script, dictionary: Dictionary): Script {
  if (dictionary.size === 0) return script;
  const pronounced = [...script.pronounced];
  const signs = new Map<DictionaryEntry, string>();
  const readingOf = (entry: DictionaryEntry): string | null => {
    if (entry.phonemes === null) return entry.alias;
    const known = signs.get(entry);
    if (known !== undefined || pronounced.length === SIGNS_MAX) return known ?? null;
    const sign = signOf(pronounced.length);
    signs.set(entry, sign);
    pronounced.push({ text: entry.word, ipa: entry.phonemes } satisfies Pronounced);
    return sign;
  };
  const parts = script.parts.map((part) => (isText(part) ? readPart(part, dictionary, readingOf) : part));
  return { ...script, parts, pronounced };
}

type ReadingOf = (entry: DictionaryEntry) => string | null;

function readPart(part: TextPart, { root }: Dictionary, readingOf: ReadingOf): TextPart {
  const tokens = tokensOf(part.text.text);
  const edits: { from: number; to: number; by: string }[] = [];
  for (let at = 0; at < tokens.length; ) {
    const match = longestAt(tokens, at, root);
    const by = match && readingOf(match.entry);
    if (match && by !== null) edits.push({ from: tokens[at]!.from, to: tokens[match.last]!.to, by });
    at = match ? match.last + 1 : at + 1;
  }
  return edits.length === 0 ? part : { ...part, text: edited(part.text, edits) };
}

/** The entry with the most tokens that begins here. */
function longestAt(tokens: readonly Token[], first: number, root: Node) {
  let found: { entry: DictionaryEntry; last: number } | null = null;
  let node = root.next.get(tokens[first]!.key.trimStart());
  for (let last = first; node; node = node.next.get(tokens[++last]?.key ?? "")) {
    if (node.entry) found = { entry: node.entry, last };
  }
  return found;
}

/** Code points that the script reads: those of its phonemes in place of a sign. */
export const spokenLength = ({ parts, pronounced }: Script): number => {
  const lengths = new Map(pronounced.map(({ ipa }, index) => [signOf(index), [...ipa].length]));
  let length = 0;
  for (const part of parts)
    if (isText(part)) for (const letter of part.text.text) length += lengths.get(letter) ?? 1;
  return length;
};
