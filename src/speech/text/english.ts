/**
 * English as it is read aloud: an ordered table of rules, each a pattern and its reading. What no rule knows goes
 * through unchanged.
 *
 * Patterns look at a run of digits or letters from each of its places, which is the square of its length. So none sees a
 * run of more than `RUN_MAX` characters, and none repeats across spaces.
 */
import { cardinal, decade, decimal, ordinal, quantity, romanValue, spelled, year } from "./numbers.ts";
import { splitLongWords } from "./split-long-words.ts";

type Rule = [RegExp, (match: string, ...groups: string[]) => string];

const MONTHS = "January February March April May June July August September October November December".split(
  " ",
);
const MONTH = MONTHS.map((name) => `${name}|${name.slice(0, 3)}\\.?`).join("|");
const CURRENCIES: Record<string, [string, string, string]> = {
  $: ["dollar", "dollars", "cent"],
  "£": ["pound", "pounds", "penny"],
  "€": ["euro", "euros", "cent"],
  "¥": ["yen", "yen", "sen"],
  "₹": ["rupee", "rupees", "paisa"],
};
const MULTIPLES: Record<string, string> = {
  k: "thousand",
  m: "million",
  bn: "billion",
  b: "billion",
  tn: "trillion",
};
const UNITS: Record<string, [string, string]> = {
  km: ["kilometer", "kilometers"],
  m: ["meter", "meters"],
  cm: ["centimeter", "centimeters"],
  mm: ["millimeter", "millimeters"],
  kg: ["kilogram", "kilograms"],
  g: ["gram", "grams"],
  mg: ["milligram", "milligrams"],
  lb: ["pound", "pounds"],
  lbs: ["pound", "pounds"],
  oz: ["ounce", "ounces"],
  ft: ["foot", "feet"],
  mi: ["mile", "miles"],
  mph: ["mile per hour", "miles per hour"],
  "km/h": ["kilometer per hour", "kilometers per hour"],
  ml: ["milliliter", "milliliters"],
  l: ["liter", "liters"],
  ms: ["millisecond", "milliseconds"],
  hz: ["hertz", "hertz"],
  khz: ["kilohertz", "kilohertz"],
  mhz: ["megahertz", "megahertz"],
  ghz: ["gigahertz", "gigahertz"],
  kb: ["kilobyte", "kilobytes"],
  mb: ["megabyte", "megabytes"],
  gb: ["gigabyte", "gigabytes"],
  tb: ["terabyte", "terabytes"],
  kw: ["kilowatt", "kilowatts"],
};
const TITLES: Record<string, string> = {
  Dr: "Doctor",
  Mr: "Mister",
  Mrs: "Missus",
  Ms: "Miz",
  Prof: "Professor",
  Gen: "General",
  Sgt: "Sergeant",
  Capt: "Captain",
  Lt: "Lieutenant",
  Rev: "Reverend",
  Sen: "Senator",
  Gov: "Governor",
  Hon: "Honorable",
};
const SHORT: Record<string, string> = {
  "e.g.": "for example",
  "i.e.": "that is",
  "etc.": "et cetera",
  "vs.": "versus",
  "approx.": "approximately",
  "dept.": "department",
  "est.": "established",
  "jr.": "junior",
  "sr.": "senior",
  "ave.": "avenue",
  "blvd.": "boulevard",
  "mt.": "mount",
  "w/o": "without",
};
const RULERS =
  "Henry|Edward|George|Charles|William|Louis|Elizabeth|Richard|James|Philip|Pius|Paul|Benedict|John|Francis|Napoleon|Frederick|Nicholas|Peter|Catherine|Alexander|Leo|Gregory";
const PARTS = "Chapter|Part|Act|Scene|Book|Volume|Section|War|Phase|Type|Class|Title|Bowl|Appendix";

const N = "\\d{1,3}(?:,\\d{3})+(?:\\.\\d+)?|\\d+(?:\\.\\d+)?";
const literal = (text: string) => text.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");
const keysOf = (table: object) =>
  Object.keys(table)
    .map(literal)
    .toSorted((a, b) => b.length - a.length)
    .join("|");
const one = (number: string) => number === "1";
const address = (text: string) =>
  text.replace(
    /[./@:_-]/g,
    (mark) =>
      ` ${{ ".": "dot", "/": "slash", "@": "at", ":": "colon", _: "underscore", "-": "dash" }[mark]} `,
  );

