/**
 * The ways to read a text that SSML's <say-as> names: letter by letter, or as a value such as a date. A value is checked
 * where it stands, and read where the language of the text is known: in words, or as text that the engine reads.
 *
 *   <say-as interpret-as="date" format="mdy">12/25/2024</say-as> ──> sign ──> December twenty-fifth, twenty twenty-four
 */
import type { TextPart, Traced } from "../../engine/protocol/plan.ts";
import { ANY_SIGN, EVERY_VALUE, valueIndexOf } from "../../engine/protocol/signs.ts";
import { primaryLanguage } from "../../language-tag.ts";
import { edited } from "../text/origins.ts";
import { dateOrder } from "../text/values/date-fields.ts";
import { ENGLISH_VALUES } from "../text/values/english-values.ts";
import { LOCAL_VALUES } from "../text/values/local-values.ts";
import type { Value } from "../text/values/value.ts";
import { isText, type MarkedValue, type Script, TracedBuilder, wrongInput } from "./script.ts";
import type { Attributes } from "./ssml-tag.ts";

const SPELLED = ["characters", "spell-out", "verbatim", "digits", "telephone"];
const LETTERS_MAX = 200;
const VALUE_MAX = 60; // code units
/** What a space parts from a word beside it, as it does from signs. */
const BESIDE = /[[\p{L}\p{N}]--[\p{scx=Hani}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}]]/v;

const readersOf = (language: string) => (primaryLanguage(language) === "en" ? ENGLISH_VALUES : LOCAL_VALUES);

const supportedIn = (language: string): string =>
  [...SPELLED, ...Object.keys(readersOf(language))].join(", ");

/** The value in a <say-as>; null where it is spelled out. Refuses what is a value in no language. */
export function markedValue(kind: string, content: string, attributes: Attributes): MarkedValue | null {
  const isSpelled = SPELLED.includes(kind);
  if (!isSpelled && !Object.hasOwn(ENGLISH_VALUES, kind))
    throw wrongInput(`has <say-as interpret-as="${kind}">; supported are ${supportedIn("en")}`);
  checkAttributes(kind, attributes);
  if (isSpelled) return null;
  const text = content.trim();
  if (text.length > VALUE_MAX)
    throw wrongInput(`has <say-as interpret-as="${kind}"> of more than ${VALUE_MAX} characters`);
  const language = attributes.get("language") ?? null;
  const value = { kind, text, format: attributes.get("format") ?? null, language };
  if (wordsOf(value, "en-US") === null && wordsOf(value, "de") === null) throw wrongValue(value);
  return value;
}

const FORMATS: Record<string, { has: (format: string) => boolean; known: string }> = {
  date: { has: (format) => dateOrder(format) !== null, known: "mdy, dmy, ymd, ydm, md, dm, ym, my, y, m, d" },
  time: { has: (format) => format === "hms12" || format === "hms24", known: "hms12, hms24" },
  telephone: { has: (format) => /^\d{1,3}$/.test(format), known: "the code of a country" },
};

/** `detail` and the country of a telephone number have no effect. */
function checkAttributes(kind: string, attributes: Attributes): void {
  const [format, detail] = [attributes.get("format"), attributes.get("detail")];
  const formats = Object.hasOwn(FORMATS, kind) ? FORMATS[kind]! : null;
  if (format !== undefined && !formats?.has(format))
    throw wrongInput(
      `has <say-as interpret-as="${kind}" format="${format}">; ${formats ? `supported are ${formats.known}` : "it has no format"}`,
    );
  if (detail !== undefined && !/^[12]$/.test(detail))
    throw wrongInput(`has <say-as detail="${detail}">; supported are 1 and 2`);
}

function wordsOf(value: Value, language: string): string | null {
  const readers = readersOf(language);
  return Object.hasOwn(readers, value.kind) ? readers[value.kind]!(value, language) : null;
}

/** The script with its marked values as the language reads them. Refuses what it has no reading for. */
export function withValues(script: Script, language: string): Script {
  if (script.values.length === 0) return script;
  const readings = script.values.map((value) => readingOf(value, language));
  const parts = script.parts.map((part) => (isText(part) ? readPart(part, readings) : part));
  return { ...script, parts, values: [] };
}

/** The words of a value are apart from those beside it. */
function readPart(part: TextPart, readings: readonly string[]): TextPart {
  const { text } = part.text;
  const gap = (beside: string | undefined) =>
    beside && (BESIDE.test(beside) || ANY_SIGN.test(beside)) ? " " : "";
  const edits = Array.from(text.matchAll(EVERY_VALUE), ({ 0: sign, index }) => ({
    from: index,
    to: index + 1,
    by: `${gap(text[index - 1])}${readings[valueIndexOf(sign)] ?? ""}${gap(text[index + 1])}`,
  }));
  return edits.length === 0 ? part : { ...part, text: edited(part.text, edits) };
}

function readingOf(value: MarkedValue, language: string): string {
  const { kind, language: only } = value;
  if (only !== null && primaryLanguage(only) !== primaryLanguage(language))
    throw wrongInput(`has <say-as language="${only}"> in a text that is read in "${language}"`);
  if (!Object.hasOwn(readersOf(language), kind))
    throw wrongInput(
      `has <say-as interpret-as="${kind}">, which is supported in English only; in "${language}" there are ${supportedIn(language)}`,
    );
  const words = wordsOf(value, language);
  if (words === null) throw wrongValue(value, language);
  return words;
}

function wrongValue({ kind, text, format }: Value, language: string | null = null) {
  const element = `<say-as interpret-as="${kind}"${format === null ? "" : ` format="${format}"`}>`;
  return wrongInput(
    `has ${element} of "${text}", which is not read as such${language === null ? "" : ` in "${language}"`}`,
  );
}

/** Each letter and digit by itself. */
export function spelledOut({ text, origins }: Traced): Traced {
  const letters = [...text.matchAll(/[\p{L}\p{N}]\p{M}{0,5}/gu)];
  if (letters.length > LETTERS_MAX) throw wrongInput(`has <say-as> of more than ${LETTERS_MAX} letters`);
  const built = new TracedBuilder();
  for (const [count, { 0: letter, index }] of letters.entries()) {
    const [from, to] = [origins.from[index]!, origins.to[index + letter.length - 1]!];
    built.replace(`${count > 0 ? " " : ""}${letter.toUpperCase()}`, from, to);
  }
  return built.traced();
}
