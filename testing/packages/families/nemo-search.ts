/** What of a NeMo transducer says the next token: a prediction network and a joint, as one graph and as two. */
import type { PublishedGraph } from "../../../src/models/signature/signature.ts";
import { type Graph, writeOnnx } from "../../onnx.ts";
import { portsOf, published } from "../published.ts";
import { openRandom, type Random, weights } from "../random.ts";
import { LAYERS, type Model, type Sizes, SMALL } from "./nemo-sizes.ts";

type Constants = Required<Graph>["constants"];
type Node = Graph["nodes"][number];

const DEPTH = 4; // an LSTM layer has four gates, each with weights for what comes in and for what it remembers

/** The graph of a role as it is published, with these sizes. */
export function publishedSearch(role: string, { durations = 0, sizes = SMALL, mels = 80 }: Model): Graph {
  return { ...portsOf(signatureOf(role, { durations, sizes, mels })), nodes: [] };
}

function signatureOf(role: string, { durations = 0, sizes = SMALL, mels = 80 }: Model): PublishedGraph {
  const scores = sizes.tokens + durations;
  return published("nemo", "", { mels, layers: LAYERS, ...sizes, scores }).graph(role)!;
}

/** As much arithmetic, and as many weights to read, as two layers have. */
const deepNodes: Node[] = [
  { op: "MatMul", inputs: ["shallow", "widen"], outputs: ["wide"] },
  { op: "Tanh", inputs: ["wide"], outputs: ["bounded"] },
  { op: "MatMul", inputs: ["bounded", "narrow"], outputs: ["deepened"] },
  { op: "Add", inputs: ["shallow", "deepened"], outputs: ["token"] },
];

function deepConstants(seed: number, { hidden }: Sizes): Constants {
  const random = openRandom(seed + 5);
  const width = hidden * DEPTH * 2;
  return [
    { name: "widen", shape: [hidden, width], values: weights(random, hidden * width, 0.05) },
    { name: "narrow", shape: [width, hidden], values: weights(random, hidden * width, 0.02) },
  ];
}

/** One matrix, or two thin ones: `x` by `name` becomes `to`. */
type Product = { x: string; name: string; to: string; rank: number | undefined };

const product = ({ x, name, to, rank }: Product): Node[] =>
  rank === undefined
    ? [{ op: "MatMul", inputs: [x, name], outputs: [to] }]
    : [
        { op: "MatMul", inputs: [x, `${name}_in`], outputs: [`${to}_thin`] },
        { op: "MatMul", inputs: [`${to}_thin`, `${name}_out`], outputs: [to] },
      ];

type Matrix = { name: string; rows: number; columns: number; reach: number; rank: number | undefined };

function matrix(random: Random, { name, rows, columns, reach, rank }: Matrix): Constants {
  if (rank === undefined)
    return [{ name, shape: [rows, columns], values: weights(random, rows * columns, reach) }];
  return [
    { name: `${name}_in`, shape: [rows, rank], values: weights(random, rows * rank, 1 / Math.sqrt(rank)) },
    { name: `${name}_out`, shape: [rank, columns], values: weights(random, rank * columns, reach * 2) },
  ];
}

/** Names of the two states and of what they become. */
type States = { states: string[]; next: string[] };

/** From the last token and two states to what the network says [B, H, 1] and its next states. */
function predictionNodes({ states, next }: States, { deep, rank }: Model): Node[] {
  const embedded: Node[] =
    rank === undefined
      ? [{ op: "Gather", inputs: ["embedding", "targets"], outputs: ["embedded"] }] // [B, 1, H]
      : [
          { op: "Gather", inputs: ["embedding_in", "targets"], outputs: ["thin"] },
          { op: "MatMul", inputs: ["thin", "embedding_out"], outputs: ["embedded"] },
        ];
  return [
    ...embedded,
    {
      op: "Transpose",
      inputs: ["embedded"],
      outputs: [deep ? "shallow" : "token"],
      attributes: { perm: [1, 0, 2] },
    },
    ...(deep ? deepNodes : []),
    { op: "Mul", inputs: [states[0]!, "slow"], outputs: ["faded"] },
    { op: "Add", inputs: ["faded", "token"], outputs: ["summed"] },
    { op: "Tanh", inputs: ["summed"], outputs: [next[0]!] },
    { op: "Mul", inputs: [states[1]!, "slower"], outputs: ["faded2"] },
    { op: "Sub", inputs: ["faded2", next[0]!], outputs: ["summed2"] },
    { op: "Tanh", inputs: ["summed2"], outputs: [next[1]!] },
    { op: "Add", inputs: [next[0]!, next[1]!], outputs: ["both"] },
    { op: "ReduceMean", inputs: ["both"], outputs: ["mean"], attributes: { axes: [0], keepdims: 0 } }, // [B, H]
    { op: "Unsqueeze", inputs: ["mean", "last"], outputs: ["said"] },
    { op: "Identity", inputs: ["target_length"], outputs: ["prednet_lengths"] },
  ];
}

