/**
 * Greedy reading of CTC's output (Graves et al., 2006): the likeliest token of every frame, where a run of the same one
 * counts once, and the blank for none.
 *
 *   frame   ∅ a a ∅ a b b ∅        says  a a b
 */
import { argmax, probabilityOf } from "../../onnx/logits.ts";
import type { Emission } from "./transducer.ts";

/** `scores`: `frames` rows of `size`, logits or logs of probabilities alike. The blank is the last of a row. */
export function readCtc(scores: Float32Array, frames: number, size: number): Emission[] {
  const blank = size - 1;
  const emissions: Emission[] = [];
  let before = blank;
  for (let frame = 0; frame < frames; frame++) {
    const row = scores.subarray(frame * size, (frame + 1) * size);
    const token = argmax(row);
    if (token === before && token !== blank) emissions.at(-1)!.frames!++;
    else if (token !== blank)
      emissions.push({ token, frame, frames: 1, confidence: probabilityOf(row, token) });
    before = token;
  }
  return emissions;
}
