/**
 * What is written out in every language before its own rules: digits in groups, and short names of days and months in ranges.
 */

import { anyOf, PHONE_WORDS } from "./lexicon/rule.ts";

/** What stands between digits in a number only: spaces that do not break a line, thin spaces, apostrophes, an underscore. */
const FIRM = "[\\u00A0\\u2007\\u2009\\u202F'’_]";
const FIRST = "[1-9]\\d{0,2}";
/** A number begins here: no digits or marks of another stand before it. */
const BEGIN = `(?<![\\p{L}\\d.,'’_+#(]|[\\d)](?: |${FIRM})|\\d(?<!000)-|\\b(?:version|v\\.) )`;
/** It ends here, perhaps with decimals. */
const DECIMALS = "(?:[.,](\\d{1,9}))?";
const END = `(?!\\d|[.,]\\d|(?: |${FIRM})\\d|\\p{L}\\d)`;
/** Groups of three behind these are no quantity. */
const PHONE = `(?<!\\b(?:${PHONE_WORDS}|numbers?|rooms|codes|pages|flights|telefon|telefono|teléfono|téléphone|telefone)[.:]? )`;
const MEASURE =
  "EUR|USD|GBP|CHF|k[gmWV]|mm|MW|[kMG]Wh|ha|hPa|rpm|people|inhabitants|tons|tonnes|meters|metres|miles|words|characters";
const CURRENCY = "[$£€¥₹₽₴]";

const pattern = (source: string, flags = "gu") => new RegExp(source, flags);

/** Each with the whole number and its decimals as groups; the last two only in English. */
const GROUPED: readonly RegExp[] = [
  pattern(`${BEGIN}(${FIRST}(?:(${FIRM})\\d{3})(?:\\2\\d{3}){0,5})${DECIMALS}${END}`),
  pattern(`${BEGIN}${PHONE}(${FIRST}(?: \\d{3}){2,6})()${DECIMALS}${END}`, "giu"),
  pattern(`${BEGIN}(${FIRST} 000)()${DECIMALS}${END}`),
  pattern(`${BEGIN}(${FIRST} \\d{3})(),(\\d\\d?)${END}`),
  pattern(`${BEGIN}(?<=${CURRENCY} ?)(${FIRST} \\d{3})()${DECIMALS}${END}`),
  pattern(`${BEGIN}(${FIRST} \\d{3})()${DECIMALS}${END}(?= ?(?:${CURRENCY}|(?:${MEASURE})(?!\\p{L})))`),
  pattern(`${BEGIN}([1-9]\\d?(?:,\\d\\d){1,5},\\d{3})()(?:\\.(\\d{1,9}))?${END}`),
];
const POINTED: readonly RegExp[] = [
  pattern(`${BEGIN}(${FIRST}(?:\\.\\d{3}){2,6})()(?:,(\\d{1,9}))?${END}`),
  pattern(`${BEGIN}(${FIRST}\\.\\d{3})(),(\\d\\d?)${END}`),
];

/**
 * Numbers whose digits stand in groups by other marks than commas in threes: they become one number, for every language.
 * A reader of English gets them with its commas and its point; the others get digits alone, with the decimal mark as written.
 *
 *   10 000    1'234'567    1_000_000    1.234,56    1,00,000
 *
 * `language` is primary. Other languages than English have stops in groups themselves, which their engines read.
 */
export const joinGroups = (text: string, language: string): string =>
  PARTED_DIGITS.test(text) ? joinAllGroups(text, language) : text;

const PARTED_DIGITS = /\d[^\p{L}\d\n]\d/u;

function joinAllGroups(text: string, language: string): string {
  const isEnglish = language === "en";
  const joined = (...[written, whole, , decimals]: string[]): string => {
    if (isAddress(written!)) return written!;
    const digits = whole!.replace(/\D/g, "");
    const point = isEnglish ? "." : written!.at(-1 - (decimals?.length ?? 0));
    const number = isEnglish ? BigInt(digits).toLocaleString("en") : digits;
    return decimals === undefined ? number : `${number}${point}${decimals}`;
  };
  return [...GROUPED, ...(isEnglish ? POINTED : [])].reduce((read, each) => read.replace(each, joined), text);
}

/** Four bytes with stops, none of which begins with a zero, are the address of a machine. */
const isAddress = (written: string): boolean =>
  /^\d{1,3}(?:\.[1-9]\d{2}){3}$/.test(written) && written.split(".").every((byte) => Number(byte) < 256);

