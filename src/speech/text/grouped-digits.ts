/**
 * Numbers whose digits stand in groups by other marks than commas in threes: they become one number, for every language.
 * A reader of English gets them with its commas and its point; the others get digits alone, with the decimal mark as written.
 *
 *   10 000    1'234'567    1_000_000    1.234,56    1,00,000
 */
import { PHONE_WORDS } from "./lexicon/rule.ts";

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

/** `language` is primary. Other languages than English have stops in groups themselves, which their engines read. */
export function joinGroups(text: string, language: string): string {
  if (!/\d[^\p{L}\d\n]\d/u.test(text)) return text;
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
