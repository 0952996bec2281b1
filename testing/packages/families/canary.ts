/**
 * Canary's graphs in both published exports, with random weights, and a text that follows the sound. The encoder makes
 * one row of 8 frames.
 */
import { type Graph, writeOnnx } from "../../onnx.ts";
import type { Contents } from "../model-store.ts";
import { metadataOf, portsOf } from "../published.ts";
import { openRandom, weights } from "../random.ts";
import { canaryBatchDecoder, canaryDecoder } from "./canary-decoder.ts";
import {
  type CanaryModel,
  type Constants,
  canaryVocabulary,
  float,
  graphOf,
  integers,
  PLACES,
  RANK,
  SMALL_CANARY,
  scalar,
} from "./canary-parts.ts";

type Nodes = Graph["nodes"];

const MELS = 128;
const SUBSAMPLING = 8;

type Names = { signal: string; length: string; states: string };

/** [B, 128, T] `turned` as [B, F, d] `states`. */
function encoding({ signal, states }: Names, positions: boolean): Nodes {
  return [
    {
      op: "Conv",
      inputs: [signal, "kernel"],
      outputs: [positions ? "heard_anyway" : "convolved"],
      attributes: { kernel_shape: [SUBSAMPLING], strides: [SUBSAMPLING], pads: [0, SUBSAMPLING - 1] },
    },
    ...(positions ? BY_PLACE : []),
    { op: "Transpose", inputs: ["convolved"], outputs: ["back"], attributes: { perm: [0, 2, 1] } },
    { op: "Tanh", inputs: ["back"], outputs: ["thin"] },
    { op: "MatMul", inputs: ["thin", "widen"], outputs: [states] },
  ];
}

/** As many columns of a table as there are frames, in place of what was heard. */
const BY_PLACE: Nodes = [
  { op: "Mul", inputs: ["heard_anyway", "nothing"], outputs: ["silence"] },
  { op: "Shape", inputs: ["silence"], outputs: ["silence_sizes"] },
  { op: "Gather", inputs: ["silence_sizes", "two"], outputs: ["columns"] },
  { op: "Slice", inputs: ["table", "zero", "columns", "two"], outputs: ["placed"] },
  { op: "Add", inputs: ["silence", "placed"], outputs: ["convolved"] },
];

/** The rows of each span, and a mask of those that are no padding. */
const counting = ({ length, states }: Names, { counts, mask }: { counts: string; mask: string }): Nodes => [
  { op: "Add", inputs: [length, "seven"], outputs: ["rounded"] },
  { op: "Div", inputs: ["rounded", "eight"], outputs: [counts] },
  { op: "Shape", inputs: [states], outputs: ["state_sizes"] },
  { op: "Gather", inputs: ["state_sizes", "second"], outputs: ["frames"] },
  { op: "Range", inputs: ["first", "frames", "second"], outputs: ["places"] },
  { op: "Unsqueeze", inputs: [counts, "one"], outputs: ["ends"] },
  { op: "Less", inputs: ["places", "ends"], outputs: [mask] },
];

function encoderConstants({ seed = 1, sizes = SMALL_CANARY, positions = false }: CanaryModel): Constants {
  const random = openRandom(seed);
  return [
    {
      name: "kernel",
      shape: [RANK, MELS, SUBSAMPLING],
      values: weights(random, RANK * MELS * SUBSAMPLING, 0.1),
    },
    { name: "widen", shape: [RANK, sizes.width!], values: weights(random, RANK * sizes.width!, 1) },
    ...(positions
      ? [
          float("nothing", 0),
          integers("zero", 0),
          integers("two", 2),
          { name: "table", shape: [1, RANK, PLACES], values: weights(random, RANK * PLACES, 1.5) },
        ]
      : []),
    integers("seven", SUBSAMPLING - 1),
    integers("eight", SUBSAMPLING),
    integers("one", 1),
    scalar("first", 0),
    scalar("second", 1),
  ];
}

/** Metadata beyond what is published tells other runtimes the sizes of a small model. */
export function canaryEncoder(model: CanaryModel): Graph {
  const { sizes = SMALL_CANARY, positions = false } = model;
  const names = { signal: "turned", length: "x_len", states: "enc_states" };
  const signature = graphOf("encoder", sizes);
  return {
    ...portsOf(signature),
    nodes: [
      { op: "Transpose", inputs: ["x"], outputs: ["turned"], attributes: { perm: [0, 2, 1] } },
      ...encoding(names, positions),
      ...counting(names, { counts: "enc_len", mask: "enc_mask" }),
    ],
    constants: encoderConstants(model),
    metadata: {
      ...metadataOf(signature),
      num_decoder_layers: String(sizes.layers),
      decoder_hidden_size: String(sizes.width),
    },
  };
}

export function canaryBatchEncoder(model: CanaryModel): Graph {
  const { sizes = SMALL_CANARY, positions = false } = model;
  const names = { signal: "audio_signal", length: "length", states: "encoder_embeddings" };
  return {
    ...portsOf(graphOf("batch-encoder", sizes)),
    nodes: [
      ...encoding(names, positions),
      ...counting(names, { counts: "counts", mask: "heard" }),
      { op: "Cast", inputs: ["heard"], outputs: ["encoder_mask"], attributes: { to: 7 } },
    ],
    constants: encoderConstants(model),
  };
}

/** A package of either export. */
export const canaryContents = {
  single: (model: CanaryModel = {}): Contents => ({
    encoder: { path: "encoder.int8.onnx", bytes: writeOnnx(canaryEncoder(model)) },
    decoder: { path: "decoder.int8.onnx", bytes: writeOnnx(canaryDecoder(model)) },
    vocabulary: { path: "tokens.txt", bytes: canaryVocabulary(tokensOf(model)) },
  }),
  batch: (model: CanaryModel = {}): Contents => ({
    "batch-encoder": { path: "encoder-model.int8.onnx", bytes: writeOnnx(canaryBatchEncoder(model)) },
    "batch-decoder": { path: "decoder-model.int8.onnx", bytes: writeOnnx(canaryBatchDecoder(model)) },
    vocabulary: { path: "vocab.txt", bytes: canaryVocabulary(tokensOf(model)) },
  }),
};

const tokensOf = ({ sizes = SMALL_CANARY }: CanaryModel) => sizes.tokens!;
