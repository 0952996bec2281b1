/**
 * The next token of a NeMo transducer: its prediction network and joint, in one graph or in two.
 *
 *   encoder frame [B, D, 1], last token [B, 1], LSTM state 2 x [L, B, H] ──> scores of tokens, and of durations for TDT
 *
 * Many utterances share a run. The prediction network runs again only for those that emitted a token.
 */

import type { Placement } from "../../../src/engine/protocol/engine-data.ts";
import { openGraph, type Signature } from "../../onnx/session.ts";
import { copyOut, statesOf, zeroStates } from "../../onnx/tensors.ts";
import { openSplit } from "./predictor-split.ts";
import type { Search, Step } from "./search.ts";
import { framesOf, lastTokens } from "./search-tensors.ts";
import { TransducerPath, type TransducerRules } from "./transducer.ts";

export type Predictor = {
  begin(rules: TransducerRules): Pick<Search, "path" | "memory">;
  /** Runs every search to the end of its frames. */
  run(searches: Search[]): Promise<void>;
};

type Files = { joint: string } | { decoder: string; joiner: string };

/** `tokens` includes the blank; scores beyond them are those of durations. */
export async function openPredictor(files: Files, tokens: number, placement: Placement): Promise<Predictor> {
  const step = "joint" in files ? await openJoint(files.joint, placement) : await openSplit(files, placement);
  return {
    begin: (rules) => ({
      path: new TransducerPath(rules),
      memory: { state: step.initialState(), predicted: null },
    }),
    async run(searches) {
      for (;;) {
        const active = searches.filter(({ path, from, count }) => path.frame < from + count);
        if (active.length === 0) return;
        const { scores, width, accept } = await step.run(active);
        for (const [index, search] of active.entries()) {
          const row = scores.subarray(index * width, (index + 1) * width);
          const durations = width > tokens ? row.subarray(tokens) : null;
          if (search.path.take(row.subarray(0, tokens), durations)) accept(search, index);
        }
      }
    },
  };
}

const JOINT: Signature = {
  inputs: {
    encoder_outputs: { type: "float32", shape: [null, null, null] },
    targets: { type: "int32", shape: [null, null] },
    target_length: { type: "int32", shape: [null] },
    input_states_1: { type: "float32", shape: [null, null, null] },
    input_states_2: { type: "float32", shape: [null, null, null] },
  },
  outputs: {
    outputs: { type: "float32", shape: [null, null, null, null] },
    output_states_1: { type: "float32", shape: [null, null, null] },
    output_states_2: { type: "float32", shape: [null, null, null] },
  },
};

/** Prediction network and joint as one graph: the new state is kept where a token was emitted, and discarded elsewhere. */
async function openJoint(path: string, placement: Placement): Promise<Step> {
  const graph = await openGraph(path, JOINT, placement);
  const shapes = statesOf(graph, ["input_states_1", "input_states_2"]);
  return {
    initialState: () => zeroStates(shapes),
    async run(searches) {
      const count = searches.length;
      const { states, ...inputs } = lastTokens(graph, searches, shapes);
      const { outputs, output_states_1, output_states_2 } = await graph.session.run({
        encoder_outputs: framesOf(graph, searches),
        ...inputs,
        input_states_1: states[0]!,
        input_states_2: states[1]!,
      });
      const next = [output_states_1!, output_states_2!].map(({ data }) => data as Float32Array);
      return {
        scores: outputs!.data as Float32Array,
        width: outputs!.dims.at(-1)!,
        accept({ memory }, index) {
          for (const [which, shape] of shapes.entries())
            copyOut(next[which]!, memory.state[which]!, { ...shape, index, count });
        },
      };
    },
  };
}
