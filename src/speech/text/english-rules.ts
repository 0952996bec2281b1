/**
 * How written English is read aloud: an ordered table of rules, each a pattern and its reading. The order matters: a rule
 * sees what the rules before it have left, and later ones read the numbers inside what earlier ones write.
 *
 * A pattern examines a run of digits or letters from each of its positions, which takes the square of its length. So the
 * caller bounds the length of a run (`english.ts`), and no pattern repeats across spaces.
 */
import {
  ABBREVIATIONS,
  CURRENCIES,
  MONTHS,
  MULTIPLES,
  NUMBERED,
  RULERS,
  TITLES,
  UNITS,
} from "./english-tables.ts";
import { cardinal, decade, decimal, ordinal, quantity, romanValue, spelled, year } from "./numbers.ts";

export type Rule = {
  name: string;
  pattern: RegExp;
  /** The match and its groups, as text. */
  read: (match: [string, ...string[]]) => string;
};

const NUMBER = "\\d{1,3}(?:,\\d{3})+(?:\\.\\d+)?|\\d+(?:\\.\\d+)?";
const MONTH = MONTHS.map((name) => `${name}|${name.slice(0, 3)}\\.?`).join("|");
const literal = (text: string) => text.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");
/** The longest first: a pattern takes the first that matches. */
const keysOf = (table: object) =>
  Object.keys(table)
    .map(literal)
    .toSorted((a, b) => b.length - a.length)
    .join("|");

const ADDRESSES: Rule[] = [
  {
    name: "web address",
    pattern:
      /\b(?:https?:\/\/)?(?:www\.)?((?:[\w-]+\.)+(?:com|org|net|io|dev|edu|gov|co|uk|de|fr|app|ai|info)(?:\/[\w./-]*\w)?)\b/gi,
    read: ([, site]) => readAddress(site!),
  },
  {
    name: "email address",
    pattern: /\b[\w.+-]+@[\w-]+(?:\.[\w-]+)*\b/g,
    read: ([mail]) => readAddress(mail),
  },
];

const DATES_AND_TIMES: Rule[] = [
  {
    name: "ISO date",
    pattern: /\b(\d{4})-(\d{2})-(\d{2})\b/g,
    read: ([text, y, m, d]) => readDate({ y: y!, m: m!, d: d! }) ?? text,
  },
  {
    name: "date with slashes",
    pattern: /\b(\d{1,2})\/(\d{1,2})\/(\d{4})\b/g,
    read: ([text, m, d, y]) => readDate({ y: y!, m: m!, d: d! }) ?? text,
  },
  {
    name: "month and day",
    pattern: new RegExp(`\\b(${MONTH}) (\\d{1,2})(?:st|nd|rd|th)?\\b(?!:|,\\d)`, "g"),
    read: ([, month, day]) => `${fullMonth(month!)} ${ordinal(day!)}`,
  },
  {
    name: "day and month",
    pattern: new RegExp(`\\b(\\d{1,2}) (${MONTH})\\b`, "g"),
    read: ([, day, month]) => `the ${ordinal(day!)} of ${fullMonth(month!)}`,
  },
  {
    name: "time",
    pattern: /\b(\d{1,2}):(\d{2})(?::\d{2})?(?: ?([ap])\.?m\b\.?)?/gi,
    read: ([, hours, minutes, half]) => readTime(hours!, minutes!, half),
  },
  {
    name: "full hour",
    pattern: /\b(\d{1,2}) ?([ap])\.?m\b\.?/gi,
    read: ([, hours, half]) => `${cardinal(hours!)} ${half!.toUpperCase()} M`,
  },
];

