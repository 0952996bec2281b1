/**
 * Whisper's two graphs with the published ports and random weights.
 *
 *   encoder   2 frames to one, [B, mels, 3000] ──> [B, 1500, width]
 *   decoder   a running sum of what was read looks at what was heard; each layer keeps keys and values as the real ones
 *
 * As in the published exports, a step with the cache answers with empty keys and values of the cross attention, and a
 * position beyond the last one fails.
 */
import type { Graph, Value } from "../../onnx.ts";
import { portsOf, published, type Sizes } from "../published.ts";
import { openRandom, weights } from "../random.ts";

type Nodes = Graph["nodes"];
type Constants = Required<Graph>["constants"];

/** Of a head. */
export const SIZE = 64;
const WIDE = 384; // of the smallest published model
const POSITIONS = 448;

/**
 * `fluent`: each token calls for the next, so that what is written is long, sure, and never repeats itself. `isWide`: of
 * a fluent model, whether a step costs what one of the smallest published model does. `endsAt`: the position at which a
 * text ends; null: where chance ends it.
 */
export type WhisperGraph = {
  seed: number;
  sizes: Sizes;
  endOfText: number;
  fluent: boolean;
  isWide: boolean;
  endsAt: number | null;
};

const portsFor = (role: string, sizes: Sizes) => portsOf(published("whisper", "", sizes).graph(role)!);

const integer = (name: string, value: bigint, shape = [1]) => ({
  name,
  shape,
  values: BigInt64Array.of(value),
});

export function whisperEncoder({ seed, sizes }: WhisperGraph): Graph {
  const { mels, width } = sizes as { mels: number; width: number };
  const kernel = weights(openRandom(seed), width * mels * 2, 0.15);
  return {
    ...portsFor("encoder", sizes),
    nodes: [
      {
        op: "Conv",
        inputs: ["input_features", "kernel"],
        outputs: ["convolved"],
        attributes: { kernel_shape: [2], strides: [2] },
      },
      { op: "Tanh", inputs: ["convolved"], outputs: ["bounded"] },
      {
        op: "Transpose",
        inputs: ["bounded"],
        outputs: ["last_hidden_state"],
        attributes: { perm: [0, 2, 1] },
      },
    ],
    constants: [{ name: "kernel", shape: [width, mels, 2], values: kernel }],
  };
}

/** What was read so far, for each of the new tokens, by its place. */
const READ: Nodes = [
  { op: "Gather", inputs: ["embedding", "input_ids"], outputs: ["unplaced"] },
  { op: "Shape", inputs: ["past_key_values.0.decoder.key"], outputs: ["past_sizes"] },
  { op: "Gather", inputs: ["past_sizes", "third"], outputs: ["past"] },
  { op: "Shape", inputs: ["input_ids"], outputs: ["sizes"] },
  { op: "Gather", inputs: ["sizes", "second"], outputs: ["count"] },
  { op: "Add", inputs: ["past", "count"], outputs: ["end"] },
  { op: "Range", inputs: ["past", "end", "second"], outputs: ["places"] },
  { op: "Gather", inputs: ["positions", "places"], outputs: ["placed"] },
  { op: "Add", inputs: ["unplaced", "placed"], outputs: ["embedded"] },
  { op: "Unsqueeze", inputs: ["embedded", "one"], outputs: ["key_once"] },
  { op: "Expand", inputs: ["key_once", "each_head"], outputs: ["key"] },
  { op: "Mul", inputs: ["key", "half"], outputs: ["value"] },
];

/** Keys and values go on. */
const kept = (layer: number): Nodes =>
  ["key", "value"].map((kind) => ({
    op: "Concat",
    inputs: [`past_key_values.${layer}.decoder.${kind}`, kind],
    outputs: [`present.${layer}.decoder.${kind}`],
    attributes: { axis: 2 },
  }));

