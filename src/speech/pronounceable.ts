/**
 * What a voice can pronounce: numbers, Latin letters, and the letters of its languages' scripts. Everything else in a
 * text is silent, so a text of nothing else is refused before an engine runs; one of punctuation alone is a pause.
 */
import { TTS_SAMPLE_RATE } from "../audio/rates.ts";
import { Refusal } from "../errors.ts";
import { isEmbedded, languagesSpoken, type Voice } from "../models/manifest.ts";
import type { PlannedSegment } from "./plan.ts";

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

/** What every voice reads: common numbers, Latin letters and numbers, and the signs of pronunciations. */
const BY_ALL = /[[\p{N}&&\p{scx=Zyyy}][\p{scx=Latn}&&[\p{L}\p{N}]]\uE000-\uE0FF]/v;

export function isPronounceable(plan: readonly PlannedSegment[], reader: Reader): boolean {
  if (plan.some(({ text }) => BY_ALL.test(text))) return true;
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

const PAUSE_SECONDS = 0.5;

/** The pause that a text without words is. Refuses one that is more than punctuation. */
export function pauseFor(
  text: string,
  reader: Reader,
): { samples: AsyncGenerator<Float32Array>; sampleCount: number } {
  if (/[^\p{P}\s]/u.test(text)) throw unpronounceable(reader);
  const sampleCount = PAUSE_SECONDS * TTS_SAMPLE_RATE;
  async function* samples() {
    yield new Float32Array(sampleCount);
  }
  return { samples: samples(), sampleCount };
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
