/** What is wrong with the output of a package that runs: a voice that does not speak, a recognizer of other words. */
import { TTS_SAMPLE_RATE } from "../../audio/rates.ts";

const SHORTEST_SECONDS = 0.3;
const LEVELS = { min: -50, max: -3 }; // RMS in dB of full scale: speech has -30 to -15
const WORDS_MIN = 1 / 3; // of those that were spoken: the smallest recognizers find nearly all

/** Null where it may be speech. */
export function faultOfSpeech(samples: Float32Array, text: string): string | null {
  const seconds = samples.length / TTS_SAMPLE_RATE;
  if (seconds < SHORTEST_SECONDS) return `it spoke ${seconds.toFixed(2)} s of "${text}", which is no speech`;
  if (!samples.every(Number.isFinite)) return `it spoke "${text}" as samples that are no numbers`;
  const power = samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length;
  if (power === 0) return `it spoke "${text}" as silence`;
  const level = 10 * Math.log10(power);
  if (level >= LEVELS.min && level <= LEVELS.max) return null;
  return `it spoke "${text}" at ${level.toFixed(0)} dB of full scale, which is no speech`;
}

/** Null where enough of the English words of the text were found. */
export function faultOfText(found: string, text: string): string | null {
  const words = wordsOf(text);
  const known = new Set(wordsOf(found));
  const share = words.filter((word) => known.has(word)).length / words.length;
  if (share >= WORDS_MIN) return null;
  const what = found.trim() === "" ? "nothing" : `"${found.slice(0, 60)}"`;
  return `it recognized ${what} in a recording of "${text.slice(0, 44)}": its files do not belong together`;
}

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[a-z]+/g) ?? [];
