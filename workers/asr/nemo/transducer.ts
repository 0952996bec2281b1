/**
 * Greedy search through a transducer, one utterance: which token at which frame. RNN-T stays on a frame until it
 * yields a blank; TDT (Xu et al., 2023) also says how many frames to go on.
 *
 *   frame   0    1    2    3    4 …
 *   RNN-T   a b ∅→ ∅→  c ∅→
 *   TDT     a─────────→b (2)─────→
 *
 * The model is asked elsewhere: a path says which frame and which token its next question is about, and takes the
 * answer. So many paths can ask in one run.
 */
import { argmax, probabilityOf } from "../../onnx/logits.ts";

export type TransducerRules = {
  /** The id of the blank, which is also what stands before the first token. */
  blank: number;
  /** Tokens on one frame at most. */
  symbolsMax: number;
  /** TDT: how far each duration goes, in frames. Null: RNN-T. */
  durations: number[] | null;
};

/** A token, the frame it was heard at, how many frames it lasts where the model says so, and how sure it was, 0 to 1. */
export type Emission = { token: number; frame: number; frames: number | null; confidence: number };

export class TransducerPath {
  readonly #rules: TransducerRules;
  readonly emissions: Emission[] = [];
  /** The frame that is asked about, and the token before it. */
  frame = 0;
  token: number;
  #symbols = 0;

  constructor(rules: TransducerRules) {
    this.#rules = rules;
    this.token = rules.blank;
  }

  /** Scores of all tokens, and of the durations where there are some. True: the decoder's new state is to be kept. */
  take(tokens: Float32Array, durations: Float32Array | null = null): boolean {
    const { blank, symbolsMax } = this.#rules;
    const best = argmax(tokens);
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
    if (step !== null && step > 0) this.#goOn(step);
    else if (!isToken || this.#symbols === symbolsMax) this.#goOn(1);
    return isToken;
  }

  #goOn(frames: number): void {
    this.frame += frames;
    this.#symbols = 0;
  }
}
