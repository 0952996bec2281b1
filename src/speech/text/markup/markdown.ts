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

/** Paths of Windows, whose names begin like escapes. */
const PATH = /^["'(`]?(?:[A-Za-z]:\\|\\\\[A-Za-z])/;
/** Not the beginning of a command of LaTeX, such as \nabla or \rho. */
const LINES = /(?:\\r)?\\n(?!(?:abla|eq?|u|ot(?:in)?|i)(?![a-z]))|\\r(?![a-z])/g;
const TAB = /\\t(?!(?:ext[a-z]{0,8}|imes|heta|herefore|o|anh?|au|op|ilde|riangle|frac)(?![a-z]))/g;
const CODE_UNIT = /\\u([0-9a-fA-F]{4})/g;

/** Escapes of program text that reached a text as they are: `\n` is a line, `\t` a space, `\u2019` its character. */
export function withoutEscapes(text: string): string {
  if (!/\\[nrtu]/.test(text)) return text;
  return text
    .split(/(\s+)/)
    .map((word) => (word.includes("\\") && !PATH.test(word) ? readEscapes(word) : word))
    .join("");
}

const readEscapes = (word: string): string =>
  word
    .replace(CODE_UNIT, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    .toWellFormed()
    .replace(LINES, "\n")
    .replace(TAB, " ");

const LINKS: [RegExp, string][] = [
  [/!\[([^[\]\n]{0,500})\]\([^()\s]{0,2000}(?: "[^"\n]{0,300}")?\)/g, "$1"],
  [/\[([^[\]\n]{1,500})\]\((?:[^()\s]|\([^()\s]{0,200}\)){0,2000}(?: "[^"\n]{0,300}")?\)/g, "$1"],
  [/\[([^[\]\n]{1,300})\]\[[^[\]\n]{0,100}\]/g, "$1"],
  [/\[\^[\w-]{1,40}\]|【[^【】\n]{0,80}†[^【】\n]{0,80}】/g, ""],
  [/(?<=[\p{L}\d.,;:!?"')\]]) ?\[\d{1,3}(?:[,–-] ?\d{1,3}){0,10}\]/gu, ""], // a citation
];
const ESCAPED = /\\([*_`#[\]()~>+.!|{}-])/g;
/** Marked, inserted and hidden words: the signs touch them, and no word or sign touches the signs. */
const AROUND = [
  /(?<![=\w])==(?=[^\s=])([^=\n]{1,500})(?<=[^\s=])==(?![=\w])/g,
  /(?<![+\w])\+\+(?=[^\s+])([^+\n]{1,500})(?<=[^\s+])\+\+(?![+\w])/g,
  /(?<![|\w])\|\|(?=[^\s|])([^|\n]{1,500})(?<=[^\s|])\|\|(?![|\w])/g,
];
/** What begins a line or follows a sentence, and stands before a capital. */
const ACTION = /(?<=^|[.!?…]["')]? )([*_]{1,3})(\p{L}[^*_\n]{1,200})(?<=\p{L})\1 (?=["'(]?\p{Lu})/gu;
const CODE = /`{1,3}/g;
const STRUCK = /~~/g;
const UNDERSCORES = /(?<![\p{L}\p{N}_])_{1,3}(?=[^\s_])|(?<=[^\s_])_{1,3}(?![\p{L}\p{N}_])/gu;
const STARS = /\*{1,3}/g;

/** What markdown marks inside a line: links, images, notes, emphasis, code. The marks are removed, the words stay. */
function plainInline(line: string): string {
  if (!/[`*_~[\\【]|==|\+\+|\|\|/.test(line)) return line;
  let text = line.replace(ACTION, (written, _, words: string) => (isAction(words) ? `${words}. ` : written));
  for (const pattern of AROUND) text = text.replace(pattern, "$1");
  for (const [pattern, words] of LINKS) text = text.replace(pattern, words);
  return text
    .replace(ESCAPED, "$1")
    .replace(CODE, "")
    .replace(STRUCK, "")
    .replace(UNDERSCORES, "")
    .replace(STARS, (stars, position: number) => (isOperator(text, position) ? stars : ""));
}

/** "*smiles* Hello", "*Holds out a hand* Nice": what a person does; "*Star Wars* Episode" is a name. */
const isAction = (words: string): boolean =>
  /^\p{Ll}/u.test(words) || (/ /.test(words) && !/(?!I(?!\p{L}))\p{Lu}/u.test(words.slice(1)));

/** "2 * 3", "2**3" and "a * b" are calculations, in which stars are read. */
function isOperator(text: string, position: number): boolean {
  const before = /(?:[\d)] ?|(?<![\w*])[a-z] )$/.test(text.slice(Math.max(0, position - 3), position));
  return before && /^\*{1,2}(?: ?[\d(]| [a-z](?!\w))/.test(text.slice(position, position + 6));
}
