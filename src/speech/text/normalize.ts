/**
 * Text as an engine should read it: characters are plain, markup is silent, addresses are said, and English is written
 * out. Other languages leave their numbers to the engine, which reads them in its own language.
 *
 *   entities ──> characters ──> markup ──> addresses ──> pauses ──> English rules ──> without unspoken marks
 *
 * Lines and paragraphs stay: a line is a pause, an empty line a longer one.
 */
import { primaryLanguage } from "../../language-tag.ts";
import { readAddresses } from "./addresses.ts";
import { plainCharacters } from "./characters.ts";
import { readEnglish } from "./english.ts";
import { decodeEntities } from "./markup/html.ts";
import { plainMarkdown } from "./markup/markdown.ts";
import { writePauses } from "./pauses.ts";

/** Marks that are never said; the tags of expressions, which some voices speak, stay. */
const UNSAID = /[*_~^|\\{}[\]•·■□●○#`]+|<(?!(?:laugh|breath|sigh)>)|(?<!<(?:laugh|breath|sigh))>/g;

/** `language` is a tag; its region decides the order of dates in English. */
export function normalizeText(text: string, language: string): string {
  const spoken = primaryLanguage(language);
  const words = writePauses(readAddresses(plainMarkdown(plainCharacters(decodeEntities(text))), spoken));
  const read = spoken === "en" ? readEnglish(words, language) : words;
  return read
    .split("\n")
    .map(tidy)
    .join("\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
}

function tidy(line: string): string {
  return line
    .replace(UNSAID, " ")
    .replace(/\s+/g, " ")
    .replace(/ ([,.!?;:])/g, "$1")
    .replace(/^[\s,;:]+/, "")
    .trim();
}
