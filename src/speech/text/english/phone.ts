/** Telephone numbers and other long numbers that are read digit by digit, with a pause between groups. */
import { spelled } from "../lexicon/numbers.ts";
import { PHONE_WORDS, type Rule } from "../lexicon/rule.ts";

const EXTENSION = "(?:,? ?(?:ext\\.?|extension|x) ?(\\d{1,6}))?";

/** Digits by groups as written; 800 behind a 1 is "eight hundred". */
function readGroups(text: string): string {
  const groups = text.match(/\d{1,20}/g) ?? [];
  return groups
    .map((group, index) =>
      /^8\d\d$/.test(group) && groups[index - 1] === "1" ? readTollFree(group) : spelled(group),
    )
    .join(", ");
}

const readTollFree = (code: string) => (code === "800" ? "eight hundred" : spelled(code));

const withExtension = (number: string, extension: string | undefined) =>
  extension ? `${number}, extension ${spelled(extension)}` : number;

/** A run of digits without groups, in threes, and the last four together. */
function chunked(digits: string): string {
  const chunks = digits.slice(0, -4).match(/\d{1,3}/g) ?? [];
  return [...chunks, digits.slice(-4)].map(spelled).join(", ");
}

function readInternational(number: string): string {
  const groups = number.match(/\d{1,20}/g)!;
  if (groups.length > 1) return `plus ${groups.map(spelled).join(", ")}`;
  const digits = groups[0]!;
  return `plus ${digits.startsWith("1") ? `one, ${chunked(digits.slice(1))}` : chunked(digits)}`;
}

export const PHONE: Rule[] = [
  {
    name: "international telephone number",
    what: "A plus and seven digits or more, in groups or not, are read by groups.",
    example: ["+44 20 7946 0958", "plus four four, two zero, seven nine four six, zero nine five eight"],
    pattern: new RegExp(`(?<![\\w.])\\+((?:[ .()-]{0,2}\\d){7,15})(?![\\w])${EXTENSION}`, "gi"),
    read: ([, number, extension]) => withExtension(readInternational(number!), extension),
  },
  {
    name: "telephone number",
    what: "Three, three and four digits are read digit by digit.",
    example: ["(555) 123-4567 ext. 8", "five five five, one two three, four five six seven, extension eight"],
    pattern: new RegExp(
      `(?<![\\w.-])(1[ .-])?(\\(\\d{3}\\) ?|\\d{3}[ .-])(\\d{3})[ .-](\\d{4})(?![\\w-]|\\.\\d)${EXTENSION}`,
      "g",
    ),
    read: ([, one = "", area, exchange, line, extension]) =>
      withExtension(readGroups(`${one}${area} ${exchange} ${line}`), extension),
  },
  {
    name: "telephone number in letters",
    what: "A toll-free number that ends in letters keeps them as words.",
    example: ["1-800-FLOWERS", "one, eight hundred, FLOWERS"],
    pattern: /(?<![\w-])1-(8\d\d)-([A-Z][A-Z-]{2,10})\b/g,
    read: ([, code, letters]) => `one, ${readTollFree(code!)}, ${letters!.replaceAll("-", " ")}`,
  },
  {
    name: "local telephone number",
    what: "Three and four digits are a telephone number, unless the second is a round number, as in a range.",
    example: ["555-1234, 100-2000", "five five five, one two three four, 100-2000"],
    pattern: new RegExp(`(?<![\\w.,$£€-])(\\d{3})-(\\d{4})(?![\\w-]|[.,]\\d|%)${EXTENSION}`, "g"),
    read: ([text, exchange, line, extension]) =>
      /00$/.test(line!) && exchange !== "555"
        ? text
        : withExtension(readGroups(`${exchange} ${line}`), extension),
  },
  {
    name: "national telephone number",
    what: "Groups that begin with a zero and have nine digits or more are a telephone number.",
    example: ["020 7946 0958", "zero two zero, seven nine four six, zero nine five eight"],
    pattern: /(?<![\w.,-])\(?0\d{1,4}\)?(?:[ -]\d{2,8}){1,4}(?![\w-]|[.,]\d)/g,
    read: ([text]) => (text.replace(/\D/g, "").length < 9 ? text : readGroups(text)),
  },
  {
    name: "telephone number behind its name",
    what: 'Groups of seven digits or more behind "call", "tel." and the like are read by groups.',
    example: ["call 612 345 678", "call six one two, three four five, six seven eight"],
    pattern: new RegExp(
      `\\b(${PHONE_WORDS})([.:]? )(?!(?:1[1-9]|20)\\d\\d[ -](?:1[1-9]|20)\\d\\d\\b)(\\(?\\d{2,4}\\)?(?:[ .-]\\d{2,4}){1,5})(?![\\w-]|[.,]\\d)`,
      "gi",
    ),
    read: ([text, word, mark, number]) =>
      number!.replace(/\D/g, "").length < 7 ? text : `${word}${mark}${readGroups(number!)}`,
  },
  {
    name: "short telephone number",
    what: 'Three digits behind "call" or "dial", and 911, are read digit by digit.',
    example: ["dial 112, a 911 call", "dial one one two, a nine one one call"],
    pattern:
      /\b(call|dial|phone|ring|text) (\d{3})\b(?![.,:-]\d| [a-z]{2,20}s\b| people\b|%)|(?<![\w.,$£€/-]|Porsche )911\b(?![.,:-]\d| [a-z]{2,20}s\b| people\b|%)/gi,
    read: ([, word, digits]) => (word ? `${word} ${spelled(digits!)}` : spelled("911")),
  },
  {
    name: "number in groups",
    what: "Four groups of four digits, and three, two and four, are read by groups.",
    example: [
      "1234 5678 9012 3456",
      "one two three four, five six seven eight, nine zero one two, three four five six",
    ],
    pattern: /(?<![\w.,-])(?:\d{4}(?:[ -]\d{4}){3}|\d{3}-\d\d-\d{4})(?![\w-]|[.,]\d)/g,
    read: ([text]) => readGroups(text),
  },
  {
    name: "ISBN",
    what: "The digits behind ISBN are read by groups.",
    example: [
      "ISBN 978-3-16-148410-0",
      "ISBN nine seven eight, three, one six, one four eight four one zero, zero",
    ],
    pattern: /\bISBN(?:-1[03])?:? ?(\d[\d -]{8,16}[\dX])\b/g,
    read: ([, number]) => `ISBN ${readGroups(number!)}${number!.endsWith("X") ? ", X" : ""}`,
  },
  {
    name: "postal code",
    what: 'Five digits behind a state of the US, or behind "zip", are read digit by digit.',
    example: [
      "CA 90210, zip code 10001-1234",
      "CA nine zero two one zero, zip code one zero zero zero one, one two three four",
    ],
    pattern:
      /\b(A[KLRZ]|C[AOT]|D[CE]|FL|GA|HI|I[ADLN]|K[SY]|LA|M[ADEINOST]|N[CDEHJMVY]|O[HKR]|PA|RI|S[CD]|T[NX]|UT|V[AT]|W[AIVY]|[Zz]ip|ZIP|[Zz]ip code|ZIP code|[Pp]ostal code|[Pp]ostcode) (\d{5}(?:-\d{4})?)(?![\w-]|[.,]\d)/g,
    read: ([, place, digits]) => `${place} ${readGroups(digits!)}`,
  },
];
