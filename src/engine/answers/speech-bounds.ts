/** How long the speech of a text can be at most, and what its samples can be; what goes beyond is faulty. */
import type { SynthesisTask } from "../protocol/synthesis.ts";
import { mustBe } from "./faulty-answer.ts";

/**
 * Seconds of each character, several times as long as it is spoken: some engines never stop. A voice that cannot read a
 * word spells it, as those of languages in another script do, and says the names of signs: some have four syllables.
 */
const SECONDS = { inWord: 0.22, inForeignWord: 0.5, syllabic: 1, digit: 1, mark: 0.5, named: 2 };
const LEAST_SECONDS = 10;

const PART = /\p{Script=Latin}+|[^\p{Script=Latin}]/gu;
const LATIN = /^\p{Script=Latin}/u;
const SYLLABIC = /^[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}]/u;
const SILENT = /^[\s\p{M}\p{Cf}]/u;
const MARK = /^[.,;:!?'"()\-‘’“”]/u;

type Spoken = Pick<SynthesisTask, "text" | "language" | "speed">;

/** A speed above 1 does not shorten it, because not every engine reaches it. */
export function speechSecondsMax({ text, language, speed }: Spoken): number {
  const inWord = isInLatin(language) ? SECONDS.inWord : SECONDS.inForeignWord;
  let seconds = 0;
  for (const [part] of text.matchAll(PART)) seconds += secondsOf(part, inWord);
  return Math.max(LEAST_SECONDS, seconds / Math.min(1, speed));
}

function isInLatin(language: string): boolean {
  try {
    return new Intl.Locale(language).maximize().script === "Latn";
  } catch {
    return false; // it is no tag
  }
}

function secondsOf(part: string, inWord: number): number {
  if (LATIN.test(part)) return part.length * (isSpelled(part) ? SECONDS.named : inWord);
  if (SILENT.test(part)) return 0;
  if (MARK.test(part)) return SECONDS.mark;
  if (part >= "0" && part <= "9") return SECONDS.digit;
  return SYLLABIC.test(part) ? SECONDS.syllabic : SECONDS.named;
}

/** Without a vowel in small letters it may be an abbreviation. */
const isSpelled = (word: string) => word.length < 3 || !/[aeiouy]/.test(word.normalize("NFD"));

/** Numbers and units are read as several words. */
export const spokenWordsMax = (text: string): number => 100 + text.length;

/** Of full scale; a recording above it by as much is noise. */
const LOUDEST = 16;

/** Throws where one of them is no number, or far beyond full scale. */
export function checkSamples(samples: Float32Array): void {
  for (let at = 0; at < samples.length; at++)
    mustBe(Math.abs(samples[at]!) <= LOUDEST, "its samples are no samples of sound");
}
