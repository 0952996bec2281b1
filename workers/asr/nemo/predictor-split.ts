/** Prediction network and joint as two graphs: the first runs again only where a token was emitted. */
import type { Placement } from "../../../src/engine/protocol/engine-data.ts";
import { type Graph, type InferenceSession, openGraph, type Signature } from "../../onnx/session.ts";
import { copyOut, stack, statesOf, zeroStates } from "../../onnx/tensors.ts";
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

/** The names of states differ between exports, their order does not. */
export async function openSplit(
  files: { decoder: string; joiner: string },
  placement: Placement,
): Promise<Step> {
  const decoder = await openGraph(files.decoder, DECODER, placement);
  const joiner = await openGraph(files.joiner, JOINER, placement);
  const { shapes, predict } = openPredictionNetwork(decoder);
  const scoresName = joiner.session.outputNames[0]!;

  return {
    initialState: () => zeroStates(shapes),
    async run(searches) {
      await predict(searches.filter(({ memory }) => memory.predicted === null));
      const outputs = searches.map(({ memory }) => memory.predicted!.output);
      const width = outputs[0]!.length;
      const { [scoresName]: scores } = await joiner.session.run({
        encoder_outputs: framesOf(joiner, searches),
        decoder_outputs: new joiner.Tensor("float32", stack(outputs), [searches.length, width, 1]),
      });
      return {
        scores: scores!.data as Float32Array,
        width: scores!.dims.at(-1)!,
        accept({ memory }) {
          memory.state = memory.predicted!.state;
          memory.predicted = null;
        },
      };
    },
  };
}

/**
 * The prediction network, run for the searches that emitted a token since their last run: all of them in one run, unless
 * the export takes the state of one search only.
 */
function openPredictionNetwork(decoder: Graph) {
  const [, , first, second] = decoder.session.inputNames;
  const names = [first!, second!];
  const shapes = statesOf(decoder, names);
  const [outputName, , ...nextNames] = decoder.session.outputNames;

  const takesOne = decoder.session.inputMetadata.some(
    (port) => names.includes(port.name) && hasBatchOfOne(port),
  );

  async function predict(searches: Search[]): Promise<void> {
    if (takesOne) for (const search of searches) await run([search]);
    else if (searches.length > 0) await run(searches);
  }

  async function run(searches: Search[]): Promise<void> {
    const count = searches.length;
    const { states, ...inputs } = lastTokens(decoder, searches, shapes);
    const answer = await decoder.session.run({ ...inputs, [names[0]!]: states[0]!, [names[1]!]: states[1]! });
    const outputs = answer[outputName!]!.data as Float32Array;
    const width = outputs.length / count;
    for (const [index, { memory }] of searches.entries()) {
      const state = zeroStates(shapes);
      for (const [which, shape] of shapes.entries())
        copyOut(answer[nextNames[which]!]!.data as Float32Array, state[which]!, { ...shape, index, count });
      memory.predicted = { output: outputs.slice(index * width, (index + 1) * width), state };
    }
  }

  return { shapes, predict };
}

const hasBatchOfOne = (port: InferenceSession.ValueMetadata): boolean => port.isTensor && port.shape[1] === 1;
