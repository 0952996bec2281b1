/** Fractions: with a slash or as one character, alone or behind a whole number, and what looks like one and is none. */
import { cardinal, ordinal, quantity } from "../lexicon/numbers.ts";
import type { Rule } from "../lexicon/rule.ts";

const CHARACTERS: Record<string, string> = {
  "½": "1/2",
  "⅓": "1/3",
  "⅔": "2/3",
  "¼": "1/4",
  "¾": "3/4",
  "⅕": "1/5",
  "⅖": "2/5",
  "⅗": "3/5",
  "⅘": "4/5",
  "⅙": "1/6",
  "⅚": "5/6",
  "⅐": "1/7",
  "⅛": "1/8",
  "⅜": "3/8",
  "⅝": "5/8",
  "⅞": "7/8",
  "⅑": "1/9",
  "⅒": "1/10",
};
const CHARACTER = `[${Object.keys(CHARACTERS).join("")}]`;
/** Denominators with a name that is heard as one. */
const NAMED = new Set("2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 32 64 100 1000".split(" "));
const IDIOMS: Record<string, string> = {
  "24/7": "twenty-four seven",
  "24/7/365": "twenty-four seven three sixty-five",
  "9/11": "nine eleven",
  "7/11": "seven eleven",
  "20/20": "twenty twenty",
};

/** A fraction with a bottom of 1 to 3 digits, perhaps behind a whole number. */
export const FRACTION = `(?:\\d{1,3}[ -])?\\d{1,2}/\\d{1,2}(?![\\d/])|\\d{0,3} ?${CHARACTER}`;

/** Null where the bottom has no name that is heard as one. */
function part(top: string, bottom: string): string | null {
  if (bottom === "2") return `${cardinal(top)} ${top === "1" ? "half" : "halves"}`;
  if (top.length > 2 || Number(bottom) < 2 || (bottom.length > 2 && !NAMED.has(bottom))) return null;
  const name = bottom === "4" ? "quarter" : ordinal(bottom);
  return `${cardinal(top)} ${name}${top === "1" ? "" : "s"}`;
}

/** "2 1/2" -> "two and a half"; "3/4" and "¾" -> "three quarters"; "5/200" -> "five over two hundred". */
export function readFraction(text: string): string {
  const plain = text.replace(/(?<=(\d?))[¼-¾⅐-⅞]/, (mark, digit) => (digit ? " " : "") + CHARACTERS[mark]);
  const [, whole, top, bottom] =
    /^(?:(\d{1,6})[ +-]{1,3})?(\d{1,6}) ?\/ ?(\d{1,6})$/.exec(plain.trim()) ?? [];
  if (!top || !bottom) return text;
  const named = part(top, bottom);
  const result = named ?? `${cardinal(top)} over ${cardinal(bottom)}`;
  return whole
    ? `${cardinal(whole)} and ${top === "1" && named ? result.replace(/^one/, "a") : result}`
    : result;
}

export const FRACTIONS: Rule[] = [
  {
    name: "idiom with a slash",
    what: "24/7, 9/11 and shares of a hundred such as 50/50 are read number by number.",
    example: ["24/7, 9/11, 50/50", "twenty-four seven, nine eleven, fifty fifty"],
    pattern: /(?<![\w./-])(?:24\/7(?:\/365)?|9\/11|7\/11|20\/20|([1-9]\d)\/([1-9]\d))(?![\w/%]|\.\d)/g,
    read: ([text, first, second]) => {
      if (Object.hasOwn(IDIOMS, text)) return IDIOMS[text]!;
      return Number(first) + Number(second) === 100 ? `${cardinal(first!)} ${cardinal(second!)}` : text;
    },
  },
  {
    name: "mixed number",
    what: 'A whole number before a fraction is joined to it with "and".',
    example: ["2 1/2 cups, 1¾", "two and a half cups, one and three quarters"],
    pattern: new RegExp(
      `(?<![\\w./,])(?:\\d{1,3}[ -](?=[1-9])\\d{1,2}/[1-9]\\d?(?![\\w/]|\\.\\d)|\\d{1,3} ?${CHARACTER})`,
      "g",
    ),
    read: ([text]) => {
      const [, top, bottom] = /(\d{1,2})\/(\d{1,2})$/.exec(text) ?? [];
      return !top || (Number(top) < Number(bottom) && NAMED.has(bottom!)) ? readFraction(text) : text;
    },
  },
  {
    name: "fraction",
    what: "Two numbers with a slash are a fraction, out of ten or a hundred a mark, and otherwise one over the other.",
    example: [
      "3/4 cup, ⅓, 8/10, 120/80",
      "three quarters cup, one third, eight out of ten, one hundred twenty over eighty",
    ],
    pattern: new RegExp(
      `(?<![\\w./-])(\\d{1,4}(?:\\.\\d{1,2})?)/(\\d{1,4})(?![\\w/%]|\\.\\d)|${CHARACTER}`,
      "g",
    ),
    read: ([text, top, bottom]) => {
      if (!top || !bottom) return readFraction(text);
      if (top.includes(".") || (/^10{1,2}$/.test(bottom) && Number(top) > 1))
        return `${quantity(top)} out of ${cardinal(bottom)}`;
      const named = NAMED.has(bottom) && !top.startsWith("0") ? part(top, bottom) : null;
      return named ?? `${cardinal(top)} over ${cardinal(bottom)}`;
    },
  },
];
