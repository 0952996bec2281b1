/**
 * Small models of NeMo's layouts with the signatures and metadata of the published exports, and weights by chance: what
 * they hear means nothing, but every engine must hear the same.
 *
 *   encoder   [B, M, T] ──8 frames to one──> [B, D, T/8]         decoder   an embedding and two leaky states
 */
import { type Graph, writeOnnx } from "../onnx.ts";
import { openRandom, weights } from "./random.ts";

export const MELS = 80;
export const SUBSAMPLING = 8;
const LAYERS = 2;

/** Values of an encoder frame, of a layer of the prediction network, and tokens with the blank. */
type Sizes = {
  size: number;
  hidden: number;
  tokens: number /** Weights of as many cells as an LSTM layer has. */;
  deep?: true;
};

export const SMALL: Sizes = { size: 24, hidden: 12, tokens: 32 };
/** Those of the search of Parakeet TDT 0.6b v2. */
export const PARAKEET: Sizes = { size: 1024, hidden: 640, tokens: 1025, deep: true };

/** "▁a0", "b1" …: half of them begin a word; the blank is the last. */
const piecesOf = ({ tokens }: Sizes) => [
  "<unk>",
  ...Array.from(
    { length: tokens - 2 },
    (_, at) => `${at % 2 === 0 ? "▁" : ""}${String.fromCharCode(97 + (at % 26))}${at}`,
  ),
  "<blk>",
];

const vocabulary = (sizes: Sizes) =>
  piecesOf(sizes)
    .map((piece, at) => `${piece} ${at}`)
    .join("\n");

/** `positions`: what a frame comes to depends on its place alone, so that readers with other features hear the same. */
type Model = { seed?: number; mels?: number; durations?: number; positions?: boolean; sizes?: Sizes };

/** What the published exports carry for other runtimes. */
type Told = { mels?: number; durations?: number; sizes?: Sizes };

export const metadataOf = ({ mels = MELS, durations = 0, sizes = SMALL }: Told): Record<string, string> => ({
  vocab_size: String(sizes.tokens - 1),
  subsampling_factor: String(SUBSAMPLING),
  normalize_type: "per_feature",
  pred_rnn_layers: String(LAYERS),
  pred_hidden: String(sizes.hidden),
  feat_dim: String(mels),
  model_type: "EncDecRNNTBPEModel",
  version: "1",
  model_author: "NeMo",
  is_giga_am: "0",
  ...(durations > 0 ? { url: "a tdt model" } : {}),
});

function encoderNodes(
  seed: number,
  mels: number,
  { size, positions }: { size: number; positions: boolean },
): Required<Pick<Graph, "nodes" | "constants">> {
  const random = openRandom(seed);
  return {
    nodes: [
      {
        op: "Conv",
        inputs: ["audio_signal", "kernel", "bias"],
        outputs: [positions ? "heard_anyway" : "convolved"],
        attributes: { kernel_shape: [SUBSAMPLING], strides: [SUBSAMPLING], pads: [0, SUBSAMPLING - 1] },
      },
      { op: "Add", inputs: ["length", "seven"], outputs: ["rounded"] },
      { op: "Div", inputs: ["rounded", "eight"], outputs: ["encoded_lengths"] },
      ...(positions ? placeNodes : []),
    ],
    constants: [
      {
        name: "kernel",
        shape: [size, mels, SUBSAMPLING],
        values: weights(random, size * mels * SUBSAMPLING, 0.12),
      },
      { name: "bias", shape: [size], values: weights(random, size, 0.5) },
      { name: "seven", shape: [1], values: BigInt64Array.of(BigInt(SUBSAMPLING - 1)) },
      { name: "eight", shape: [1], values: BigInt64Array.of(BigInt(SUBSAMPLING)) },
      ...(positions ? placeConstants(seed, size) : []),
    ],
  };
}

export const PLACES = 400;

