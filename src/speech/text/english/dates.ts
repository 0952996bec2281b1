/** Dates: numeric, with names of months, ranges of years, decades. */
import { cardinal, ordinal, pairs, several } from "../lexicon/numbers.ts";
import { type Accent, anyOf, ENDS, type Rule } from "../lexicon/rule.ts";

export const MONTHS =
  "January February March April May June July August September October November December".split(" ");
const DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split(" ");
const MONTH_LETTERS = "Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec";
const SHORT_MONTH = `(?:${MONTH_LETTERS})\\.?`;
const MONTH = `${anyOf(MONTHS)}|${SHORT_MONTH}`;
const SHORT_DAY = "Mon|Tues?|Wed|Thu(?:rs?)?|Fri|Sat|Sun";
const DAY = "[12]\\d|3[01]|0?[1-9]";
const YEAR = "(?:1[1-9]|20)\\d\\d";

/** Countries whose dates begin with the month. */
const MONTH_FIRST = new Set(["en", "en-us", "en-ca", "en-ph"]);

/** Of the English of a country. */
export const accentOf = (locale: string): Accent => ({
  isMonthFirst: MONTH_FIRST.has(locale.toLowerCase().replace("_", "-")),
});

const fullMonth = (name: string) => MONTHS.find((month) => month.startsWith(name.slice(0, 3)))!;
const fullDay = (name: string) => DAYS.find((day) => day.startsWith(name.slice(0, 3)))!;

/** In figures; `y` may be empty. */
type Parts = { y: string; m: string; d: string };

/** Null: not a date. */
export function readDate({ y, m, d }: Parts, { isMonthFirst }: Accent): string | null {
  const month = MONTHS[Number(m) - 1];
  const day = Number(d);
  if (!month || day < 1 || day > 31) return null;
  const year = y === "" ? "" : `, ${pairs(fullYear(y))}`;
  return isMonthFirst ? `${month} ${ordinal(d)}${year}` : `the ${ordinal(d)} of ${month}${year}`;
}

/** Of two digits: from 1950 to 2049. */
export const fullYear = (y: string) => (y.length === 4 ? y : `${Number(y) < 50 ? 20 : 19}${y}`);

/** Month and day in the order of the accent, unless only the other order makes a date. */
function readEitherOrder({ y, m, d }: Parts, accent: Accent): string | null {
  const [usual, other] = [
    { y, m, d },
    { y, m: d, d: m },
  ]; // as a month-first reader takes them
  const orders = accent.isMonthFirst ? [usual, other] : [other, usual];
  return readDate(orders[0]!, accent) ?? readDate(orders[1]!, accent);
}

