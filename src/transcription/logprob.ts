/** The confidence of words as stock clients read it: tokens with their log probabilities. */
import type { Word } from "../engine/protocol/recognition.ts";

const MIN_PROBABILITY = 1e-4; // so that one unlikely word does not dominate a sum

/** `text`: the words as they are sent. The tokens joined are that text; `bytes` are theirs in UTF-8. */
export function logprobsOf(words: readonly Word[], text: string) {
  return words.map((word, index) => {
    const isSpaced = index === 0 ? text.startsWith(" ") : !word.glued;
    const token = isSpaced ? ` ${word.text}` : word.text;
    const value = Math.log(Math.max(word.confidence, MIN_PROBABILITY));
    return { token, logprob: Math.round(value * 1000) / 1000, bytes: [...Buffer.from(token)] };
  });
}