/** As many columns of a table as there are frames, in place of what was heard. */
const placeNodes: Graph["nodes"] = [
  { op: "Mul", inputs: ["heard_anyway", "nothing"], outputs: ["silence"] },
  { op: "Shape", inputs: ["silence"], outputs: ["sizes"] },
  { op: "Gather", inputs: ["sizes", "third"], outputs: ["frames"] },
  { op: "Slice", inputs: ["table", "first", "frames", "third"], outputs: ["places"] },
  { op: "Add", inputs: ["silence", "places"], outputs: ["convolved"] },
];

const placeConstants = (seed: number, size: number): Required<Graph>["constants"] => [
  { name: "nothing", shape: [1], values: Float32Array.of(0) },
  { name: "first", shape: [1], values: BigInt64Array.of(0n) },
  { name: "third", shape: [1], values: BigInt64Array.of(2n) },
  { name: "table", shape: [1, size, PLACES], values: weights(openRandom(seed + 9), size * PLACES, 1.5) },
];

export function nemoEncoder({
  seed = 1,
  mels = MELS,
  durations = 0,
  positions = false,
  sizes = SMALL,
}: Model = {}): Uint8Array {
  const { nodes, constants } = encoderNodes(seed, mels, { size: sizes.size, positions });
  return writeOnnx({
    inputs: [
      { name: "audio_signal", type: "float32", shape: ["B", mels, "T"] },
      { name: "length", type: "int64", shape: ["B"] },
    ],
    outputs: [
      { name: "outputs", type: "float32", shape: ["B", sizes.size, "F"] },
      { name: "encoded_lengths", type: "int64", shape: ["B"] },
    ],
    nodes: [...nodes, { op: "Tanh", inputs: ["convolved"], outputs: ["outputs"] }],
    constants,
    metadata: metadataOf({ mels, durations, sizes }),
  });
}

/** The same with logarithms of probabilities over the vocabulary for an output. */
export function nemoCtc({ seed = 1, mels = MELS, positions = false, sizes = SMALL }: Model = {}): Uint8Array {
  const { nodes, constants } = encoderNodes(seed, mels, { size: sizes.tokens, positions });
  return writeOnnx({
    inputs: [
      { name: "audio_signal", type: "float32", shape: ["B", mels, "T"] },
      { name: "length", type: "int64", shape: ["B"] },
    ],
    outputs: [{ name: "logprobs", type: "float32", shape: ["B", "F", sizes.tokens] }],
    nodes: [
      ...nodes.filter(({ outputs: [name] }) => name !== "rounded" && name !== "encoded_lengths"),
      { op: "Transpose", inputs: ["convolved"], outputs: ["turned"], attributes: { perm: [0, 2, 1] } },
      { op: "LogSoftmax", inputs: ["turned"], outputs: ["logprobs"], attributes: { axis: -1 } },
      // the length is an input of the published graphs, so it must be one here: nothing is added by it
      { op: "Shape", inputs: ["length"], outputs: ["unused"] },
    ],
    constants: constants.filter(({ name }) => name !== "seven" && name !== "eight"),
    metadata: { ...metadataOf({ mels, sizes }), model_type: "EncDecCTCModelBPE" },
  });
}

const stateOf = ({ hidden }: Sizes) => [LAYERS, "B", hidden];

const DEPTH = 4; // an LSTM layer has four gates, each with weights for what comes in and for what it remembers

/** As much arithmetic, and as many weights to read, as two layers have. */
const deepNodes: Graph["nodes"] = [
  { op: "MatMul", inputs: ["shallow", "widen"], outputs: ["wide"] },
  { op: "Tanh", inputs: ["wide"], outputs: ["bounded"] },
  { op: "MatMul", inputs: ["bounded", "narrow"], outputs: ["deepened"] },
  { op: "Add", inputs: ["shallow", "deepened"], outputs: ["token"] },
];

function deepConstants(seed: number, { hidden }: Sizes): Required<Graph>["constants"] {
  const random = openRandom(seed + 5);
  const width = hidden * DEPTH * 2;
  return [
    { name: "widen", shape: [hidden, width], values: weights(random, hidden * width, 0.05) },
    { name: "narrow", shape: [width, hidden], values: weights(random, hidden * width, 0.02) },
  ];
}