const QUERY: Nodes = [
  { op: "CumSum", inputs: ["present.0.decoder.value", "two"], outputs: ["sums"] },
  { op: "Neg", inputs: ["count"], outputs: ["negative"] },
  { op: "Unsqueeze", inputs: ["negative", "zero"], outputs: ["from"] },
  { op: "Slice", inputs: ["sums", "from", "far", "two"], outputs: ["newest"] },
  { op: "Tanh", inputs: ["newest"], outputs: ["query"] },
];

/** Keys and values of the cross attention: computed in the first step, and passed to later ones, whose own are empty. */
function crossAttention(layer: number): Nodes[number] {
  const port = (name: string): Value => ({ name, type: "float32", shape: ["b", "h", "p", SIZE] });
  const names = ["key", "value"].map((kind) => `own_${kind}`);
  const again = ["key", "value"].map((kind) => `again_${kind}`);
  const outputs = [...names, ...again].map(port);
  const cached: Nodes = ["key", "value"].flatMap((kind, at) => [
    { op: "Identity", inputs: [`past_key_values.${layer}.encoder.${kind}`], outputs: [names[at]!] },
    { op: "ConstantOfShape", inputs: ["empty"], outputs: [again[at]!] },
  ]);
  const made: Nodes = ["key", "value"].flatMap((kind, at) => [
    layer === 0
      ? { op: "MatMul", inputs: ["encoder_hidden_states", `heard_${kind}`], outputs: [`flat_${kind}`] }
      : { op: "Slice", inputs: ["encoder_hidden_states", "zero", "size", "two"], outputs: [`flat_${kind}`] },
    { op: "Unsqueeze", inputs: [`flat_${kind}`, "one"], outputs: [`once_${kind}`] },
    { op: "Expand", inputs: [`once_${kind}`, "each_head"], outputs: [names[at]!] },
    { op: "Identity", inputs: [names[at]!], outputs: [again[at]!] },
  ]);
  return {
    op: "If",
    inputs: ["use_cache_branch"],
    outputs: [
      `heard.${layer}.key`,
      `heard.${layer}.value`,
      `present.${layer}.encoder.key`,
      `present.${layer}.encoder.value`,
    ],
    attributes: {
      then_branch: { graph: { inputs: [], outputs, nodes: cached } },
      else_branch: { graph: { inputs: [], outputs, nodes: made } },
    },
  };
}

const attended = (layer: number): Nodes => [
  {
    op: "Transpose",
    inputs: [`heard.${layer}.key`],
    outputs: [`turned.${layer}`],
    attributes: { perm: [0, 1, 3, 2] },
  },
  { op: "MatMul", inputs: ["query", `turned.${layer}`], outputs: [`scores.${layer}`] },
  {
    op: "Softmax",
    inputs: [`scores.${layer}`],
    outputs: [`cross_attentions.${layer}`],
    attributes: { axis: -1 },
  },
];

/** What was just read counts most. */
const FLUENT: Nodes = [
  { op: "Mul", inputs: ["key", "loudly"], outputs: ["sure"] },
  { op: "Add", inputs: ["unsure", "sure"], outputs: ["known"] },
];

/** From a position on, nothing else than the end is probable. */
const ENDING: Nodes = [
  { op: "Sub", inputs: ["end", "second"], outputs: ["newest_place"] },
  { op: "Gather", inputs: ["endings", "newest_place"], outputs: ["ending"] },
  { op: "Mul", inputs: ["only_end", "ending"], outputs: ["end_added"] },
  { op: "Add", inputs: ["continued", "end_added"], outputs: ["logits"] },
];

const written = ({ fluent, isWide, endsAt }: WhisperGraph): Nodes => [
  { op: "MatMul", inputs: ["cross_attentions.0", "heard.0.value"], outputs: ["seen"] },
  { op: "Add", inputs: ["seen", "query"], outputs: [fluent ? "unsure" : "known"] },
  ...(fluent ? FLUENT : []),
  { op: "Gather", inputs: ["known", "first"], outputs: ["state"], attributes: { axis: 1 } },
  ...(isWide ? [{ op: "MatMul", inputs: ["state", "widen"], outputs: ["wide"] }] : []),
  { op: "MatMul", inputs: [isWide ? "wide" : "state", "by_token"], outputs: ["unbiased"] },
  { op: "Add", inputs: ["unbiased", "leaning"], outputs: [endsAt === null ? "logits" : "continued"] },
  ...(endsAt === null ? [] : ENDING),
];

