/**
 * Decodes a window until its text is good enough: greedily, then sampled at rising temperatures, five texts at each.
 *
 *   temperature 0 ──doubtful or repeating──> 0.2, the likeliest of five ──…──> 1, the likeliest of five
 *
 * Where none is good enough it is the likeliest of all that do not repeat themselves. Source: openai/whisper and
 * SYSTRAN/faster-whisper.
 */
import type { DecodeResult } from "./decoder.ts";

const TEMPERATURES = [0, 0.2, 0.4, 0.6, 0.8, 1];
const DRAWS = 5; // at temperatures above 0
const COMPRESSION_RATIO_MAX = 2.4; // above it the text repeats itself
const LOG_PROBABILITY_MIN = -1; // below it the text is doubtful
const HOPELESS = -2; // a text whose likeliest version is below it is none
const NO_SPEECH_MAX = 0.6;

export type Decoded = DecodeResult & { temperature: number; compressionRatio: number };

type Attempts = {
  /** `draw`: which of the texts at a temperature. */
  decode: (attempt: { temperature: number; draw: number }) => Promise<DecodeResult>;
  compressionRatioOf: (tokens: readonly number[]) => number;
  /** The text is no longer needed. */
  isCancelled: () => boolean;
  /** A word or two at most: a text of noise, such as "Thank you.", is often probable. */
  isShort: boolean;
};

/** Null: silence, or cancelled. */
export async function decodeWithFallback(attempts: Attempts): Promise<Decoded | null> {
  const { decode, compressionRatioOf, isCancelled, isShort } = attempts;
  const rejected: Decoded[] = [];
  for (const temperature of TEMPERATURES) {
    const draws = Array.from({ length: temperature === 0 ? 1 : DRAWS }, (_, draw) =>
      decode({ temperature, draw }),
    );
    const result = likeliest(await Promise.all(draws));
    if (isCancelled()) return null;
    const decoded = { ...result, temperature, compressionRatio: compressionRatioOf(result.tokens) };
    const isDoubtful = decoded.meanLogProbability < LOG_PROBABILITY_MIN;
    if (decoded.noSpeech > NO_SPEECH_MAX && (isDoubtful || isShort)) return null;
    if (!isDoubtful && !repeats(decoded)) return decoded;
    rejected.push(decoded);
  }
  const varied = rejected.filter((decoded) => !repeats(decoded));
  const best = likeliest(varied.length > 0 ? varied : rejected);
  return best.meanLogProbability < HOPELESS ? null : best;
}

const repeats = ({ compressionRatio }: Decoded) => compressionRatio > COMPRESSION_RATIO_MAX;

const likeliest = <T extends DecodeResult>(results: T[]): T =>
  results.reduce((best, each) => (each.meanLogProbability > best.meanLogProbability ? each : best));
