/**
 * Text as Supertonic reads it: plain punctuation, a final mark, language tags around it, decomposed letters, one id each.
 *
 *   “Grüße” — bald  ->  <de>"Gru¨ße" - bald.</de>  ->  code points  ->  ids
 */
import { primaryLanguage } from "../../../src/language-tag.ts";

const REPLACED: [RegExp, string][] = [
  [/[–‑—]/g, "-"],
  [/_/g, " "],
  [/[“”]/g, '"'],
  [/[‘’´`]/g, "'"],
  [/[[\]|/#→←]/g, " "],
  [/[♥☆♡©\\]/g, ""],
  [/@/g, " at "],
  [/e\.g\.,/g, "for example, "],
  [/i\.e\.,/g, "that is, "],
  [/[\u{1F000}-\u{1FFFF}]/gu, ""],
  [/(?<! ) +(?=[,.!?;:'])/g, ""],
  [/"{2,}/g, '"'],
  [/'{2,}/g, "'"],
  [/\s+/g, " "],
];
const ENDED = /[.!?;:,'")\]}…。」』】〉》›»]$/;

const LANGUAGES = new Set(
  "en ko ja ar bg cs da de el es et fi fr hi hr hu id it lt lv nl pl pt ro ru sk sl sv tr uk vi".split(" "),
);

/** `language` is a tag; an unknown one counts as none. */
export function supertonicText(text: string, language: string): string {
  const plain = REPLACED.reduce((result, [from, to]) => result.replace(from, to), text).trim();
  const primary = primaryLanguage(language);
  const tag = LANGUAGES.has(primary) ? primary : "na";
  return `<${tag}>${plain}${ENDED.test(plain) ? "" : "."}</${tag}>`.normalize("NFKD");
}

/** Ids by the model's table of code points; other characters are dropped. */
export function supertonicIds(text: string, table: readonly number[]): number[] {
  return [...text].map((letter) => table[letter.codePointAt(0)!] ?? -1).filter((id) => id >= 0);
}