const QUANTITIES: Rule[] = [
  {
    name: "money",
    pattern: new RegExp(
      `([${Object.keys(CURRENCIES).join("")}]) ?(${NUMBER})(?: ?(thousand|million|billion|trillion|k|m|bn|b|tn)\\b)?`,
      "gi",
    ),
    read: ([, sign, amount, multiple]) => readMoney(sign!, amount!, multiple),
  },
  {
    name: "percentage",
    pattern: new RegExp(`(${NUMBER}) ?%`, "g"),
    read: ([, number]) => `${quantity(number!)} percent`,
  },
  {
    name: "degrees",
    pattern: new RegExp(`(${NUMBER}) ?°([CF])?\\b`, "g"),
    read: ([, number, scale]) =>
      `${quantity(number!)} degrees${scale ? { C: " Celsius", F: " Fahrenheit" }[scale] : ""}`,
  },
  {
    name: "measure",
    pattern: new RegExp(`\\b(${NUMBER}) ?(${keysOf(UNITS)})\\b(?!\\.\\w)`, "gi"),
    read: ([text, number, unit]) => readMeasure(text, number!, unit!),
  },
  {
    name: "ordinal",
    pattern: /\b(\d[\d,]*)(?:st|nd|rd|th)\b/g,
    read: ([, number]) => ordinal(number!),
  },
];

