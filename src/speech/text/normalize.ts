/**
 * Text as an engine should read it. Marks are plain, English is written out (`english.ts`); other languages leave
 * their numbers to the engine, which reads them in its own language.
 */
import { readEnglish } from "./english.ts";

const MARKS: [RegExp, string][] = [
  [/[“”„«»‟]/g, '"'],
  [/[‘’‚‛`´]/g, "'"],
  [/\s?—\s?|\s--\s|\s–\s/g, ", "],
  [/…/g, "..."],
  [/[*_~^|\\{}[\]•]+|<(?!(?:laugh|breath|sigh)>)|(?<!<(?:laugh|breath|sigh))>/g, " "], // expression tags stay
];

/** `language` is a tag; only its primary subtag counts. */
export function normalizeText(text: string, language: string): string {
  let plain = text;
  for (const [pattern, replacement] of MARKS) plain = plain.replace(pattern, replacement);
  if (primary(language) === "en") plain = readEnglish(plain);
  return plain
    .replace(/\s+/g, " ")
    .replace(/ ([,.!?;:])/g, "$1")
    .trim();
}

export const primary = (tag: string): string => tag.toLowerCase().split(/[-_]/)[0]!;
