/** English numbers as words: cardinals, ordinals, years, decimals, digit by digit. Takes digits as text, any length. */
import { toCardinal, toOrdinal } from "n2words/en-US";

const DIGITS_MAX = 15; // longer runs are not quantities

/** "1,234,567" -> "one million two hundred and …"; a run too long to be a quantity is read digit by digit. */
export function cardinal(digits: string): string {
  const plain = digits.replaceAll(",", "");
  const leadingZero = plain.length > 1 && plain.startsWith("0");
  return plain.length > DIGITS_MAX || leadingZero ? spelled(plain) : toCardinal(plain);
}

export function ordinal(digits: string): string {
  const plain = digits.replaceAll(",", "");
  return plain.length > DIGITS_MAX || Number(plain) === 0 ? cardinal(digits) : toOrdinal(Number(plain));
}

/** "3.14" -> "three point one four". */
export function decimal(whole: string, fraction: string): string {
  return `${cardinal(whole || "0")} point ${spelled(fraction)}`;
}

/** Whole or decimal, as `number` was written. */
export function quantity(number: string): string {
  const [whole = "", fraction] = number.split(".");
  return fraction ? decimal(whole, fraction) : cardinal(whole);
}

const DIGITS = "zero one two three four five six seven eight nine".split(" ");

export function spelled(digits: string): string {
  return [...digits].map((digit) => DIGITS[Number(digit)]).join(" ");
}

/** 1999 -> "nineteen ninety-nine", 1905 -> "nineteen oh five", 1800 -> "eighteen hundred", 2007 -> "two thousand seven". */
export function year(digits: string): string {
  const [century, rest] = [digits.slice(0, 2), digits.slice(2)];
  if (rest === "00") return century.endsWith("0") ? cardinal(digits) : `${cardinal(century)} hundred`;
  if (digits.startsWith("200")) return `two thousand ${toCardinal(rest[1]!)}`;
  return `${cardinal(century)} ${rest.startsWith("0") ? `oh ${toCardinal(rest[1]!)}` : cardinal(rest)}`;
}

/** "nineties" of "90". */
export function decade(digits: string): string {
  const name = cardinal(digits);
  return name.endsWith("y") ? `${name.slice(0, -1)}ies` : `${name}s`;
}

const ROMAN: Record<string, number> = { I: 1, V: 5, X: 10, L: 50, C: 100 };

/** "XIV" -> 14. */
export function romanValue(numeral: string): number {
  const values = [...numeral].map((letter) => ROMAN[letter] ?? 0);
  return values.reduce((sum, value, at) => sum + (value < (values[at + 1] ?? 0) ? -value : value), 0);
}
