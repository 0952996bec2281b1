/**
 * Small models of NeMo's layouts with the signatures and metadata of the published exports, and weights by chance: what
 * they hear means nothing, but every engine must hear the same.
 *
 *   encoder   [B, M, T] ──8 frames to one──> [B, D, T/8]         decoder   an embedding and two leaky states
 */
import { type Graph, writeOnnx } from "../onnx.ts";
import { openRandom, weights } from "./random.ts";

export const MELS = 80;
export const SIZE = 24;
const HIDDEN = 12;
const LAYERS = 2;
export const SUBSAMPLING = 8;

/** "▁a", "b" …: half of them begin a word; the blank is the last. */
const PIECES = [
  "<unk>",
  ...Array.from(
    { length: 30 },
    (_, at) => `${at % 2 === 0 ? "▁" : ""}${String.fromCharCode(97 + (at % 26))}${at}`,
  ),
  "<blk>",
];
const TOKENS = PIECES.length;

const vocabulary = () => PIECES.map((piece, at) => `${piece} ${at}`).join("\n");

/** `positions`: what a frame comes to depends on its place alone, so that readers with other features hear the same. */
type Model = { seed?: number; mels?: number; durations?: number; positions?: boolean };

/** What the published exports carry for other runtimes. */
export const metadataOf = (mels: number, durations: number): Record<string, string> => ({
  vocab_size: String(TOKENS - 1),
  subsampling_factor: String(SUBSAMPLING),
  normalize_type: "per_feature",
  pred_rnn_layers: String(LAYERS),
  pred_hidden: String(HIDDEN),
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
}: Model = {}): Uint8Array {
  const { nodes, constants } = encoderNodes(seed, mels, { size: SIZE, positions });
  return writeOnnx({
    inputs: [
      { name: "audio_signal", type: "float32", shape: ["B", mels, "T"] },
      { name: "length", type: "int64", shape: ["B"] },
    ],
    outputs: [
      { name: "outputs", type: "float32", shape: ["B", SIZE, "F"] },
      { name: "encoded_lengths", type: "int64", shape: ["B"] },
    ],
    nodes: [...nodes, { op: "Tanh", inputs: ["convolved"], outputs: ["outputs"] }],
    constants,
    metadata: metadataOf(mels, durations),
  });
}

/** The same with logarithms of probabilities over the vocabulary for an output. */
export function nemoCtc({ seed = 1, mels = MELS, positions = false }: Model = {}): Uint8Array {
  const { nodes, constants } = encoderNodes(seed, mels, { size: TOKENS, positions });
  return writeOnnx({
    inputs: [
      { name: "audio_signal", type: "float32", shape: ["B", mels, "T"] },
      { name: "length", type: "int64", shape: ["B"] },
    ],
    outputs: [{ name: "logprobs", type: "float32", shape: ["B", "F", TOKENS] }],
    nodes: [
      ...nodes.filter(({ outputs: [name] }) => name !== "rounded" && name !== "encoded_lengths"),
      { op: "Transpose", inputs: ["convolved"], outputs: ["turned"], attributes: { perm: [0, 2, 1] } },
      { op: "LogSoftmax", inputs: ["turned"], outputs: ["logprobs"], attributes: { axis: -1 } },
      // the length is an input of the published graphs, so it must be one here: nothing is added by it
      { op: "Shape", inputs: ["length"], outputs: ["unused"] },
    ],
    constants: constants.filter(({ name }) => name !== "seven" && name !== "eight"),
    metadata: { ...metadataOf(mels, 0), model_type: "EncDecCTCModelBPE" },
  });
}

const STATE = [LAYERS, "B", HIDDEN];

