/** Prediction network and joint as two graphs: the first runs again only where a token was said. */
import type { Placement } from "../../../src/engine/protocol/engine-data.ts";
import { type Graph, openGraph, type Signature } from "../../onnx/session.ts";
import { copyOut, silenceOf, stack, statesOf } from "../../onnx/tensors.ts";
import type { Search, Step } from "./search.ts";
import { framesOf, lastTokens } from "./search-tensors.ts";

const DECODER: Signature = {
  inputs: {
    targets: { type: "int32", shape: [null, null] },
    target_length: { type: "int32", shape: [null] },
  },
  outputs: {},
  more: {
    inputs: [
      { type: "float32", shape: [null, null, null] },
      { type: "float32", shape: [null, null, null] },
    ],
    outputs: [{ type: "float32", shape: [null, null, null] }],
  },
};

const JOINER: Signature = {
  inputs: {
    encoder_outputs: { type: "float32", shape: [null, null, null] },
    decoder_outputs: { type: "float32", shape: [null, null, null] },
  },
  outputs: {},
  more: { inputs: [], outputs: [{ type: "float32", shape: [null, null, null, null] }] },
};

/** Names of states differ from export to export: their order does not. */
export async function openSplit(
  files: { decoder: string; joiner: string },
  placement: Placement,
): Promise<Step> {
  const decoder = await openGraph(files.decoder, DECODER, placement);
  const joiner = await openGraph(files.joiner, JOINER, placement);
  const { shapes, say } = openSaying(decoder);
  const scoresName = joiner.session.outputNames[0]!;

  return {
    silence: () => silenceOf(shapes),
    async ask(searches) {
      await say(searches.filter(({ memory }) => memory.said === null));
      const outputs = searches.map(({ memory }) => memory.said!.output);
      const width = outputs[0]!.length;
      const { [scoresName]: scores } = await joiner.session.run({
        encoder_outputs: framesOf(joiner, searches),
        decoder_outputs: new joiner.Tensor("float32", stack(outputs), [searches.length, width, 1]),
      });
      return {
        scores: scores!.data as Float32Array,
        width: scores!.dims.at(-1)!,
        accept({ memory }) {
          memory.state = memory.said!.state;
          memory.said = null;
        },
      };
    },
  };
}

/** Runs the prediction network for those that said a token since. */
function openSaying(decoder: Graph) {
  const [, , first, second] = decoder.session.inputNames;
  const names = [first!, second!];
  const shapes = statesOf(decoder, names);
  const [saidName, , ...nextNames] = decoder.session.outputNames;

  async function say(searches: Search[]): Promise<void> {
    const count = searches.length;
    if (count === 0) return;
    const { states, ...asked } = lastTokens(decoder, searches, shapes);
    const answer = await decoder.session.run({ ...asked, [names[0]!]: states[0]!, [names[1]!]: states[1]! });
    const said = answer[saidName!]!.data as Float32Array;
    const width = said.length / count;
    for (const [at, { memory }] of searches.entries()) {
      const state = silenceOf(shapes);
      for (const [which, shape] of shapes.entries())
        copyOut(answer[nextNames[which]!]!.data as Float32Array, state[which]!, { ...shape, at, count });
      memory.said = { output: said.slice(at * width, (at + 1) * width), state };
    }
  }

  return { shapes, say };
}
