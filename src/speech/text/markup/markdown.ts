/**
 * Markdown as the text that a reader would say: formatting is silent, words are spoken.
 *
 *   heading, rule           a paragraph
 *   list item, table row    a line; cells are parted by commas
 *   code fence              its lines, without the fence
 *   quote                   its text
 *
 * Text without markdown is unchanged. `numbered` is what the number of a list item becomes.
 */

import { withoutTags } from "./html.ts";
import { plainInline } from "./inline.ts";

const FENCE = /^ ?(?:>+ ?)?(?:```|~~~)/;
const HEADING = /^ ?#{1,6} (.*)$/;
const QUOTE = /^ ?>(?![=\d])[> ]*/;
const BULLET = /^ ?[-*+•‣◦▪●○■□✓✔–] (?:\[[ xX]\] )?/;
const NUMBERED = /^ ?(\d{1,3})[.)] (?=\S)/;
const LINK_DEFINITION = /^ ?\[[^\]^][^\]]*\]: ?<?[^\s<]+>?(?: ["'(].*)?$/;
const NOTE_DEFINITION = /^ ?\[\^[^\]]+\]: ?/;

export function plainMarkdown(text: string, numbered = "$1, "): string {
  const lines = withoutTags(text).split("\n");
  const isList = lines.filter((line) => NUMBERED.test(line)).length > 1; // one alone may be a date, as in German
  const read: string[] = [];
  let fenced = false;
  for (const line of lines) {
    if (FENCE.test(line) && (fenced || !/```.*```/.test(line))) fenced = !fenced;
    else if (fenced) read.push(line);
    else read.push(...readLine(line, isList ? numbered : null));
  }
  return read.join("\n");
}

function readLine(line: string, numbered: string | null): string[] {
  const unquoted = line.replace(QUOTE, "");
  if (isRule(unquoted) || LINK_DEFINITION.test(unquoted)) return [""];
  if (isHeadOfTable(unquoted)) return [];
  const heading = HEADING.exec(unquoted)?.[1];
  if (heading !== undefined) return ["", plainInline(heading.replace(/#{1,9}$/, "")), ""];
  if (isRow(unquoted)) return [readRow(unquoted)];
  const item = unquoted.replace(BULLET, "").replace(NOTE_DEFINITION, "");
  return [plainInline(numbered === null ? item : item.replace(NUMBERED, numbered))];
}

/** A line of three or more dashes, stars, underscores or equals signs. */
function isRule(line: string): boolean {
  const marks = line.replaceAll(" ", "");
  return /^(?:-{3,}|\*{3,}|_{3,}|={3,})$/.test(marks);
}

/** What parts the head of a table from its rows. */
const isHeadOfTable = (line: string): boolean => /^[|:+ -]{3,}$/.test(line) && line.includes("|");

const isRow = (line: string): boolean => /^ ?\|.*\| ?$/.test(line);

const readRow = (line: string): string =>
  line
    .replaceAll("\\|", " ")
    .split("|")
    .map((cell) => plainInline(cell.trim()))
    .filter((cell) => cell !== "")
    .join(", ");