const NUMERIC: Rule[] = [
  {
    name: "timestamp",
    what: "Between the date and the time of a machine is a pause, and a Z behind them is UTC.",
    example: ["2026-11-21T10:20:30Z", "2026-11-21, 10:20:30 UTC"],
    pattern: /(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d)?)(?:\.\d{1,9})?(Z\b)?/g,
    read: ([, date, time, zone]) => `${date}, ${time}${zone ? " UTC" : ""}`,
  },
  {
    name: "ISO date",
    what: "A year, month and day in this order is a date.",
    example: ["on 2026-11-21", "on November twenty-first, twenty twenty-six"],
    pattern: /(?<![\w./-])(\d{4})([-/.])(\d{1,2})\2(\d{1,2})(?![\w/-]|\.\d)/g,
    read: ([text, y, , m, d], accent) => readDate({ y: y!, m: m!, d: d! }, accent) ?? text,
  },
  {
    name: "numeric date",
    what: "Two numbers and a year are a date, in the order that the voice's country writes.",
    example: ["on 7/4/1999", "on July fourth, nineteen ninety-nine"],
    pattern: /(?<![\w./-])(\d{1,2})([/.-])(\d{1,2})\2(\d{4}|(?<=\/)\d\d)(?![\w/-]|\.\d)/g,
    read: ([text, m, mark, d, y], accent) =>
      readEitherOrder({ y: y!, m: m!, d: d! }, mark === "." ? { isMonthFirst: false } : accent) ?? text,
  },
  {
    name: "month and day in figures",
    what: 'Two numbers with a slash after a word such as "on" or "until" are a date.',
    example: ["on 12/25", "on December twenty-fifth"],
    pattern:
      /\b(on|by|until|till|since|before|after|due|dated|through) (?!(?:1\/[2-5]|[23]\/[345]|[35]\/8|24\/7|50\/50)\b(?! ?[,.;)]|$))(\d{1,2})\/(\d{1,2})(?![\w/%]|\.\d)/gim,
    read: ([text, word, m, d], accent) => {
      const date = readEitherOrder({ y: "", m: m!, d: d! }, accent);
      return date === null ? text : `${word} ${date}`;
    },
  },
  {
    name: "month of a year in figures",
    what: "A year and a number up to 12, which cannot be the end of a range of years, are a month.",
    example: ["in 2024-03", "in March twenty twenty-four"],
    pattern: /(?<![\w./-])(20\d\d)-(0[1-9]|1[0-2])(?![\w/-]|\.\d)/g,
    read: ([text, y, m]) => (Number(m) > Number(y) % 100 ? text : `${MONTHS[Number(m) - 1]} ${pairs(y!)}`),
  },
];

const NAMED: Rule[] = [
  {
    name: "weekday",
    what: "The short name of a day is written out before a date, and with its stop inside a sentence.",
    example: ["Tue. 5 May, each Mon. at 9", "Tuesday 5 May, each Monday at 9"],
    pattern: new RegExp(
      `\\b(${SHORT_DAY})\\b(?:\\.?(?=,? (?:(?:${MONTH})\\b|(?:${DAY})(?:st|nd|rd|th)?\\b))|\\.(?=[:;)]|,? [a-z\\d]))`,
      "g",
    ),
    read: ([, day]) => fullDay(day!),
  },
  {
    name: "days of a month",
    what: "A month with a range of days is read with ordinals.",
    example: ["Jan. 5–7", "January fifth to seventh"],
    pattern: new RegExp(
      `\\b(${MONTH}) (${DAY})(?:st|nd|rd|th)? ?[-–] ?(${DAY})(?:st|nd|rd|th)?(?![\\w:%-])`,
      "g",
    ),
    read: ([, month, from, to]) => `${fullMonth(month!)} ${ordinal(from!)} to ${ordinal(to!)}`,
  },
  {
    name: "month and day",
    what: "A day behind its month is an ordinal.",
    example: ["Jan. 5th", "January fifth"],
    pattern: new RegExp(`\\b(${MONTH}) (${DAY})(?:st|nd|rd|th)?\\b(?![:%-]|[.,]\\d)`, "g"),
    read: ([, month, day]) => `${fullMonth(month!)} ${ordinal(day!)}`,
  },
  {
    name: "day and month",
    what: "A day before its month is an ordinal of it; a range of days too.",
    example: ["21 November", "the twenty-first of November"],
    pattern: new RegExp(
      `(?<![\\w.,:/$£€-])(?:the )?(?:(${DAY})(?:st|nd|rd|th)? ?[-–] ?)?(${DAY})(?:st|nd|rd|th)?(?: of)? (${MONTH})(?![\\w-]| (?:be|not|have|we|I)\\b)`,
      "g",
    ),
    read: ([, from, day, month]) =>
      `the ${from ? `${ordinal(from)} to the ` : ""}${ordinal(day!)} of ${fullMonth(month!)}`,
  },
  {
    name: "month and year",
    what: "The short name of a month is written out before a year, and with its stop inside a sentence.",
    example: ["Sept 2024, in Oct. they", "September 2024, in October they"],
    pattern: new RegExp(
      `\\b(${SHORT_MONTH})(?= ${YEAR}\\b)|\\b(Jan|Feb|Aug|Sept|Oct|Nov|Dec)\\.(?=,? [a-z])`,
      "g",
    ),
    read: ([, dated, alone]) => fullMonth((dated ?? alone)!),
  },
];

