/** A small cache-aware model of NeMo's streaming layout, with the ports and metadata of the published exports. */
import { type Graph, writeOnnx } from "../../onnx.ts";
import { metadataOf, portsOf, published, type Sizes } from "../published.ts";
import { openRandom, weights } from "../random.ts";
import { graph, MELS, PLACES, SUBSAMPLING, wordsOf } from "./nemo.ts";
import { nemoDecoder, nemoJoiner } from "./nemo-search.ts";
import { LAYERS, SMALL } from "./nemo-sizes.ts";

/** What `nemo-streaming` is told of these models. */
export const STREAMING = { mels: MELS, subsampling: SUBSAMPLING, shift: 16, lookback: 9 };

/** Two blocks, with caches of four and three frames. */
export const SMALL_STREAMING: Sizes = {
  ...SMALL,
  mels: MELS,
  layers: LAYERS,
  blocks: 2,
  context: 4,
  convolution: 3,
  subsampling: SUBSAMPLING,
  shift: STREAMING.shift,
  window: STREAMING.shift + STREAMING.lookback,
  pieces: SMALL.tokens - 1,
};

/**
 * `prompts`: the export has languages. `shift`: frames of features from window to window. `listening`: what a frame comes
 * to depends on its features, not on its place.
 */
type Model = { seed?: number; prompts?: boolean; sizes?: Sizes; listening?: boolean };

const PROMPTS = JSON.stringify({ auto: 3, "en-US": 0, "de-DE": 1 });

/**
 * A cache-aware encoder. What a frame comes to depends on how many came before it, which goes from window to window as
 * the length of a cache; the caches themselves fade, and lean on it a little.
 */
export function streamingEncoderGraph({
  seed = 1,
  prompts = false,
  sizes = {},
  listening = false,
}: Model): Graph {
  const name = prompts ? "nemotron-3.5-streaming" : "nemotron-en-streaming";
  const all = { ...SMALL_STREAMING, ...sizes };
  const signature = published("nemo-streaming", name, all).graph("encoder")!;
  return {
    ...portsOf(signature),
    nodes: [...(listening ? LISTENING : COUNTING), ...CACHES],
    constants: [
      ...(listening ? listeningConstants(seed, all) : countingConstants(seed, all)),
      ...cacheConstants(all),
    ],
    metadata: {
      ...metadataOf(signature, { prompt_dictionary: PROMPTS, auto_prompt_id: "3" }),
      model_type: "EncDecRNNTBPEModel",
      version: "1",
      model_author: "NeMo",
    },
  };
}

const framesOf = ({ shift, subsampling }: Sizes) => shift! / subsampling!;

const COUNTING: Graph["nodes"] = [
  { op: "Unsqueeze", inputs: ["cache_last_channel_len", "one"], outputs: ["before"] }, // [B, 1]
  { op: "Add", inputs: ["before", "steps"], outputs: ["places"] }, // [B, T]
  { op: "Mod", inputs: ["places", "most"], outputs: ["wrapped"] },
  { op: "Gather", inputs: ["table", "wrapped"], outputs: ["looked_up"] }, // [B, T, D]
  { op: "Transpose", inputs: ["looked_up"], outputs: ["turned"], attributes: { perm: [0, 2, 1] } },
];

const countingConstants = (seed: number, sizes: Sizes): NonNullable<Graph["constants"]> => [
  { name: "one", shape: [1], values: BigInt64Array.of(1n) },
  {
    name: "steps",
    shape: [1, framesOf(sizes)],
    values: BigInt64Array.from({ length: framesOf(sizes) }, (_, at) => BigInt(at)),
  },
  { name: "most", shape: [1], values: BigInt64Array.of(BigInt(PLACES)) },
  {
    name: "table",
    shape: [PLACES, sizes.width!],
    values: weights(openRandom(seed + 9), PLACES * sizes.width!, 1.5),
  },
];

/** A frame for each whole step of features behind the lookback. */
const LISTENING: Graph["nodes"] = [
  { op: "Slice", inputs: ["audio_signal", "lookback", "far", "third"], outputs: ["new"] },
  {
    op: "Conv",
    inputs: ["new", "kernel"],
    outputs: ["turned"],
    attributes: { kernel_shape: [SUBSAMPLING], strides: [SUBSAMPLING] },
  },
];

const listeningConstants = (seed: number, sizes: Sizes): NonNullable<Graph["constants"]> => [
  { name: "lookback", shape: [1], values: BigInt64Array.of(BigInt(sizes.window! - sizes.shift!)) },
  { name: "far", shape: [1], values: BigInt64Array.of(2n ** 40n) },
  { name: "third", shape: [1], values: BigInt64Array.of(2n) },
  {
    name: "kernel",
    shape: [sizes.width!, sizes.mels!, SUBSAMPLING],
    values: weights(openRandom(seed), sizes.width! * sizes.mels! * SUBSAMPLING, 0.02),
  },
];

const CACHES: Graph["nodes"] = [
  {
    op: "ReduceMean",
    inputs: ["cache_last_time"],
    outputs: ["mean"],
    attributes: { axes: [1, 2, 3], keepdims: 0 },
  },
  { op: "Unsqueeze", inputs: ["mean", "both"], outputs: ["leaning"] },
  { op: "Add", inputs: ["turned", "leaning"], outputs: ["outputs"] },
  { op: "Div", inputs: ["length", "eight"], outputs: ["encoded_lengths"] },
  { op: "Add", inputs: ["cache_last_channel", "little"], outputs: ["cache_last_channel_next"] },
  { op: "Mul", inputs: ["cache_last_time", "half"], outputs: ["faded"] },
  { op: "Add", inputs: ["faded", "little"], outputs: ["cache_last_time_next"] },
  { op: "Add", inputs: ["cache_last_channel_len", "step"], outputs: ["cache_last_channel_next_len"] },
];

const cacheConstants = (sizes: Sizes): NonNullable<Graph["constants"]> => [
  { name: "both", shape: [2], values: BigInt64Array.of(1n, 2n) },
  { name: "eight", shape: [1], values: BigInt64Array.of(BigInt(SUBSAMPLING)) },
  { name: "half", shape: [1], values: Float32Array.of(0.5) },
  { name: "little", shape: [1], values: Float32Array.of(0.1) },
  { name: "step", shape: [1], values: BigInt64Array.of(BigInt(framesOf(sizes))) },
];

export const streamingContents = (model: Model = {}) => ({
  encoder: graph("encoder", writeOnnx(streamingEncoderGraph(model))),
  decoder: graph("decoder", nemoDecoder({ seed: model.seed ?? 1 })),
  joiner: graph("joiner", nemoJoiner({ seed: model.seed ?? 1 })),
  vocabulary: wordsOf(),
});
