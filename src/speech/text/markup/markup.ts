/** Markup inside a text, as a reader would say it: Markdown, HTML, and the marks around what a language model thinks. */

const FENCE = /^ ?(?:>+ ?)?(?:```|~~~)/;
const HEADING = /^ ?#{1,6} (.*)$/;
const QUOTE = /^ ?>(?![=\d])[> ]*/;
const BULLET = /^ ?[-*+•‣◦▪●○■□✓✔–] (?:\[[ xX]\] )?/;
const NUMBERED = /^ ?(\d{1,3})[.)] (?=\S)/;
const LINK_DEFINITION = /^ ?\[[^\]^][^\]]*\]: ?<?[^\s<]+>?(?: ["'(].*)?$/;
const NOTE_DEFINITION = /^ ?\[\^[^\]]+\]: ?/;

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

/** Elements that are words apart from what stands around them. */
const BLOCKS = new Set(
  "address answer article aside blockquote br dd details div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr li main nav ol p pre section summary table tbody td tfoot th thead title tr ul".split(
    " ",
  ),
);
const INLINE = new Set(
  "a abbr audio b bdi bdo body button canvas cite code col colgroup data del dfn em font head html i iframe img input ins kbd label link mark meta meter noscript option output picture q rp rt ruby s samp select small source span strike strong sub sup svg template textarea time tt u var video wbr speak break prosody say-as phoneme emphasis voice audio lang".split(
    " ",
  ),
);
/** What some voices speak; engines that do not drop the tag. */
const EXPRESSIONS = new Set(["laugh", "breath", "sigh"]);
/** What only other voices speak. */
const UNKNOWN_EXPRESSIONS = new Set("chuckle giggle cough sniffle sniff groan yawn gasp whisper".split(" "));

const TAG =
  /<(\/?)([A-Za-z][A-Za-z0-9-]{0,20})((?:\s{1,20}[\w:@-]{1,40}(?:\s?=\s?(?:"[^"<>]{0,2000}"|'[^'<>]{0,2000}'|[^\s"'<>]{1,200}))?){0,20})\s{0,20}\/?>/g;
const END_TAG = /<\/([A-Za-z][A-Za-z0-9-]{0,20})\s{0,20}>/g;
const COMMENT = /<!--(?:[^-]|-(?!->)){0,20000}-->|<!DOCTYPE[^<>]{0,500}>/gi;
const SILENT = /<(script|style)\b[^<>]{0,500}>(?:[^<]|<(?!\/\1)){0,20000}<\/\1\s?>/gi;
const AUTOLINK = /<((?:https?:\/\/|mailto:)?[^\s<>]{1,2000}[.@:][^\s<>]{1,2000})>/g;
const ENTITY = /&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,8}[1-4]{0,2}));/gi;

const ENTITIES: Record<string, string> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: "\u00A0",
  ensp: " ",
  emsp: " ",
  thinsp: "\u2009",
  shy: "",
  zwj: "\u200D",
  zwnj: "\u200C",
  lrm: "",
  rlm: "",
  frasl: "/",
  ndash: "–",
  mdash: "—",
  hellip: "...",
  lsquo: "'",
  rsquo: "'",
  ldquo: '"',
  rdquo: '"',
  laquo: '"',
  raquo: '"',
  bull: "•",
  middot: "·",
  copy: "©",
  reg: "®",
  trade: "™",
  deg: "°",
  plusmn: "±",
  times: "×",
  divide: "÷",
  frac12: "½",
  frac14: "¼",
  frac34: "¾",
  sup2: "²",
  sup3: "³",
  micro: "µ",
  cent: "¢",
  pound: "£",
  euro: "€",
  yen: "¥",
  sect: "§",
  para: "¶",
  larr: "←",
  rarr: "→",
  le: "≤",
  ge: "≥",
  ne: "≠",
};

export const decodeEntities = (text: string): string =>
  text.includes("&") ? text.replace(ENTITY, readEntity) : text;

/** HTML and SSML inside a text: entities become their characters, tags are removed, blocks end a line. */
function withoutTags(text: string): string {
  if (!text.includes("<")) return text;
  const ended = new Set(Array.from(text.matchAll(END_TAG), ([, name]) => name!.toLowerCase()));
  const readTag = (tag: string, ...[, name, attributes]: string[]) => {
    const key = name!.toLowerCase();
    return ended.has(key) && !isKnown(key) ? " " : readKnown(tag, key, attributes!);
  };
  return text.replace(COMMENT, " ").replace(SILENT, " ").replace(TAG, readTag).replace(AUTOLINK, "$1");
}

const isKnown = (name: string): boolean =>
  [BLOCKS, INLINE, EXPRESSIONS, UNKNOWN_EXPRESSIONS].some((names) => names.has(name));

/** What is no element may be a word, unless it is ended: the type in `List<String>`. */
function readKnown(tag: string, name: string, attributes: string): string {
  if (BLOCKS.has(name)) return "\n";
  if (INLINE.has(name)) return "";
  if (EXPRESSIONS.has(name)) return tag;
  if (UNKNOWN_EXPRESSIONS.has(name) || tag.endsWith("/>")) return " ";
  return attributes === "" ? ` ${name.length > 1 ? tag.replace(/[</>]/g, "") : tag} ` : tag;
}

function readEntity(entity: string, ...[code, hex, name]: string[]): string {
  if (name !== undefined) return ENTITIES[name] ?? ENTITIES[name.toLowerCase()] ?? entity;
  const point = code === undefined ? Number.parseInt(hex!, 16) : Number(code);
  return point > 31 && point <= 0x10ffff ? String.fromCodePoint(point).toWellFormed() : " ";
}

/** The first group is a mark that ends it. Between backticks a mark is a word. */
const MARKS =
  /(?<!`)(?:(<\/(?:think|thinking|thought|reasoning|reflection)\s?>|\[\/THINK\]|◁\/think▷|<\|channel\|>final<\|message\|>)|<(?:think|thinking|thought|reasoning|reflection)>|\[THINK\]|◁think▷|<\|channel\|>analysis<\|message\|>)(?!`)/gi;
/** What each of them begins with. */
const OPENING = /[<[◁]/;
/** Signs of a model that stand for no text. */
const SIGNS = /<\|[a-z_]{1,30}\|>(?:assistant(?=<\|))?/g;

/**
 * What a language model thinks before it answers, between the marks that models put around it. It is not read aloud.
 *
 *   <think>plan</think>Done.      plan</think>Done.      <think>plan …
 *
 * Of a text that is sent in pieces, one may have the first mark or the last alone.
 */
export function withoutReasoning(text: string): string {
  if (!OPENING.test(text)) return text;
  const kept: string[] = [];
  let at = 0; // up to here the text is kept or left out
  let isThinking = false;
  for (const { 0: mark, 1: end, index } of text.matchAll(MARKS)) {
    if (!isThinking && (!end || at > 0)) kept.push(text.slice(at, index)); // before the first mark of all, an end is thinking
    if (end || !isThinking) at = index + mark.length;
    isThinking = !end;
  }
  const isCutOff = isThinking && kept.every((each) => each.trim() === "");
  if (!isCutOff) kept.push(text.slice(at));
  return kept.join(" ").replace(SIGNS, " ");
}
