/**
 * Greedy CTC decoding (Graves et al., 2006): the most likely token of every frame; a run of the same token counts once,
 * the blank is dropped.
 *
 *   frame   ∅ a a ∅ a b b ∅        decodes to  a a b
 */
import { argmax, probabilityOf } from "../../onnx/logits.ts";
import type { Emission } from "./transducer.ts";

/** `scores`: `frames` rows of `size` logits or log probabilities. The blank is the last token. */
export function decodeCtc(scores: Float32Array, frames: number, size: number): Emission[] {
  const blank = size - 1;
  const emissions: Emission[] = [];
  let previous = blank;
  for (let frame = 0; frame < frames; frame++) {
    const row = scores.subarray(frame * size, (frame + 1) * size);
    const token = argmax(row);
    if (token === previous && token !== blank) emissions.at(-1)!.frames!++;
    else if (token !== blank)
      emissions.push({ token, frame, frames: 1, confidence: probabilityOf(row, token) });
    previous = token;
  }
  return emissions;
}
