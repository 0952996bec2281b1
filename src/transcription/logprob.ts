/** The confidence of a word as stock clients read it: a token with its log probability. */
import type { Word } from "../engine/protocol/recognition.ts";

const MIN_PROBABILITY = 1e-4; // so that one unlikely word does not dominate a sum

/** `bytes`: of the word in UTF-8. */
export function logprobOf({ text, confidence }: Word) {
  const value = Math.log(Math.max(confidence, MIN_PROBABILITY));
  return { token: text, logprob: Math.round(value * 1000) / 1000, bytes: [...Buffer.from(text)] };
}
