/** Texts being written together: what both exports of Canary's decoder do, whatever their inputs. */
import type { Hidden } from "./encoder.ts";

export type Sequences = {
  /** Appends tokens, as many to every sequence; the logits [vocabulary] of what follows, for each. */
  step(tokens: number[][]): Promise<Float32Array[]>;
  /** Continues with these sequences only, by their index. */
  keep(indices: number[]): void;
};

/** Begins one empty sequence over the hidden states of each span. */
export type CanaryDecoder = (spans: Hidden[]) => Sequences;
