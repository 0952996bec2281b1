/**
 * Text as an engine should read it: characters are plain, markup is silent, addresses are said, and English is written
 * out. Other languages leave their numbers to the engine, which reads them in its own language.
 *
 *   entities, escapes ──> groups of digits ──> characters ──> reasoning, formulas, markup ──> addresses
 *     ──> ranges of names ──> pauses ──> English rules ──> without unspoken marks
 *
 * Lines and paragraphs stay: a line is a pause, an empty line a longer one.
 */
import { primaryLanguage } from "../../language-tag.ts";
import { readAddresses } from "./addresses.ts";
import { plainCharacters } from "./characters.ts";
import { differences } from "./differences.ts";
import { readEnglish } from "./english/english.ts";
import { joinGroups } from "./grouped-digits.ts";
import type { Changed } from "./lexicon/rule.ts";
import { withoutEscapes } from "./markup/escapes.ts";
import { decodeEntities } from "./markup/html.ts";
import { readFormulas } from "./markup/latex.ts";
import { plainMarkdown } from "./markup/markdown.ts";
import { withoutReasoning } from "./markup/reasoning.ts";
import { readNameRanges } from "./name-ranges.ts";
import { writePauses } from "./pauses.ts";

/** Marks that are never said; the tags of expressions, which some voices speak, stay. */
const UNSAID = /[*_~^|\\{}[\]•·■□●○#`]+|<(?!(?:laugh|breath|sigh)>)|(?<!<(?:laugh|breath|sigh))>/g;

/** `language` is a tag; its region decides the order of dates in English. `changed` is told of each step's edits. */
export function normalizeText(text: string, language: string, changed?: Changed): string {
  const spoken = primaryLanguage(language);
  const before = [
    decodeEntities,
    withoutEscapes,
    (read: string) => joinGroups(read, spoken),
    plainCharacters,
    withoutReasoning,
    (read: string) => readFormulas(read, spoken === "en"),
    plainMarkdown,
    (read: string) => readAddresses(read, spoken),
    (read: string) => readNameRanges(read, spoken),
    writePauses,
  ];
  const words = before.reduce((read, step) => stepped(step, read, changed), text);
  const read = spoken === "en" ? readEnglish(words, language, changed) : words;
  return stepped(tidyLines, read, changed);
}

function stepped(step: (text: string) => string, text: string, changed: Changed | undefined): string {
  const read = step(text);
  if (changed && read !== text) changed(differences(text, read));
  return read;
}

const tidyLines = (text: string): string =>
  text
    .split("\n")
    .map(tidy)
    .join("\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim();

function tidy(line: string): string {
  return line
    .replace(UNSAID, " ")
    .replace(/\s+/g, " ")
    .replace(/ ([,.!?;:])/g, "$1")
    .replace(/^[\s,;:]+/, "")
    .trim();
}
