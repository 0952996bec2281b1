/** The search of a NeMo transducer over an utterance, and one step of many searches at once. */
import type { TransducerPath } from "./transducer.ts";

/** State of the prediction network, and its last output where the joint is a graph of its own. */
type Memory = { state: Float32Array[]; said: { output: Float32Array; state: Float32Array[] } | null };

/** An utterance under way: `count` frames one after the other, the first of which is frame `from` of the utterance. */
export type Search = {
  path: TransducerPath;
  frames: Float32Array;
  count: number;
  from: number;
  memory: Memory;
};

/** One question for many searches at once. */
export type Step = {
  silence(): Float32Array[];
  ask(searches: Search[]): Promise<{
    scores: Float32Array;
    width: number;
    /** The search at this place of the run said a token. */
    accept(search: Search, at: number): void;
  }>;
};
