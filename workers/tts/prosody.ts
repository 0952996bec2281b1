/**
 * Delivery guidance in plain words: a small vocabulary that every engine understands; other words are ignored.
 *
 *   slower faster · higher lower · softer louder       (and slow, slowly, fast, quickly, high, low, soft, quiet, loud …)
 */

import type { SynthesisTask } from "../../src/engine/protocol/synthesis.ts";

/** Factors on the voice's own pace, pitch and amplitude; 1 leaves it unchanged. */
export type Prosody = { rate: number; pitch: number; gain: number };

const SLOWER = { rate: 0.8 };
const FASTER = { rate: 1.25 };
const HIGHER = { pitch: 1.2 };
const LOWER = { pitch: 0.85 };
const SOFTER = { gain: 0.5 };
const LOUDER = { gain: 1.6 };

const VOCABULARY: Record<string, Partial<Prosody>> = {
  slower: SLOWER,
  slow: SLOWER,
  slowly: SLOWER,
  faster: FASTER,
  fast: FASTER,
  quickly: FASTER,
  quick: FASTER,
  higher: HIGHER,
  high: HIGHER,
  lower: LOWER,
  low: LOWER,
  deeper: LOWER,
  softer: SOFTER,
  soft: SOFTER,
  softly: SOFTER,
  quiet: SOFTER,
  quietly: SOFTER,
  louder: LOUDER,
  loud: LOUDER,
  loudly: LOUDER,
};

/** The last word on each of pace, pitch and loudness counts. @internal */
export function parseProsody(instructions: string): Prosody {
  const prosody: Prosody = { rate: 1, pitch: 1, gain: 1 };
  for (const word of instructions.toLowerCase().match(/[a-z]+/g) ?? []) {
    if (Object.hasOwn(VOCABULARY, word)) Object.assign(prosody, VOCABULARY[word]);
  }
  return prosody;
}

/** What a task asks for: its instructions, and the gain of its voice. */
export function prosodyOf({ instructions, gain: voice = 1 }: SynthesisTask): Prosody {
  const { gain, ...prosody } = parseProsody(instructions);
  return { ...prosody, gain: voice * gain };
}
