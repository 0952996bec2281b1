/**
 * Whisper with all of its layers. With random weights its text is known: `TOKENS` tokens for each window, each of which
 * calls for the next; what the layers compute is added a thousandth of, so that it is computed and decides nothing. A
 * builder that knows the real weights gives the published model.
 */
import type { Graph, Value } from "../../../testing/onnx.ts";
import { published, type Sizes } from "../../../testing/packages/published.ts";
import type { GraphBuilder } from "./graph-builder.ts";
import { asVector, gelu, lengthOf, merged, scoresOf, split, transposed } from "./layers.ts";

/** Of a window of 30 s: three and a third in a second of speech. */
const TOKENS = 100;
const POSITIONS = 1500;
const TEXT_POSITIONS = 448;
const SIZE = 64; // of a head
const FIRST_WORD = 1000;

/** Turbo is large-v3 with a fifth of the decoder. */
const ENCODER_LAYERS: Record<string, number> = { "whisper-large-v3-turbo": 32 };

type Model = { name: string; sizes: Sizes };
type Block = { width: number; heads: { heads: number; size: number } };

export function whisperEncoder(b: GraphBuilder, { name, sizes }: Model): Graph {
  const { mels, width, layers } = sizes as Record<"mels" | "width" | "layers", number>;
  const x = audioLayers(b, "input_features", {
    mels,
    width,
    positions: POSITIONS,
    layers: ENCODER_LAYERS[name] ?? layers,
  });
  b.output(x, "last_hidden_state");
  return b.graph(published("whisper", name, sizes).graph("encoder")!);
}

type AudioLayers = { mels: number; width: number; positions: number; layers: number };

/** Features [B, mels, 2 · positions] to [B, positions, width]. */
export function audioLayers(
  b: GraphBuilder,
  features: string,
  { mels, width, positions, layers }: AudioLayers,
): string {
  const first = gelu(b, b.conv(features, { from: mels, to: width, kernel: 3 }));
  const second = gelu(b, b.conv(first, { from: width, to: width, kernel: 3, stride: 2, pads: [1, 1] }));
  let x = b.op("Add", [transposed(b, second), b.weights([positions, width], 0.05)]);
  const block = { width, heads: { heads: width / SIZE, size: SIZE } };
  for (let layer = 0; layer < layers; layer++) {
    const h = b.norm(x, width);
    const [queries, keys, values] = threeOf(b, h, block);
    const weights = b.op("Softmax", [scoresOf(b, [queries, keys], block.heads)], { axis: -1 });
    x = withAttended(b, x, { ...block, attended: b.op("MatMul", [weights, values]) });
    x = withFeedForward(b, x, width);
  }
  return b.norm(x, width);
}

function threeOf(b: GraphBuilder, h: string, { width, heads }: Block): [string, string, string] {
  const one = (bias: boolean) => split(b, b.linear(h, { from: width, to: width, bias }), heads);
  return [one(true), one(false), one(true)];
}

const withAttended = (b: GraphBuilder, x: string, { width, heads, attended }: Block & { attended: string }) =>
  b.op("Add", [x, b.linear(merged(b, attended, heads), { from: width, to: width })]);

function withFeedForward(b: GraphBuilder, x: string, width: number): string {
  const wide = gelu(b, b.linear(b.norm(x, width), { from: width, to: 4 * width }));
  return b.op("Add", [x, b.linear(wide, { from: 4 * width, to: width })]);
}

/** `generation`: the settings of the package, with the ids of special tokens; null: the weights decide the text. */
export function whisperDecoder(
  b: GraphBuilder,
  { name, sizes }: Model,
  generation: Generation | null,
): Graph {
  const { width, heads, layers, vocabulary } = sizes as Record<
    "width" | "heads" | "layers" | "vocabulary",
    number
  >;
  const block = { width, heads: { heads, size: SIZE } };
  const embeddings = openEmbeddings(b, { width, vocabulary });
  const past = lengthOf(b, "past_key_values.0.decoder.key", 2);
  const end = b.op("Add", [past, lengthOf(b, "input_ids", 1)]);
  const places = b.op("Range", [past, end, b.int(1)]);
  const placed = b.op("Gather", [b.weights([TEXT_POSITIONS, width], 0.05), places]);
  let x = b.op("Add", [embeddings.read("input_ids"), placed]);
  const isPast = b.op("LessOrEqual", [
    b.op("Range", [b.int(0), end, b.int(1)]),
    b.op("Unsqueeze", [places, b.ints(1)]),
  ]);
  const mask = b.op("Where", [isPast, b.float(0), b.float(-1e9)]);
  for (let layer = 0; layer < layers; layer++) {
    x = withPast(b, x, { ...block, layer, mask });
    x = withAudio(b, x, { ...block, layer });
    x = withFeedForward(b, x, width);
  }
  const scores = embeddings.scores(b.norm(x, width));
  const known = (all: Generation) =>
    b.op("Add", [b.op("Mul", [scores, b.float(0.001)]), expected(b, all, vocabulary)]);
  b.output(generation ? known(generation) : scores, "logits");
  return b.graph(published("whisper", name, sizes).graph("decoder")!);
}