const predictionConstants = ({ seed = 1, sizes = SMALL, deep, rank }: Model): Constants => [
  ...(deep ? deepConstants(seed, sizes) : []),
  ...matrix(openRandom(seed + 2), {
    name: "embedding",
    rows: sizes.tokens,
    columns: sizes.hidden,
    reach: 1.5,
    rank,
  }),
  { name: "slow", shape: [1], values: Float32Array.of(0.6) },
  { name: "slower", shape: [1], values: Float32Array.of(0.8) },
  { name: "last", shape: [1], values: BigInt64Array.of(-1n) },
];

const jointNodes = (decoderOutput: string, { rank }: Model): Node[] => [
  { op: "Transpose", inputs: ["encoder_outputs"], outputs: ["heard"], attributes: { perm: [0, 2, 1] } },
  { op: "Transpose", inputs: [decoderOutput], outputs: ["spoken"], attributes: { perm: [0, 2, 1] } },
  ...product({ x: "heard", name: "by_sound", to: "sound", rank }),
  ...product({ x: "spoken", name: "by_text", to: "text", rank }),
  { op: "Add", inputs: ["sound", "text"], outputs: ["unbiased"] },
  { op: "Add", inputs: ["unbiased", "leaning"], outputs: ["flat"] },
  { op: "Unsqueeze", inputs: ["flat", "second"], outputs: ["outputs"] }, // [B, 1, 1, V]
];

function jointConstants({ seed = 1, durations = 0, sizes = SMALL, rank }: Model): Constants {
  const { width, hidden, tokens } = sizes;
  const random = openRandom(seed + 3);
  const scores = tokens + durations;
  const calm = Math.sqrt(SMALL.width / width); // sums of more are no larger
  const leaning = new Float32Array(scores);
  leaning[0] = -20; // nothing is unknown here
  leaning[tokens - 1] = 1.2; // the blank is what is mostly said
  if (durations > 0) leaning[tokens] = -4; // and a frame is seldom stayed on
  return [
    ...matrix(random, { name: "by_sound", rows: width, columns: scores, reach: 1.1 * calm, rank }),
    ...matrix(random, { name: "by_text", rows: hidden, columns: scores, reach: 0.6 * calm, rank }),
    { name: "leaning", shape: [scores], values: leaning },
    { name: "second", shape: [1], values: BigInt64Array.of(1n) },
  ];
}

/** Prediction network and joint as one graph. */
export function jointGraph(model: Model = {}): Graph {
  const { inputs, outputs } = publishedSearch("joint", model);
  const states = inputs.slice(-2).map(({ name }) => name);
  const next = outputs.slice(-2).map(({ name }) => name);
  return {
    inputs,
    outputs,
    nodes: [...predictionNodes({ states, next }, model), ...jointNodes("said", model)],
    constants: [...predictionConstants(model), ...jointConstants(model)],
  };
}

/** The second state of the published exports has a batch of one. */
export function decoderGraph(model: Model = {}): Graph {
  const { inputs, outputs } = publishedSearch("decoder", model);
  const states = inputs.slice(-2).map(({ name }) => name);
  const next = outputs.slice(-2).map(({ name }) => name);
  return {
    inputs,
    outputs,
    nodes: [
      ...predictionNodes({ states, next }, model),
      { op: "Identity", inputs: ["said"], outputs: ["outputs"] },
    ],
    constants: predictionConstants(model),
  };
}

export const joinerGraph = (model: Model = {}): Graph => ({
  ...publishedSearch("joiner", model),
  nodes: jointNodes("decoder_outputs", model),
  constants: jointConstants(model),
});

export const nemoJoint = (model: Model = {}): Uint8Array => writeOnnx(jointGraph(model));
export const nemoDecoder = (model: Model = {}): Uint8Array => writeOnnx(decoderGraph(model));
export const nemoJoiner = (model: Model = {}): Uint8Array => writeOnnx(joinerGraph(model));