const rules: Rule[] = [
  [
    /\b(?:https?:\/\/)?(?:www\.)?((?:[\w-]+\.)+(?:com|org|net|io|dev|edu|gov|co|uk|de|fr|app|ai|info)(?:\/[\w./-]*\w)?)\b/gi,
    (_, site) => address(site),
  ],
  [/\b[\w.+-]+@[\w-]+(?:\.[\w-]+)*\b/g, (mail) => address(mail)],
  [/\b(\d{4})-(\d{2})-(\d{2})\b/g, (text, y, m, d) => date({ y: y!, m: m!, d: d! }) ?? text],
  [/\b(\d{1,2})\/(\d{1,2})\/(\d{4})\b/g, (text, m, d, y) => date({ y: y!, m: m!, d: d! }) ?? text],
  [
    new RegExp(`\\b(${MONTH}) (\\d{1,2})(?:st|nd|rd|th)?\\b(?!:|,\\d)`, "g"),
    (_, month, day) => `${fullMonth(month!)} ${ordinal(day!)}`,
  ],
  [
    new RegExp(`\\b(\\d{1,2}) (${MONTH})\\b`, "g"),
    (_, day, month) => `the ${ordinal(day!)} of ${fullMonth(month!)}`,
  ],
  [
    /\b(\d{1,2}):(\d{2})(?::\d{2})?(?: ?([ap])\.?m\b\.?)?/gi,
    (_, hours, minutes, half) => clock(hours!, minutes!, half),
  ],
  [/\b(\d{1,2}) ?([ap])\.?m\b\.?/gi, (_, hours, half) => `${cardinal(hours!)} ${half!.toUpperCase()} M`],
  [
    new RegExp(
      `([${Object.keys(CURRENCIES).join("")}]) ?(${N})(?: ?(thousand|million|billion|trillion|k|m|bn|b|tn)\\b)?`,
      "gi",
    ),
    (_, sign, amount, multiple) => money(sign!, amount!, multiple),
  ],
  [new RegExp(`(${N}) ?%`, "g"), (_, number) => `${quantity(number!)} percent`],
  [
    new RegExp(`(${N}) ?°([CF])?\\b`, "g"),
    (_, number, scale) =>
      `${quantity(number!)} degrees${scale ? { C: " Celsius", F: " Fahrenheit" }[scale] : ""}`,
  ],
  [
    new RegExp(`\\b(${N}) ?(${keysOf(UNITS)})\\b(?!\\.\\w)`, "gi"),
    (text, number, unit) => measure(text, number!, unit!),
  ],
  [/\b(\d[\d,]*)(?:st|nd|rd|th)\b/g, (_, number) => ordinal(number!)],
  [
    /\b(1[1-9]|20)(\d0)s\b/g,
    (_, century, rest) =>
      rest === "00" ? `${year(century + rest)}s` : `${cardinal(century!)} ${decade(rest!)}`,
  ],
  [/(?<!\w)'(\d0)s\b/g, (_, rest) => decade(rest!)],
  [/(?<![\d.])\+?\(?\d{1,4}\)?(?:[- ]\d{2,4}){2,4}(?![\d.])/g, (text) => phone(text)],
  [
    /\b(1[0-9]|20)(\d\d) ?[-–] ?(1[0-9]|20)(\d\d)\b/g,
    (_, a, b, c, d) => `${year(a! + b!)} to ${year(c! + d!)}`,
  ],
  [
    new RegExp(`\\b(${N}) ?[-–] ?(${N})\\b(?![-\\d])`, "g"),
    (_, from, to) => `${quantity(from!)} to ${quantity(to!)}`,
  ],
  [/\b1\/2\b|½/g, () => "one half"],
  [/\b1\/4\b|¼/g, () => "one quarter"],
  [/\b3\/4\b|¾/g, () => "three quarters"],
  [
    /\b(\d{1,2})\/(\d{1,2})\b/g,
    (text, top, bottom) =>
      Number(bottom) < 2 ? text : `${cardinal(top!)} ${ordinal(bottom!)}${one(top!) ? "" : "s"}`,
  ],
  [
    new RegExp(`\\b(${RULERS}) ([IVXL]+)\\b`, "g"),
    (_, name, numeral) => `${name} the ${ordinal(String(romanValue(numeral!)))}`,
  ],
  [
    new RegExp(`\\b(${PARTS}) ([IVXLC]+)\\b`, "g"),
    (_, part, numeral) => `${part} ${cardinal(String(romanValue(numeral!)))}`,
  ],
  [/\bNo\. ?(?=\d)/g, () => "number "],
  [new RegExp(`\\b(${keysOf(TITLES)})\\. (?=\\p{Lu})`, "gu"), (_, title) => `${TITLES[title!]} `],
  [/\bSt\. (?=\p{Lu})/gu, () => "Saint "],
  [/(?<=\p{Lu}\p{Ll}+ )(?:St|Rd)\.(?=\s|,|$)/gu, (text) => (text === "St." ? "Street" : "Road")],
  [new RegExp(`(?<![\\w.])(${keysOf(SHORT)})(?!\\w)`, "gi"), (_, short) => SHORT[short!.toLowerCase()]!],
  [/(?<![\w.,])(1[1-9]|20)(\d\d)\b(?![.,]\d|%|-)/g, (_, century, rest) => year(century! + rest!)],
  [/(?<![\w.])-(?=\d)/g, () => "minus "],
  [/(\d{1,3}(?:,\d{3})+|\d*)\.(\d+)(?![\d.])/g, (_, whole, fraction) => ` ${decimal(whole!, fraction!)}`],
  [/\d{1,3}(?:,\d{3})+(?!\d)|\d+/g, (digits) => ` ${cardinal(digits)} `],
  [/ ?& ?/g, () => " and "],
  [/ ?@ ?/g, () => " at "],
  [/#(?=\s?\w)/g, () => "number "],
  [
    / ?([+=×÷]) ?/g,
    (_, sign) => ` ${{ "+": "plus", "=": "equals", "×": "times", "÷": "divided by" }[sign!]} `,
  ],
];

const RUN_MAX = 256; // more characters without a space are no word, no number and no address

/** English with numbers, money, dates, times, units and abbreviations written out. */
export function readEnglish(text: string): string {
  return [...splitLongWords(text, RUN_MAX)].map(readPiece).join("");
}

function readPiece(text: string): string {
  let read = text;
  for (const [pattern, reading] of rules)
    read = read.replace(pattern, (...match) => reading(...(match as [string, ...string[]])));
  return read;
}

function date({ y, m, d }: { y: string; m: string; d: string }): string | null {
  const month = MONTHS[Number(m) - 1];
  const day = Number(d);
  return month && day >= 1 && day <= 31 ? `${month} ${ordinal(String(day))}, ${year(y)}` : null;
}

const fullMonth = (name: string) => MONTHS.find((month) => month.startsWith(name.slice(0, 3)))!;

function clock(hours: string, minutes: string, half: string | undefined): string {
  const suffix = half ? ` ${half.toUpperCase()} M` : "";
  if (minutes === "00") return `${cardinal(String(Number(hours)))}${suffix || " o'clock"}`;
  const spoken = minutes.startsWith("0") ? `oh ${cardinal(minutes[1]!)}` : cardinal(minutes);
  return `${cardinal(String(Number(hours)))} ${spoken}${suffix}`;
}

function money(sign: string, amount: string, multiple: string | undefined): string {
  const [single, plural, cent] = CURRENCIES[sign]!;
  if (multiple) return `${quantity(amount)} ${MULTIPLES[multiple.toLowerCase()] ?? multiple} ${plural}`;
  const [whole = "0", cents] = amount.split(".");
  const main = `${cardinal(whole)} ${one(whole) ? single : plural}`;
  if (!cents || Number(cents) === 0) return main;
  if (cents.length !== 2) return `${quantity(amount)} ${plural}`;
  const small = Number(cents);
  const coin = small === 1 ? cent : cent === "penny" ? "pence" : `${cent}s`;
  const change = `${cardinal(String(small))} ${coin}`;
  return Number(whole) === 0 ? change : `${main} and ${change}`;
}

function measure(text: string, number: string, unit: string): string {
  const names = UNITS[unit.toLowerCase()];
  return names ? `${quantity(number)} ${names[one(number) ? 0 : 1]}` : text;
}

/** Digit by digit, with a pause where it was grouped; too few digits are no telephone number. */
function phone(text: string): string {
  const groups = text.match(/\d+/g) ?? [];
  if (groups.join("").length < 7) return text;
  return `${text.startsWith("+") ? "plus " : ""}${groups.map(spelled).join(", ")}`;
}