/** From the last token and two states to what the network says [B, H, 1] and its next states. */
function predictionNodes(
  [states, next]: [states: [string, string], next: [string, string]],
  { deep }: Sizes,
): Graph["nodes"] {
  return [
    { op: "Gather", inputs: ["embedding", "targets"], outputs: ["embedded"] }, // [B, 1, H]
    {
      op: "Transpose",
      inputs: ["embedded"],
      outputs: [deep ? "shallow" : "token"],
      attributes: { perm: [1, 0, 2] },
    },
    ...(deep ? deepNodes : []),
    { op: "Mul", inputs: [states[0], "slow"], outputs: ["faded"] },
    { op: "Add", inputs: ["faded", "token"], outputs: ["summed"] },
    { op: "Tanh", inputs: ["summed"], outputs: [next[0]] },
    { op: "Mul", inputs: [states[1], "slower"], outputs: ["faded2"] },
    { op: "Sub", inputs: ["faded2", next[0]], outputs: ["summed2"] },
    { op: "Tanh", inputs: ["summed2"], outputs: [next[1]] },
    { op: "Add", inputs: [next[0], next[1]], outputs: ["both"] },
    { op: "ReduceMean", inputs: ["both"], outputs: ["mean"], attributes: { axes: [0], keepdims: 0 } }, // [B, H]
    { op: "Unsqueeze", inputs: ["mean", "last"], outputs: ["said"] },
    { op: "Identity", inputs: ["target_length"], outputs: ["prednet_lengths"] },
  ];
}

const predictionConstants = (seed: number, sizes: Sizes): Required<Graph>["constants"] => [
  ...(sizes.deep ? deepConstants(seed, sizes) : []),
  {
    name: "embedding",
    shape: [sizes.tokens, sizes.hidden],
    values: weights(openRandom(seed + 2), sizes.tokens * sizes.hidden, 1.5),
  },
  { name: "slow", shape: [1], values: Float32Array.of(0.6) },
  { name: "slower", shape: [1], values: Float32Array.of(0.8) },
  { name: "last", shape: [1], values: BigInt64Array.of(-1n) },
];

function jointNodes(decoderOutput: string, scores: string): Graph["nodes"] {
  return [
    { op: "Transpose", inputs: ["encoder_outputs"], outputs: ["heard"], attributes: { perm: [0, 2, 1] } },
    { op: "Transpose", inputs: [decoderOutput], outputs: ["spoken"], attributes: { perm: [0, 2, 1] } },
    { op: "MatMul", inputs: ["heard", "by_sound"], outputs: ["sound"] },
    { op: "MatMul", inputs: ["spoken", "by_text"], outputs: ["text"] },
    { op: "Add", inputs: ["sound", "text"], outputs: ["unbiased"] },
    { op: "Add", inputs: ["unbiased", "leaning"], outputs: ["flat"] },
    { op: "Unsqueeze", inputs: ["flat", "second"], outputs: [scores] }, // [B, 1, 1, V]
  ];
}

function jointConstants(
  seed: number,
  durations: number,
  { size, hidden, tokens }: Sizes,
): Graph["constants"] {
  const random = openRandom(seed + 3);
  const width = tokens + durations;
  const calm = Math.sqrt(SMALL.size / size); // sums of more are no larger
  const leaning = new Float32Array(width);
  leaning[0] = -20; // nothing is unknown here
  leaning[tokens - 1] = 1.2; // the blank is what is mostly said
  if (durations > 0) leaning[tokens] = -4; // and a frame is seldom stayed on
  return [
    { name: "by_sound", shape: [size, width], values: weights(random, size * width, 1.1 * calm) },
    { name: "by_text", shape: [hidden, width], values: weights(random, hidden * width, 0.6 * calm) },
    { name: "leaning", shape: [width], values: leaning },
    { name: "second", shape: [1], values: BigInt64Array.of(1n) },
  ];
}

const TARGETS: Graph["inputs"] = [
  { name: "targets", type: "int32", shape: ["B", "U"] },
  { name: "target_length", type: "int32", shape: ["B"] },
];

