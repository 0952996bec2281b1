/** English numbers as words: cardinals, ordinals, pairs of digits, decimals, digit by digit. Takes digits as text, any length. */

const DIGITS_MAX = 15; // longer runs are not quantities

const SMALL =
  "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split(
    " ",
  );
const TENS = "- - twenty thirty forty fifty sixty seventy eighty ninety".split(" ");
const SCALES = ["", " thousand", " million", " billion", " trillion"];

/** Of a whole number below a thousand. */
function belowThousand(value: number): string {
  if (value < 20) return SMALL[value]!;
  if (value < 100)
    return value % 10 === 0 ? TENS[value / 10]! : `${TENS[Math.floor(value / 10)]}-${SMALL[value % 10]}`;
  const rest = value % 100;
  return `${SMALL[Math.floor(value / 100)]} hundred${rest === 0 ? "" : ` ${belowThousand(rest)}`}`;
}

/** "1,234" -> "one thousand two hundred thirty-four"; leading zeros, and a run too long to be a quantity, digit by digit. */
export function cardinal(digits: string): string {
  const plain = digits.replaceAll(",", "");
  if (plain.length > DIGITS_MAX || (plain.length > 1 && plain.startsWith("0"))) return spelled(plain);
  const groups: string[] = [];
  let value = Number(plain);
  for (let scale = 0; value > 0; scale++, value = Math.floor(value / 1000))
    if (value % 1000 > 0) groups.unshift(`${belowThousand(value % 1000)}${SCALES[scale]}`);
  return groups.join(" ") || "zero";
}

const ORDINALS: Record<string, string> = {
  one: "first",
  two: "second",
  three: "third",
  five: "fifth",
  eight: "eighth",
  nine: "ninth",
  twelve: "twelfth",
};

/** "21" -> "twenty-first". */
export function ordinal(digits: string): string {
  const plain = digits.replaceAll(",", "").replace(/^0(?=\d)/, "");
  if (plain.length > DIGITS_MAX || plain.startsWith("0")) return cardinal(digits);
  return cardinal(plain).replace(
    /[a-z]{1,12}$/,
    (last) => ORDINALS[last] ?? (last.endsWith("y") ? `${last.slice(0, -1)}ieth` : `${last}th`),
  );
}

/** "3.14" -> "three point one four". */
export const decimal = (whole: string, fraction: string): string =>
  `${cardinal(whole || "0")} point ${spelled(fraction)}`;

/** Whole or decimal, as `number` was written. */
export function quantity(number: string): string {
  const [whole = "", fraction] = number.split(".");
  return fraction ? decimal(whole, fraction) : cardinal(whole);
}

/** Digit by digit. */
export const spelled = (digits: string): string => [...digits].map((digit) => SMALL[Number(digit)]).join(" ");

/** Letters and digits one by one: "1f4" -> "one F four". */
export const characters = (text: string): string =>
  [...text].map((each) => (/\d/.test(each) ? SMALL[Number(each)]! : each.toUpperCase())).join(" ");

/** As years and model numbers are read: 1999 "nineteen ninety-nine", 1905 "nineteen oh five", 747 "seven forty-seven". */
export function pairs(digits: string): string {
  if (digits.length < 2 || digits.length > 4 || /^.0+$|^.00.$/.test(digits)) return cardinal(digits);
  if (digits.startsWith("0"))
    return digits.length === 2 ? `oh ${cardinal(digits.slice(1))}` : spelled(digits);
  if (digits.length === 2) return cardinal(digits);
  const [first, rest] = [digits.slice(0, -2), digits.slice(-2)];
  if (rest === "00") return `${cardinal(first)} hundred`;
  return `${cardinal(first)} ${rest.startsWith("0") ? "oh " : ""}${cardinal(String(Number(rest)))}`;
}

/** "nineties" of "90", "sixes" of "6". */
export function several(digits: string): string {
  const name = cardinal(digits);
  return name.endsWith("y") ? `${name.slice(0, -1)}ies` : `${name}${name.endsWith("x") ? "es" : "s"}`;
}

const ROMAN: Record<string, number> = { I: 1, V: 5, X: 10, L: 50, C: 100 };

/** "XIV" -> "14". */
export function romanDigits(numeral: string): string {
  const values = [...numeral].map((letter) => ROMAN[letter] ?? 0);
  return String(
    values.reduce((sum, value, index) => sum + (value < (values[index + 1] ?? 0) ? -value : value), 0),
  );
}