/** What a dash is read as, and the words that may join two names. */
const JOINING: Record<string, { to: string; words: string }> = {
  ca: { to: "a", words: "a|i|o|fins a" },
  cs: { to: "až", words: "až|a|nebo|do" },
  da: { to: "til", words: "til|og|eller" },
  de: { to: "bis", words: "bis|und|oder" },
  en: { to: "to", words: "to|through|thru|until|till|and|&|or" },
  es: { to: "a", words: "a|al|y|o|hasta" },
  fr: { to: "à", words: "à|au|et|ou|jusqu'à" },
  it: { to: "a", words: "a|al|e|o|fino a" },
  nb: { to: "til", words: "til|og|eller" },
  nl: { to: "tot", words: "tot|tot en met|t/m|en|of" },
  no: { to: "til", words: "til|og|eller" },
  pl: { to: "do", words: "do|i|lub" },
  pt: { to: "a", words: "a|à|e|ou|até" },
  sv: { to: "till", words: "till|och|eller" },
};
/** What people also write, and what it is short for. */
const MORE: Record<string, Record<string, string>> = {
  de: { mrz: "März" },
  en: { tues: "Tuesday", thur: "Thursday", thurs: "Thursday", sept: "September" },
};
/** Names of people too. */
const FIRST_NAMES = new Set(["jan", "may", "april", "june", "august"]);
/** The day, and perhaps the year, of a month. */
const FIGURES = "(?: \\d{1,2}(?:st|nd|rd|th)?(?![\\d:]))?(?:,? \\d{4})?";
const ENDS = /^["')\]]{0,2}(?:\s{0,3}$|\n| {1,3}["'(]{0,2}\p{Lu})/u;

/** `range` finds several names that are joined, `part` each of them and each dash. */
type Names = { range: RegExp; part: RegExp; longOf: Map<string, string>; to: string };

const known = new Map<string, Names[]>();

/**
 * Ranges and lists of days and of months, by their short names: the names are written out and a dash is read as "to", in the
 * language of the text. Stops of abbreviations go, but for one that also ends the sentence.
 *
 *   Mon. to Fri.    Mon–Wed, Sat    Jan. – Mar. 2024    5 Jan – 7 Mar    Mo.–Fr.    lun.-ven.
 *
 * The names are those of the runtime's data; a single short name is left to the rules of English.
 *
 * `language` is primary; one without words to join names by is left to its engine.
 */
export function readNameRanges(text: string, language: string): string {
  const joining = JOINING[language];
  if (!joining) return text;
  const names =
    known.get(language) ?? ["weekday" as const, "month" as const].map((kind) => namesOf(kind, language));
  known.set(language, names);
  return names.reduce(
    (read, each) =>
      read.replace(each.range, (written: string, ...rest: unknown[]) => {
        const [at, whole] = rest.slice(-2) as [number, string];
        const ends = ENDS.test(whole.slice(at + written.length, at + written.length + 60));
        return readRange(written, each, ends);
      }),
    text,
  );
}

/** `ends`: its last stop ends the sentence. */
function readRange(written: string, { part, longOf, to }: Names, ends: boolean): string {
  const [first, ...names] = [...written.matchAll(part)].flatMap(([, name]) => name?.toLowerCase() ?? []);
  const isJoined = /[-–—]|\p{L}\./u.test(written);
  const isCapital = /^\p{Lu}/u.test(written);
  if (names.includes(first!) || !(isJoined || isCapital)) return written;
  if (!isJoined && [first!, ...names].every((name) => FIRST_NAMES.has(name))) return written;
  const read = written.replace(part, (_, name: string | undefined) => {
    if (name === undefined) return ` ${to} `;
    const long = longOf.get(name.toLowerCase())!;
    return /^\p{Lu}/u.test(name) ? long[0]!.toUpperCase() + long.slice(1) : long;
  });
  return ends && written.endsWith(".") ? `${read}.` : read;
}

function namesOf(kind: "weekday" | "month", language: string): Names {
  const { to, words } = JOINING[language]!;
  const longOf = new Map(Object.entries(MORE[language] ?? {}));
  const nameOf = (date: Date, width: "long" | "short") =>
    new Intl.DateTimeFormat(language, { [kind]: width, timeZone: "UTC" }).format(date);
  for (let index = 0; index < (kind === "month" ? 12 : 7); index++) {
    const date = new Date(Date.UTC(2000, kind === "month" ? index : 0, kind === "month" ? 15 : index + 1));
    for (const width of ["short", "long"] as const)
      longOf.set(nameOf(date, width).toLowerCase().replace(/\.$/, ""), nameOf(date, "long"));
  }
  const isCapital = /^\p{Lu}/u.test([...longOf.values()][0]!);
  const written = [...longOf.keys()].flatMap((name) => [
    ...(isCapital ? [] : [name]),
    name[0]!.toUpperCase() + name.slice(1),
    name.toUpperCase(),
  ]);
  const name = `(?:${anyOf(written)})(?!\\p{L})`;
  const joint = `(?: ?[-–—/] ?| (?:${words}) |, ?(?:(?:${words}) )?| ?& ?)`;
  return {
    range: new RegExp(
      `(?<![\\p{L}\\p{N}-])${name}\\.?${FIGURES}(?:${joint}(?:\\d{1,2}\\.? )?${name}\\.?${FIGURES}){1,6}(?![-\\p{L}])`,
      "gu",
    ),
    part: new RegExp(`(?<!\\p{L})(${name})\\.?| ?[-–—] ?`, "gu"),
    longOf,
    to,
  };
}
