/**
 * What a voice can pronounce: numbers, Latin letters, and the letters of its languages' scripts. Everything else in a
 * text is silent. A text without a letter or a digit is a pause; one whose letters the voice does not read is refused.
 */
import type { PlannedSegment } from "../engine/protocol/plan.ts";
import { PRONUNCIATION } from "../engine/protocol/signs.ts";
import { Refusal } from "../errors.ts";
import { isEmbedded, languagesSpoken, type Voice } from "../models/manifest.ts";

/** A voice by its display name, and the languages that it reads. */
export type Reader = { name: string; languages: readonly string[] };

/** `language`: the one that the request names. The voices of packages read that too, as well as they can. */
export const readerOf = (voice: Voice, language: string | null): Reader => ({
  name: voice.name,
  languages:
    language === null || isEmbedded(voice.engine)
      ? languagesSpoken(voice)
      : [...languagesSpoken(voice), language],
});

/** Scripts that are written with several others, by ISO 15924 code. */
const WRITTEN: Record<string, string[]> = {
  Jpan: ["Hira", "Kana", "Hani"],
  Kore: ["Hang", "Hani"],
  Hans: ["Hani"],
  Hant: ["Hani"],
};

/** Null for a tag that is not one. */
function scriptOf(language: string): string | null {
  try {
    return new Intl.Locale(language.replace("_", "-")).maximize().script ?? null;
  } catch {
    return null;
  }
}

/** Latin first: every voice reads at least its letters. */
function scriptsOf({ languages }: Reader): string[] {
  return [...new Set(["Latn", ...languages.flatMap((language) => scriptOf(language) ?? [])])];
}

/** What every voice reads beside pronunciations: common numbers, Latin letters and numbers. */
const BY_ALL = /[[\p{N}&&\p{scx=Zyyy}][\p{scx=Latn}&&[\p{L}\p{N}]]]/v;

function isPronounceable(plan: readonly PlannedSegment[], reader: Reader): boolean {
  if (plan.some(({ text }) => BY_ALL.test(text) || PRONUNCIATION.test(text))) return true;
  const letters = scriptsOf(reader)
    .flatMap((script) => WRITTEN[script] ?? [script])
    .flatMap((script) => lettersOf(script) ?? []);
  return plan.some(({ text }) => letters.some((pattern) => pattern.test(text)));
}

/** The letters and numbers of a script; null for a code that Unicode has no letters of, which a tag may name too. */
function lettersOf(script: string): RegExp | null {
  try {
    return new RegExp(`[\\p{scx=${script}}&&[\\p{L}\\p{N}]]`, "v");
  } catch {
    return null;
  }
}

/** What a text without words is: marks, symbols, emoji, what is silent in markup. */
const PAUSE: PlannedSegment = { text: "", pauseMs: 0, silenceMs: 500 };

/** The plan, or a pause where it has nothing to say and no silence. Refuses one of letters that the voice does not read. */
export function orPause(plan: PlannedSegment[], reader: Reader): PlannedSegment[] {
  if (isPronounceable(plan, reader)) return plan;
  if (plan.some(({ text }) => text !== "")) throw unpronounceable(reader);
  return plan.some(({ silenceMs }) => silenceMs) ? plan : [PAUSE];
}

function unpronounceable(reader: Reader): Refusal {
  const names = new Intl.DisplayNames("en", { type: "script" });
  const scripts = scriptsOf(reader).map((script) => names.of(script) ?? script);
  const read = new Intl.ListFormat("en").format([...scripts.map((name) => `${name} letters`), "numbers"]);
  return new Refusal(
    "unpronounceable_input",
    `input has nothing that ${reader.name} can pronounce: this voice reads ${read}.`,
    { param: "input" },
  );
}
