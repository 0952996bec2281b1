/** Prediction network and joint as one graph: the new state is kept where a token was emitted, and discarded elsewhere. */
import type { Placement } from "../../../src/engine/protocol/engine-data.ts";
import { openGraph, type Signature } from "../../onnx/session.ts";
import { copyOut, statesOf, zeroStates } from "../../onnx/tensors.ts";
import type { Step } from "./search.ts";
import { framesOf, lastTokens } from "./search-tensors.ts";

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

export async function openJoint(path: string, placement: Placement): Promise<Step> {
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
