/** The search of a NeMo transducer over an utterance, and a step of many searches at once. */
import type { TransducerPath } from "./transducer.ts";

/** State of the prediction network, and its last output where the joint is a separate graph. */
type Memory = { state: Float32Array[]; predicted: { output: Float32Array; state: Float32Array[] } | null };

/** An utterance being searched: `count` consecutive frames, the first of which is frame `from` of the utterance. */
export type Search = {
  path: TransducerPath;
  frames: Float32Array;
  count: number;
  from: number;
  memory: Memory;
};

/** One step of many searches. */
export type Step = {
  initialState(): Float32Array[];
  run(searches: Search[]): Promise<{
    scores: Float32Array;
    width: number;
    /** Keeps the new state of the search at this index, which emitted a token. */
    accept(search: Search, index: number): void;
  }>;
};