const DECADES_AND_RANGES: Rule[] = [
  {
    name: "decade",
    pattern: /\b(1[1-9]|20)(\d0)s\b/g,
    read: ([, century, rest]) =>
      rest === "00" ? `${year(century + rest)}s` : `${cardinal(century!)} ${decade(rest!)}`,
  },
  { name: "short decade", pattern: /(?<!\w)'(\d0)s\b/g, read: ([, rest]) => decade(rest!) },
  {
    name: "telephone number",
    pattern: /(?<![\d.])\+?\(?\d{1,4}\)?(?:[- ]\d{2,4}){2,4}(?![\d.])/g,
    read: ([text]) => readTelephone(text),
  },
  {
    name: "range of years",
    pattern: /\b(1[0-9]|20)(\d\d) ?[-–] ?(1[0-9]|20)(\d\d)\b/g,
    read: ([, a, b, c, d]) => `${year(a! + b!)} to ${year(c! + d!)}`,
  },
  {
    name: "range",
    pattern: new RegExp(`\\b(${NUMBER}) ?[-–] ?(${NUMBER})\\b(?![-\\d])`, "g"),
    read: ([, from, to]) => `${quantity(from!)} to ${quantity(to!)}`,
  },
];

const FRACTIONS: Rule[] = [
  { name: "one half", pattern: /\b1\/2\b|½/g, read: () => "one half" },
  { name: "one quarter", pattern: /\b1\/4\b|¼/g, read: () => "one quarter" },
  { name: "three quarters", pattern: /\b3\/4\b|¾/g, read: () => "three quarters" },
  {
    name: "fraction",
    pattern: /\b(\d{1,2})\/(\d{1,2})\b/g,
    read: ([text, top, bottom]) =>
      Number(bottom) < 2 ? text : `${cardinal(top!)} ${ordinal(bottom!)}${isOne(top!) ? "" : "s"}`,
  },
];

const NAMES_AND_ABBREVIATIONS: Rule[] = [
  {
    name: "ruler",
    pattern: new RegExp(`\\b(${RULERS}) ([IVXL]+)\\b`, "g"),
    read: ([, name, numeral]) => `${name} the ${ordinal(String(romanValue(numeral!)))}`,
  },
  {
    name: "numbered part",
    pattern: new RegExp(`\\b(${NUMBERED}) ([IVXLC]+)\\b`, "g"),
    read: ([, part, numeral]) => `${part} ${cardinal(String(romanValue(numeral!)))}`,
  },
  { name: "No.", pattern: /\bNo\. ?(?=\d)/g, read: () => "number " },
  {
    name: "title",
    pattern: new RegExp(`\\b(${keysOf(TITLES)})\\. (?=\\p{Lu})`, "gu"),
    read: ([, title]) => `${TITLES[title!]} `,
  },
  { name: "saint", pattern: /\bSt\. (?=\p{Lu})/gu, read: () => "Saint " },
  {
    name: "street or road",
    pattern: /(?<=\p{Lu}\p{Ll}+ )(?:St|Rd)\.(?=\s|,|$)/gu,
    read: ([text]) => (text === "St." ? "Street" : "Road"),
  },
  {
    name: "abbreviation",
    pattern: new RegExp(`(?<![\\w.])(${keysOf(ABBREVIATIONS)})(?!\\w)`, "gi"),
    read: ([, short]) => ABBREVIATIONS[short!.toLowerCase()]!,
  },
];

const NUMBERS: Rule[] = [
  {
    name: "year",
    pattern: /(?<![\w.,])(1[1-9]|20)(\d\d)\b(?![.,]\d|%|-)/g,
    read: ([, century, rest]) => year(century! + rest!),
  },
  { name: "minus", pattern: /(?<![\w.])-(?=\d)/g, read: () => "minus " },
  {
    name: "decimal",
    pattern: /(\d{1,3}(?:,\d{3})+|\d*)\.(\d+)(?![\d.])/g,
    read: ([, whole, fraction]) => ` ${decimal(whole!, fraction!)}`,
  },
  {
    name: "whole number",
    pattern: /\d{1,3}(?:,\d{3})+(?!\d)|\d+/g,
    read: ([digits]) => ` ${cardinal(digits)} `,
  },
];

const SIGNS: Rule[] = [
  { name: "ampersand", pattern: / ?& ?/g, read: () => " and " },
  { name: "at sign", pattern: / ?@ ?/g, read: () => " at " },
  { name: "number sign", pattern: /#(?=\s?\w)/g, read: () => "number " },
  {
    name: "arithmetic sign",
    pattern: / ?([+=×÷]) ?/g,
    read: ([, sign]) => ` ${{ "+": "plus", "=": "equals", "×": "times", "÷": "divided by" }[sign!]} `,
  },
];

/** In the order in which they apply. */
export const ENGLISH_RULES: Rule[] = [
  ...ADDRESSES,
  ...DATES_AND_TIMES,
  ...QUANTITIES,
  ...DECADES_AND_RANGES,
  ...FRACTIONS,
  ...NAMES_AND_ABBREVIATIONS,
  ...NUMBERS,
  ...SIGNS,
];

const isOne = (number: string) => number === "1";

const MARKS: Record<string, string> = {
  ".": "dot",
  "/": "slash",
  "@": "at",
  ":": "colon",
  _: "underscore",
  "-": "dash",
};

const readAddress = (text: string) => text.replace(/[./@:_-]/g, (mark) => ` ${MARKS[mark]} `);

/** Null: not a date. */
function readDate({ y, m, d }: { y: string; m: string; d: string }): string | null {
  const month = MONTHS[Number(m) - 1];
  const day = Number(d);
  return month && day >= 1 && day <= 31 ? `${month} ${ordinal(String(day))}, ${year(y)}` : null;
}

const fullMonth = (name: string) => MONTHS.find((month) => month.startsWith(name.slice(0, 3)))!;

function readTime(hours: string, minutes: string, half: string | undefined): string {
  const suffix = half ? ` ${half.toUpperCase()} M` : "";
  if (minutes === "00") return `${cardinal(String(Number(hours)))}${suffix || " o'clock"}`;
  const spoken = minutes.startsWith("0") ? `oh ${cardinal(minutes[1]!)}` : cardinal(minutes);
  return `${cardinal(String(Number(hours)))} ${spoken}${suffix}`;
}

function readMoney(sign: string, amount: string, multiple: string | undefined): string {
  const [single, plural, cent] = CURRENCIES[sign]!;
  if (multiple) return `${quantity(amount)} ${MULTIPLES[multiple.toLowerCase()] ?? multiple} ${plural}`;
  const [whole = "0", cents] = amount.split(".");
  const main = `${cardinal(whole)} ${isOne(whole) ? single : plural}`;
  if (!cents || Number(cents) === 0) return main;
  if (cents.length !== 2) return `${quantity(amount)} ${plural}`;
  const small = Number(cents);
  const coin = small === 1 ? cent : cent === "penny" ? "pence" : `${cent}s`;
  const change = `${cardinal(String(small))} ${coin}`;
  return Number(whole) === 0 ? change : `${main} and ${change}`;
}

function readMeasure(text: string, number: string, unit: string): string {
  const names = UNITS[unit.toLowerCase()];
  return names ? `${quantity(number)} ${names[isOne(number) ? 0 : 1]}` : text;
}

/** Digit by digit, with a pause between groups; fewer than seven digits are not a telephone number. */
function readTelephone(text: string): string {
  const groups = text.match(/\d+/g) ?? [];
  if (groups.join("").length < 7) return text;
  return `${text.startsWith("+") ? "plus " : ""}${groups.map(spelled).join(", ")}`;
}
