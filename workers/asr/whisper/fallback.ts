/**
 * Decodes a window until its text is good enough: greedily, then sampled at rising temperatures, five texts at each.
 *
 *   temperature 0 ──doubtful or repeating──> 0.2, the likeliest of five ──…──> 1, the likeliest of five
 *
 * Where none is good enough it is the likeliest of all that do not repeat themselves. Source: openai/whisper and
 * SYSTRAN/faster-whisper.
 *
 * A temperature has half of the budget that is left, or one text, so that a long text that repeats itself is sampled at
 * each of them. A text that is longer than the budget is dropped.
 */
import type { Budget } from "./budget.ts";
import type { DecodeResult } from "./decoder.ts";

const TEMPERATURES = [0.2, 0.4, 0.6, 0.8, 1];
const DRAWS = 5;
const COMPRESSION_RATIO_MAX = 2.4; // above it the text repeats itself
const LOG_PROBABILITY_MIN = -1; // below it the text is doubtful
const HOPELESS = -2; // a text whose likeliest version is below it is none
const NO_SPEECH_MAX = 0.6;

export type Decoded = DecodeResult & { temperature: number; compressionRatio: number };

type Attempts = {
  /** `draw`: which of the texts at a temperature; absent `tokensMax`: as long as a text may be. */
  decode: (attempt: { temperature: number; draw: number; tokensMax?: number }) => Promise<DecodeResult>;
  budget: Budget;
  /** What a text of so many tokens takes of the budget. */
  workOf: (tokens: number) => number;
  compressionRatioOf: (tokens: readonly number[]) => number;
  /** The text is no longer needed. */
  isCancelled: () => boolean;
  /** A word or two at most: a text of noise, such as "Thank you.", is often probable. */
  isShort: boolean;
};

/** Null: silence, or cancelled. */
export async function decodeWithFallback(attempts: Attempts): Promise<Decoded | null> {
  const { compressionRatioOf, isCancelled, isShort } = attempts;
  const rejected: Decoded[] = [];
  for await (const { temperature, results } of textsOf(attempts)) {
    if (isCancelled()) return null;
    if (results.length === 0) continue;
    const result = likeliest(results);
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

/** The whole texts at each temperature that the budget allows. */
async function* textsOf({ decode, budget, workOf }: Attempts) {
  const spend = (results: DecodeResult[]) => {
    for (const { tokens } of results) budget.left -= workOf(tokens.length);
  };
  const first = await decode({ temperature: 0, draw: 0 });
  spend([first]);
  yield { temperature: 0, results: [first] };
  const likelyWork = workOf(first.tokens.length);
  for (const temperature of TEMPERATURES) {
    if (budget.left < likelyWork) return;
    const draws = Math.max(1, Math.min(DRAWS, Math.floor(budget.left / 2 / likelyWork)));
    const tokensMax = Math.floor(budget.left / draws - workOf(0));
    const results = await Promise.all(
      Array.from({ length: draws }, (_, draw) => decode({ temperature, draw, tokensMax })),
    );
    spend(results);
    yield { temperature, results: results.filter(({ tokens }) => tokens.length < tokensMax) };
  }
}

const repeats = ({ compressionRatio }: Decoded) => compressionRatio > COMPRESSION_RATIO_MAX;

const likeliest = <T extends DecodeResult>(results: T[]): T =>
  results.reduce((best, each) => (each.meanLogProbability > best.meanLogProbability ? each : best));
