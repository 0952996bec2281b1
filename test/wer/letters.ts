/** Text without marks, as the normalizers of the Open ASR leaderboard have it, and patterns with the words of Python. */

/** Letters that Unicode does not take apart into a base and a diacritic. */
const LETTERS: Record<string, string> = {
  œ: "oe",
  Œ: "OE",
  ø: "o",
  Ø: "O",
  æ: "ae",
  Æ: "AE",
  ß: "ss",
  ẞ: "SS",
  đ: "d",
  Đ: "D",
  ð: "d",
  Ð: "D",
  þ: "th",
  Þ: "th",
  ł: "l",
  Ł: "L",
};

/** A pattern between the ends of words: `\b` of JavaScript ends a word at every letter that is not ASCII. */
export const wordPattern = (pattern: string): RegExp =>
  new RegExp(`(?<![\\p{L}\\p{N}_])${pattern}(?![\\p{L}\\p{N}_])`, "gu");

/** The end of a contraction, which has a letter before it. */
export const endPattern = (pattern: string): RegExp => new RegExp(`${pattern}(?![\\p{L}\\p{N}_])`, "gu");

export const withoutBrackets = (text: string): string =>
  text.replace(/[<[][^>\]]*[>\]]/gu, "").replace(/\([^)]+?\)/gu, "");

/** Without diacritics; marks become spaces, but for those of `keep`. */
export const plainLetters = (text: string, keep: string): string =>
  Array.from(text.normalize("NFKD"), (letter) => {
    if (keep.includes(letter)) return letter;
    if (/\p{Mn}/u.test(letter)) return "";
    return LETTERS[letter] ?? (/[\p{M}\p{S}\p{P}]/u.test(letter) ? " " : letter);
  }).join("");

/** With diacritics; marks become spaces, those of combining letters too. */
export const withoutMarks = (text: string): string =>
  text.normalize("NFKC").replace(/[\p{M}\p{S}\p{P}]/gu, " ");

export const singleSpaces = (text: string): string => text.replace(/\p{White_Space}+/gu, " ");

/** The words of a text: what spaces part. */
export const wordsIn = (text: string): string[] =>
  text.split(/\p{White_Space}+/u).filter((word) => word !== "");