const AT_END: Rule[] = [
  {
    name: "day or month at the end",
    what: 'Behind a word such as "on" or "until", the stop of the short name of a day or month may end the sentence.',
    example: ["Come on Fri. The rest", "Come on Friday. The rest"],
    pattern: new RegExp(
      `(?<=\\b(?:[Oo]n|[Ii]n|[Bb]y|[Ss]ince|[Ff]rom|[Uu]ntil|till|through|before|after|due|early|late|next|last|this|[Ee]very|each|open|closed) )(?:(${SHORT_DAY})|(${MONTH_LETTERS}))\\.(?:(?=(${ENDS}))|)`,
      "g",
    ),
    read: ([, day, month, ends]) =>
      `${day ? fullDay(day) : fullMonth(month!)}${ends === undefined ? "" : "."}`,
  },
];

const YEARS: Rule[] = [
  {
    name: "decade",
    what: "A year of a round ten with an s is a decade.",
    example: ["the 1990s and 2000s", "the nineteen nineties and two thousands"],
    pattern: /(?<![\w.])(1[1-9]|20)(\d0)'?s\b/g,
    read: ([, century, rest]) => {
      if (rest !== "00") return `${cardinal(century!)} ${several(rest!)}`;
      return `${pairs(century + rest)}s`;
    },
  },
  {
    name: "short decade",
    what: 'Two digits with an s are a decade behind an apostrophe, or behind a word such as "the" or "her".',
    example: ["the '80s, in her 20s", "the eighties, in her twenties"],
    pattern:
      /(?<!\w)'(\d0)s\b|\b(the|his|her|their|my|our|your|early|mid|late|the (?!first|last|next|final|full|whole|initial)[a-z]{3,12})([ -])'?([2-9]0)s\b/gi,
    read: ([, short, word, mark, digits]) => (short ? several(short) : `${word}${mark}${several(digits!)}`),
  },
  {
    name: "short year",
    what: "Two digits behind an apostrophe are a year.",
    example: ["class of '05", "class of oh five"],
    pattern: /(?<![\w'"])'(\d\d)\b(?!['"%])/g,
    read: ([, digits]) => pairs(digits!),
  },
  {
    name: "range of years",
    what: "Two years, the second perhaps by its last digits, are a range.",
    example: [
      "1914-1918, 2024/25",
      "nineteen fourteen to nineteen eighteen, twenty twenty-four to twenty-five",
    ],
    pattern: /(?<![\w.,/-])((?:1[1-9]|20)\d\d)(?: ?[-–] ?((?:1[1-9]|20)\d\d)|[-–/](\d\d))(?![\w/-]|[.,]\d)/g,
    read: ([text, from, to, end]) => {
      if (to) return `${pairs(from!)} to ${pairs(to)}`;
      return Number(end) > Number(from) % 100 ? `${pairs(from!)} to ${pairs(end!)}` : text;
    },
  },
  {
    name: "early year",
    what: 'Behind words such as "in" or "since", four digits from 1010 on are a year.',
    example: ["in 1066", "in ten sixty-six"],
    pattern: /\b(in|since|until|year|before|after) (10[1-9]\d)(?![\w%/-]|[.,]\d| [a-z]{2,20}s\b)/gi,
    read: ([, word, digits]) => `${word} ${pairs(digits!)}`,
  },
  {
    name: "circa",
    what: '"c." or "ca." before a year is circa.',
    example: ["c. 1850", "circa 1850"],
    pattern: /(?<!\w)ca?\. ?(?=\d{3,4}\b)/g,
    read: () => "circa ",
  },
];

/** Full dates first, then what else a year or a month may be part of. */
export const DATES: Rule[] = [...NUMERIC, ...NAMED, ...AT_END, ...YEARS];