/** What is wider than it need be costs what the published models do, and says the same. */
const identity = () =>
  Float32Array.from({ length: SIZE * WIDE }, (_, at) => (at % WIDE === Math.floor(at / WIDE) ? 1 : 0));

/** A token's score is how like its predecessor is to what was just read. */
function following(embedding: Float32Array, width: number): Float32Array {
  const vocabulary = embedding.length / SIZE;
  const scores = new Float32Array(width * vocabulary);
  for (let token = 1; token < vocabulary; token++)
    for (let at = 0; at < SIZE; at++) scores[at * vocabulary + token] = embedding[(token - 1) * SIZE + at]!;
  return scores;
}

export function whisperDecoder(model: WhisperGraph): Graph {
  const layers = Array.from({ length: model.sizes.layers! }, (_, layer) => layer);
  return {
    ...portsFor("decoder", model.sizes),
    nodes: [
      ...READ,
      ...layers.flatMap(kept),
      ...QUERY,
      ...layers.map(crossAttention),
      ...layers.flatMap(attended),
      ...written(model),
    ],
    constants: decoderConstants(model),
  };
}

function endingConstants({ sizes, endOfText, endsAt }: WhisperGraph): Constants {
  if (endsAt === null) return [];
  const onlyEnd = new Float32Array(sizes.vocabulary!);
  onlyEnd[endOfText] = 100;
  const endings = Float32Array.from({ length: POSITIONS }, (_, place) => Number(place >= endsAt));
  return [
    { name: "only_end", shape: [sizes.vocabulary!], values: onlyEnd },
    { name: "endings", shape: [POSITIONS], values: endings },
  ];
}

function decoderConstants(model: WhisperGraph): Constants {
  const { seed, sizes, endOfText, fluent, isWide } = model;
  const hidden = isWide ? WIDE : SIZE;
  const { width, heads, vocabulary } = sizes as { width: number; heads: number; vocabulary: number };
  const random = openRandom(seed + 1);
  const embedding = weights(random, vocabulary * SIZE, 1.2);
  const leaning = new Float32Array(vocabulary);
  leaning[endOfText] = fluent ? -20 : 1.5;
  const calm = 0.4 * Math.sqrt(SIZE / width); // sums of more are no larger
  return [
    { name: "embedding", shape: [vocabulary, SIZE], values: embedding },
    {
      name: "positions",
      shape: [POSITIONS, SIZE],
      values: weights(openRandom(seed + 7), POSITIONS * SIZE, 0.01),
    },
    { name: "heard_key", shape: [width, SIZE], values: weights(random, width * SIZE, calm) },
    { name: "heard_value", shape: [width, SIZE], values: weights(random, width * SIZE, calm) },
    {
      name: "by_token",
      shape: [hidden, vocabulary],
      values: fluent ? following(embedding, hidden) : weights(random, SIZE * vocabulary, 0.35),
    },
    ...(fluent ? [{ name: "loudly", shape: [1], values: Float32Array.of(3) }] : []),
    ...(isWide ? [{ name: "widen", shape: [SIZE, WIDE], values: identity() }] : []),
    { name: "leaning", shape: [vocabulary], values: leaning },
    { name: "half", shape: [1], values: Float32Array.of(0.5) },
    { name: "each_head", shape: [4], values: BigInt64Array.of(1n, BigInt(heads), 1n, 1n) },
    { name: "empty", shape: [4], values: BigInt64Array.of(0n, BigInt(heads), 1n, BigInt(SIZE)) },
    integer("first", 0n, []),
    integer("second", 1n, []),
    integer("third", 2n, []),
    integer("zero", 0n),
    integer("one", 1n),
    integer("two", 2n),
    integer("size", BigInt(SIZE)),
    integer("far", 2n ** 40n),
    ...endingConstants(model),
  ];
}
