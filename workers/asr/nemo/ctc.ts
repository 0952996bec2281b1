/**
 * Greedy CTC decoding (Graves et al., 2006): the most likely token of every frame; a run of the same token counts once,
 * the blank is dropped.
 *
 *   frame   ∅ a a ∅ a b b ∅        decodes to  a a b
 */

import { argmax, probabilityOf } from "../../onnx/logits.ts";
import type { KeywordBias } from "../keywords/bias.ts";
import type { Emission } from "../sentencepiece-words.ts";

/**
 * `scores`: rows of `size` logits or log probabilities, a frame each. The blank is the last token. `bias`: keywords to
 * prefer, which choose the token of a run by its first frame.
 */
export function decodeCtc(scores: Float32Array, size: number, bias: KeywordBias | null = null): Emission[] {
  const frames = scores.length / size;
  const blank = size - 1;
  const emissions: Emission[] = [];
  let previous = blank;
  for (let frame = 0; frame < frames; frame++) {
    const row = scores.subarray(frame * size, (frame + 1) * size);
    const token = argmax(row);
    if (token === previous && token !== blank) emissions.at(-1)!.frames!++;
    else if (token !== blank) {
      const chosen = bias ? bias.choose(row, token) : token;
      emissions.push({ token: chosen, frame, frames: 1, confidence: probabilityOf(row, chosen) });
    }
    previous = token;
  }
  return emissions;
}
