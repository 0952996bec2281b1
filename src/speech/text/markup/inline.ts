/** What markdown marks inside a line: links, images, notes, emphasis, code. The marks are removed, the words stay. */

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

export function plainInline(line: string): string {
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