/** From the last token and two states to what the network says [B, H, 1] and its next states. */
function predictionNodes(states: [string, string], next: [string, string]): Graph["nodes"] {
  return [
    { op: "Gather", inputs: ["embedding", "targets"], outputs: ["embedded"] }, // [B, 1, H]
    { op: "Transpose", inputs: ["embedded"], outputs: ["token"], attributes: { perm: [1, 0, 2] } },
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

const predictionConstants = (seed: number): Graph["constants"] => [
  { name: "embedding", shape: [TOKENS, HIDDEN], values: weights(openRandom(seed + 2), TOKENS * HIDDEN, 1.5) },
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

function jointConstants(seed: number, durations: number): Graph["constants"] {
  const random = openRandom(seed + 3);
  const width = TOKENS + durations;
  const leaning = new Float32Array(width);
  leaning[0] = -20; // nothing is unknown here
  leaning[TOKENS - 1] = 1.2; // the blank is what is mostly said
  if (durations > 0) leaning[TOKENS] = -4; // and a frame is seldom stayed on
  return [
    { name: "by_sound", shape: [SIZE, width], values: weights(random, SIZE * width, 1.1) },
    { name: "by_text", shape: [HIDDEN, width], values: weights(random, HIDDEN * width, 0.6) },
    { name: "leaning", shape: [width], values: leaning },
    { name: "second", shape: [1], values: BigInt64Array.of(1n) },
  ];
}

const TARGETS: Graph["inputs"] = [
  { name: "targets", type: "int32", shape: ["B", "U"] },
  { name: "target_length", type: "int32", shape: ["B"] },
];

/** Prediction network and joint as one graph. */
function nemoJoint({ seed = 1, durations = 0 }: Model = {}): Uint8Array {
  return writeOnnx({
    inputs: [
      { name: "encoder_outputs", type: "float32", shape: ["B", SIZE, 1] },
      ...TARGETS,
      { name: "input_states_1", type: "float32", shape: STATE },
      { name: "input_states_2", type: "float32", shape: STATE },
    ],
    outputs: [
      { name: "outputs", type: "float32", shape: ["B", 1, 1, TOKENS + durations] },
      { name: "prednet_lengths", type: "int32", shape: ["B"] },
      { name: "output_states_1", type: "float32", shape: STATE },
      { name: "output_states_2", type: "float32", shape: STATE },
    ],
    nodes: [
      ...predictionNodes(["input_states_1", "input_states_2"], ["output_states_1", "output_states_2"]),
      ...jointNodes("said", "outputs"),
    ],
    constants: [...predictionConstants(seed)!, ...jointConstants(seed, durations)!],
  });
}

export function nemoDecoder({ seed = 1 }: Model = {}): Uint8Array {
  return writeOnnx({
    inputs: [
      ...TARGETS,
      { name: "states.1", type: "float32", shape: STATE },
      { name: "onnx::LSTM_3", type: "float32", shape: STATE },
    ],
    outputs: [
      { name: "outputs", type: "float32", shape: ["B", HIDDEN, "U"] },
      { name: "prednet_lengths", type: "int32", shape: ["B"] },
      { name: "states", type: "float32", shape: STATE },
      { name: "162", type: "float32", shape: STATE },
    ],
    nodes: [
      ...predictionNodes(["states.1", "onnx::LSTM_3"], ["states", "162"]),
      { op: "Identity", inputs: ["said"], outputs: ["outputs"] },
    ],
    constants: predictionConstants(seed)!,
  });
}

export function nemoJoiner({ seed = 1, durations = 0 }: Model = {}): Uint8Array {
  return writeOnnx({
    inputs: [
      { name: "encoder_outputs", type: "float32", shape: ["B", SIZE, 1] },
      { name: "decoder_outputs", type: "float32", shape: ["B", HIDDEN, 1] },
    ],
    outputs: [{ name: "outputs", type: "float32", shape: ["B", 1, 1, TOKENS + durations] }],
    nodes: jointNodes("decoder_outputs", "outputs"),
    constants: jointConstants(seed, durations)!,
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

export const words = { path: "vocab.txt", bytes: vocabulary() };
export const graph = (name: string, bytes: Uint8Array) => ({ path: `${name}.onnx`, bytes });

/** The files of a package, in the layouts that are published. */
export const nemoContents = {
  ctc: (model: Model = {}) => ({ encoder: graph("model", nemoCtc(model)), vocabulary: words }),
  joint: (model: Model = {}) => ({
    encoder: graph("encoder-model", nemoEncoder(model)),
    joint: graph("decoder_joint-model", nemoJoint(model)),
    vocabulary: words,
  }),
  split: (model: Model = {}) => ({
    encoder: graph("encoder", nemoEncoder(model)),
    decoder: graph("decoder", nemoDecoder(model)),
    joiner: graph("joiner", nemoJoiner(model)),
    vocabulary: words,
  }),
};
