/** Marked values in English, in words, with the names that the rules of plain text have for them. */
import { readFraction } from "../amounts/fractions.ts";
import { MONEY } from "../amounts/money.ts";
import { UNIT_RULES } from "../amounts/units.ts";
import { accentOf, MONTHS, readDate } from "../english/dates.ts";
import { plural, readDuration, readTime } from "../english/times.ts";
import { ordinal, pairs, quantity } from "../lexicon/numbers.ts";
import { applyRules, type Rule } from "../lexicon/rule.ts";
import { UNITS } from "../lexicon/unit-names.ts";
import { dateFields } from "./date-fields.ts";
import type { ReadValue } from "./value.ts";

const SIGN = /^([-−+]?) ?/;
const NUMBER = /^(?:\d{1,3}(?:,\d{3}){1,4}|\d{1,15})?(?:\.\d{1,20})?$/;
const ORDINAL = /^(\d{1,3}(?:,\d{3}){1,4}|\d{1,15})(?:st|nd|rd|th)?$/i;
const CLOCK = /^(\d{1,2})(?:[:.](\d\d))?(?:[:.](\d\d))? ?(?:([ap])(?:\.?m\.?)?)?$/i;
const DURATION = /^(?:(\d{1,3})['’′])? ?(?:(\d{1,3})["”″])?$/;
const UNIT_NAMES = new Map(Object.values(UNITS).flatMap((names) => names.map((name) => [name, names])));

const withoutZeros = (digits: string) => digits.replace(/^0+(?=\d)/, "");

/** With "minus" or "plus" before what `read` makes of the text behind its sign. */
function signed(text: string, read: (unsigned: string) => string | null): string | null {
  const [whole, sign] = SIGN.exec(text)!;
  const words = read(text.slice(whole.length));
  return words && `${sign === "" ? "" : sign === "+" ? "plus " : "minus "}${words}`;
}

const readNumber: ReadValue = ({ text }) =>
  signed(text, (number) => (number && NUMBER.test(number) ? quantity(withoutZeros(number)) : null));

function readOrdinal({ text }: { text: string }): string | null {
  const digits = withoutZeros(ORDINAL.exec(text)?.[1] ?? "0");
  return digits === "0" ? null : ordinal(digits);
}

const readMarkedFraction: ReadValue = ({ text }) =>
  signed(text, (unsigned) => {
    const plain = unsigned.replace(/(?<!\d)0{1,5}(?=\d)/g, "").replace("⁄", "/");
    const words = readFraction(plain);
    return words === plain ? null : words;
  });

const readMarkedDate: ReadValue = (value, locale) => {
  const fields = dateFields(value, locale);
  if (fields === null) return null;
  const [y, m, d] = [fields.year, fields.month, fields.day].map((field) => field?.toString() ?? "");
  if (d && !m) return ordinal(d!);
  if (d) return readDate({ y: y!, m: m!, d }, accentOf(locale));
  return [m && MONTHS[Number(m) - 1], y && pairs(y)].filter(Boolean).join(" ");
};

/** Hours of a clock with twelve or 24 of them, or minutes and seconds: 1'21". */
const readMarkedTime: ReadValue = ({ text, format }) => {
  const [long, minute, second] = DURATION.exec(text) ?? [];
  if (long)
    return readDuration([
      [minute, "minute"],
      [second, "second"],
    ]);
  const [all, hours, minutes = "00", seconds = "00", letter] = CLOCK.exec(text) ?? [];
  const twelve = letter !== undefined || format === "hms12";
  if (!all || Number(minutes) > 59 || Number(seconds) > 59 || (twelve && format === "hms24")) return null;
  if (twelve ? Number(hours) < 1 || Number(hours) > 12 : Number(hours) > 23) return null;
  const half = letter ? ` ${letter.toUpperCase()}M` : "";
  const padded = twelve ? hours! : hours!.padStart(2, "0");
  if (seconds === "00") return readTime(padded, minutes, half);
  return `${readTime(padded, minutes, "")} and ${plural(seconds, "second")}${half}`;
};

/** What the rules make of it, if they read all of its figures and signs. */
function readByRules(rules: readonly Rule[], text: string, locale: string): string | null {
  const words = applyRules(rules, text, accentOf(locale));
  return words !== text && /^[\p{L} ,-]+$/u.test(words) ? words : null;
}

const readMoney: ReadValue = ({ text }, locale) =>
  signed(text, (amount) => readByRules(MONEY, amount, locale));

/** "10 foot" is in no rule of plain text, where a unit in letters needs none. */
const readMeasure: ReadValue = ({ text }, locale) =>
  signed(text, (amount) => readByRules(UNIT_RULES, amount, locale) ?? readNamedUnit(amount));

function readNamedUnit(text: string): string | null {
  const [, number, name] = /^([\d,.]{1,20}) ?([a-z][a-z -]{1,30})$/i.exec(text) ?? [];
  const names = name && UNIT_NAMES.get(name.toLowerCase());
  if (!names || !NUMBER.test(number!)) return null;
  return `${quantity(number!)} ${names[number === "1" ? 0 : 1]}`;
}

export const ENGLISH_VALUES: Record<string, ReadValue> = {
  cardinal: readNumber,
  number: readNumber,
  ordinal: readOrdinal,
  fraction: readMarkedFraction,
  date: readMarkedDate,
  time: readMarkedTime,
  currency: readMoney,
  money: readMoney,
  unit: readMeasure,
};
