/**
 * Greedy search through a transducer, one utterance: which token at which frame. RNN-T stays on a frame until it
 * yields a blank; TDT (Xu et al., 2023) also predicts how many frames to advance.
 *
 *   frame   0    1    2    3    4 …
 *   RNN-T   a b ∅→ ∅→  c ∅→
 *   TDT     a─────────→b (2)─────→
 *
 * A path holds the frame and the token of its next step and takes the scores; the model is run elsewhere, for many paths
 * in one run.
 */

import { argmax, probabilityOf } from "../../onnx/logits.ts";
import type { KeywordBias } from "../keywords/bias.ts";
import type { Emission } from "../sentencepiece-words.ts";

export type TransducerRules = {
  /** The id of the blank, which also precedes the first token. */
  blank: number;
  /** Tokens on one frame at most. */
  symbolsMax: number;
  /** TDT: the durations by index, in frames. Null: RNN-T. */
  durations: number[] | null;
  /** Keywords to prefer, in one path; absent: none. */
  bias?: KeywordBias | null;
};

export class TransducerPath {
  readonly #rules: TransducerRules;
  readonly emissions: Emission[] = [];
  /** The frame of the next step, and the token before it. */
  frame = 0;
  token: number;
  #symbols = 0;

  constructor(rules: TransducerRules) {
    this.#rules = rules;
    this.token = rules.blank;
  }

  /** Takes the scores of all tokens, and of the durations if any. True: the decoder's new state is to be kept. */
  take(tokens: Float32Array, durations: Float32Array | null = null): boolean {
    const { blank, symbolsMax, bias } = this.#rules;
    const likeliest = argmax(tokens);
    const best = bias && likeliest !== blank ? bias.choose(tokens, likeliest) : likeliest;
    const step = durations === null ? null : this.#rules.durations![argmax(durations)]!;
    const isToken = best !== blank;
    if (isToken) {
      this.emissions.push({
        token: best,
        frame: this.frame,
        frames: step,
        confidence: probabilityOf(tokens, best),
      });
      this.token = best;
      this.#symbols++;
    }
    if (step !== null && step > 0) this.#advance(step);
    else if (!isToken || this.#symbols === symbolsMax) this.#advance(1);
    return isToken;
  }

  #advance(frames: number): void {
    this.frame += frames;
    this.#symbols = 0;
  }
}
