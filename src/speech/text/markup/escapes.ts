/** Escapes of program text that reached a text as they are: `\n` is a line, `\t` a space, `\u2019` its character. */

/** Paths of Windows, whose names begin like escapes. */
const PATH = /^["'(`]?(?:[A-Za-z]:\\|\\\\[A-Za-z])/;
/** Not the beginning of a command of LaTeX, such as \nabla or \rho. */
const LINES = /(?:\\r)?\\n(?!(?:abla|eq?|u|ot(?:in)?|i)(?![a-z]))|\\r(?![a-z])/g;
const TAB = /\\t(?!(?:ext[a-z]{0,8}|imes|heta|herefore|o|anh?|au|op|ilde|riangle|frac)(?![a-z]))/g;
const CODE_UNIT = /\\u([0-9a-fA-F]{4})/g;

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