type Layer = Block & { layer: number };

function withPast(b: GraphBuilder, x: string, { layer, mask, ...block }: Layer & { mask: string }): string {
  const [queries, key, value] = threeOf(b, b.norm(x, block.width), block);
  const all = { key, value };
  for (const kind of ["key", "value"] as const) {
    all[kind] = b.op("Concat", [`past_key_values.${layer}.decoder.${kind}`, all[kind]], { axis: 2 });
    b.output(all[kind], `present.${layer}.decoder.${kind}`);
  }
  const masked = b.op("Add", [scoresOf(b, [queries, all.key], block.heads), mask]);
  const attended = b.op("MatMul", [b.op("Softmax", [masked], { axis: -1 }), all.value]);
  return withAttended(b, x, { ...block, attended });
}

/** Keys and values are computed in the first step, and passed to later ones, which answer with empty ones. */
function withAudio(b: GraphBuilder, x: string, { layer, ...block }: Layer): string {
  const { width, heads } = block;
  const port = (name: string): Value => ({ name, type: "float32", shape: ["b", "h", "p", SIZE] });
  const outputs = [
    ...["key", "value"].map((kind) => port(`audio.${layer}.${kind}`)),
    ...["key", "value"].map((kind) => port(`present.${layer}.encoder.${kind}`)),
  ];
  const computed = (bias: boolean) =>
    split(b, b.linear("encoder_hidden_states", { from: width, to: width, bias }), heads);
  const same = (name: string) => b.op("Identity", [name]);
  b.choose("use_cache_branch", outputs, {
    ifTrue() {
      const passed = ["key", "value"].map((kind) => same(`past_key_values.${layer}.encoder.${kind}`));
      const empty = () => b.op("ConstantOfShape", [b.ints(0, heads.heads, 1, SIZE)]);
      return [...passed, empty(), empty()];
    },
    ifFalse() {
      const both = [computed(false), computed(true)];
      return [...both, ...both.map(same)];
    },
  });
  const queries = split(b, b.linear(b.norm(x, width), { from: width, to: width }), heads);
  const weights = b.op("Softmax", [scoresOf(b, [queries, `audio.${layer}.key`], heads)], { axis: -1 });
  b.output(weights, `cross_attentions.${layer}`);
  return withAttended(b, x, { ...block, attended: b.op("MatMul", [weights, `audio.${layer}.value`]) });
}

const WIDE = 1024; // from here on, the published int8 files have the embeddings twice, once in full precision

/** One table that is read for tokens, and whose transposition scores them. */
function openEmbeddings(b: GraphBuilder, { width, vocabulary }: { width: number; vocabulary: number }) {
  const shape = [vocabulary, width];
  const reach = Math.sqrt(3 / width);
  const turned = (table: string) => b.op("Transpose", [table], { perm: [1, 0] });
  if (b.precision === "fp32" || b.precision === "q4") {
    const table = b.weights(shape, reach);
    return {
      read: (ids: string) => b.op("Gather", [table, ids]),
      scores: (x: string) => b.op("MatMul", [x, turned(table)]),
    };
  }
  const bytes = b.quantized(shape, reach);
  if (width >= WIDE) {
    const table = b.weights(shape, reach);
    return {
      read: (ids: string) => b.op("Gather", [table, ids]),
      scores: (x: string) => b.integers("MatMulInteger", [x], { ...bytes, name: turned(bytes.name) }),
    };
  }
  return {
    read: (ids: string) =>
      b.op("DequantizeLinear", [b.op("Gather", [bytes.name, ids]), bytes.scale, bytes.zero]),
    scores: (x: string) => b.integers("MatMulInteger", [x], { ...bytes, name: turned(bytes.name) }),
  };
}

type Generation = { eos_token_id: number; no_timestamps_token_id: number };

/** 0.00, the words, 30.00, the end. */
function expected(b: GraphBuilder, generation: Generation, vocabulary: number): string {
  const { eos_token_id: endOfText, no_timestamps_token_id: noTimestamps } = generation;
  const begin = noTimestamps + 1;
  const last = begin + 1500;
  const next = BigInt64Array.from({ length: vocabulary }, (_, token) =>
    BigInt(Math.min(token + 1, vocabulary - 1)),
  );
  for (let token = endOfText; token < begin; token++) next[token] = BigInt(begin);
  next[endOfText] = BigInt(endOfText);
  next[begin] = BigInt(FIRST_WORD);
  next[FIRST_WORD + TOKENS - 1] = BigInt(last);
  next[last] = BigInt(endOfText);
  const following = b.op("Gather", [b.table([vocabulary], next), "input_ids"]);
  const values = b.table([2], Float32Array.of(0, 30));
  return b.op("OneHot", [following, asVector(b, b.int(vocabulary)), values], { axis: -1 });
}
