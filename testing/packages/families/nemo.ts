/**
 * Small models of NeMo's layouts with the signatures and metadata of the published exports, and random weights: what
 * they hear means nothing, but every engine must hear the same.
 *
 *   encoder   [B, M, T] ──8 frames to one──> [B, D, T/8]         decoder   an embedding and two leaky states
 */
import { type Graph, writeOnnx } from "../../onnx.ts";
import { openRandom, weights } from "../random.ts";
import { nemoDecoder, nemoJoiner, nemoJoint, publishedSearch } from "./nemo-search.ts";
import { LAYERS, type Model, type Sizes, SMALL } from "./nemo-sizes.ts";

export const MELS = 80;
export const SUBSAMPLING = 8;
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

/** What the published exports carry for other runtimes. */
type MetadataOptions = { mels?: number; durations?: number; sizes?: Sizes };

const metadataOf = ({
  mels = MELS,
  durations = 0,
  sizes = SMALL,
}: MetadataOptions): Record<string, string> => ({
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

export function encoderGraph({
  seed = 1,
  mels = MELS,
  durations = 0,
  positions = false,
  sizes = SMALL,
}: Model = {}): Graph {
  const { nodes, constants } = encoderNodes(seed, mels, { size: sizes.width, positions });
  return {
    ...publishedSearch("encoder", { mels, sizes }),
    nodes: [...nodes, { op: "Tanh", inputs: ["convolved"], outputs: ["outputs"] }],
    constants,
    metadata: metadataOf({ mels, durations, sizes }),
  };
}

/** The same with logarithms of probabilities over the vocabulary for an output. */
export function ctcGraph({ seed = 1, mels = MELS, positions = false, sizes = SMALL }: Model = {}): Graph {
  const { nodes, constants } = encoderNodes(seed, mels, { size: sizes.tokens, positions });
  return {
    ...publishedSearch("ctc", { mels, sizes }),
    nodes: [
      ...nodes.filter(({ outputs: [name] }) => name !== "rounded" && name !== "encoded_lengths"),
      { op: "Transpose", inputs: ["convolved"], outputs: ["turned"], attributes: { perm: [0, 2, 1] } },
      { op: "LogSoftmax", inputs: ["turned"], outputs: ["logprobs"], attributes: { axis: -1 } },
      // the length is an input of the published graphs, so it must be one here: nothing is added by it
      { op: "Shape", inputs: ["length"], outputs: ["unused"] },
    ],
    constants: constants.filter(({ name }) => name !== "seven" && name !== "eight"),
    metadata: { ...metadataOf({ mels, sizes }), model_type: "EncDecCTCModelBPE" },
  };
}

export const nemoEncoder = (model: Model = {}): Uint8Array => writeOnnx(encoderGraph(model));
export const nemoCtc = (model: Model = {}): Uint8Array => writeOnnx(ctcGraph(model));

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