/** Prediction network and joint as one graph. */
function nemoJoint({ seed = 1, durations = 0, sizes = SMALL }: Model = {}): Uint8Array {
  return writeOnnx({
    inputs: [
      { name: "encoder_outputs", type: "float32", shape: ["B", sizes.size, 1] },
      ...TARGETS,
      { name: "input_states_1", type: "float32", shape: stateOf(sizes) },
      { name: "input_states_2", type: "float32", shape: stateOf(sizes) },
    ],
    outputs: [
      { name: "outputs", type: "float32", shape: ["B", 1, 1, sizes.tokens + durations] },
      { name: "prednet_lengths", type: "int32", shape: ["B"] },
      { name: "output_states_1", type: "float32", shape: stateOf(sizes) },
      { name: "output_states_2", type: "float32", shape: stateOf(sizes) },
    ],
    nodes: [
      ...predictionNodes(
        [
          ["input_states_1", "input_states_2"],
          ["output_states_1", "output_states_2"],
        ],
        sizes,
      ),
      ...jointNodes("said", "outputs"),
    ],
    constants: [...predictionConstants(seed, sizes), ...jointConstants(seed, durations, sizes)!],
  });
}

export function nemoDecoder({ seed = 1, sizes = SMALL }: Model = {}): Uint8Array {
  return writeOnnx({
    inputs: [
      ...TARGETS,
      { name: "states.1", type: "float32", shape: stateOf(sizes) },
      { name: "onnx::LSTM_3", type: "float32", shape: stateOf(sizes) },
    ],
    outputs: [
      { name: "outputs", type: "float32", shape: ["B", sizes.hidden, "U"] },
      { name: "prednet_lengths", type: "int32", shape: ["B"] },
      { name: "states", type: "float32", shape: stateOf(sizes) },
      { name: "162", type: "float32", shape: stateOf(sizes) },
    ],
    nodes: [
      ...predictionNodes(
        [
          ["states.1", "onnx::LSTM_3"],
          ["states", "162"],
        ],
        sizes,
      ),
      { op: "Identity", inputs: ["said"], outputs: ["outputs"] },
    ],
    constants: predictionConstants(seed, sizes),
  });
}

export function nemoJoiner({ seed = 1, durations = 0, sizes = SMALL }: Model = {}): Uint8Array {
  return writeOnnx({
    inputs: [
      { name: "encoder_outputs", type: "float32", shape: ["B", sizes.size, 1] },
      { name: "decoder_outputs", type: "float32", shape: ["B", sizes.hidden, 1] },
    ],
    outputs: [{ name: "outputs", type: "float32", shape: ["B", 1, 1, sizes.tokens + durations] }],
    nodes: jointNodes("decoder_outputs", "outputs"),
    constants: jointConstants(seed, durations, sizes)!,
  });
}

/** What `nemo` is told of these models. */
export const nemoOptions = (decoding: "ctc" | "rnnt" | "tdt", durations = 0) => ({
  decoding,
  mels: MELS,
  normalize: true,
  subsampling: SUBSAMPLING,
  durations: decoding === "tdt" ? Array.from({ length: durations }, (_, at) => at) : null,
  longest_seconds: 20,
});

export const wordsOf = (sizes = SMALL) => ({ path: "vocab.txt", bytes: vocabulary(sizes) });
export const graph = (name: string, bytes: Uint8Array) => ({ path: `${name}.onnx`, bytes });

/** The files of a package, in the layouts that are published. */
export const nemoContents = {
  ctc: (model: Model = {}) => ({ encoder: graph("model", nemoCtc(model)), vocabulary: wordsOf(model.sizes) }),
  joint: (model: Model = {}) => ({
    encoder: graph("encoder-model", nemoEncoder(model)),
    joint: graph("decoder_joint-model", nemoJoint(model)),
    vocabulary: wordsOf(model.sizes),
  }),
  split: (model: Model = {}) => ({
    encoder: graph("encoder", nemoEncoder(model)),
    decoder: graph("decoder", nemoDecoder(model)),
    joiner: graph("joiner", nemoJoiner(model)),
    vocabulary: wordsOf(model.sizes),
  }),
};
