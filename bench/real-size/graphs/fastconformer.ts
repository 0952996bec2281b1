/**
 * NeMo's FastConformer with all of its layers: eight frames of features to one, then blocks of
 *
 *   half a feed-forward · attention with relative positions · convolution · half a feed-forward · norm
 *
 * With caches (`context`) it is the cache-aware encoder of live streams. What each frame comes to calls for a token on one
 * frame in four: see `transducer.ts`.
 */
import type { Graph } from "../../../testing/onnx.ts";
import { metadataOf, published, type Sizes } from "../../../testing/packages/published.ts";
import { type BuiltPrecision, GraphBuilder } from "./graph-builder.ts";
import { asVector, lengthOf, merged, scoresOf, split, swish, transposed } from "./layers.ts";

const CHANNELS = 256; // of the subsampling
const KERNEL = 9;
const HEADS = 8;
const POSITIONS = 5000; // as many to either side
const EVERY = 4; // frames of 80 ms: three tokens a second
/** Beyond everything that a norm gives. */
export const MARK = 200;

type Model = {
  family: "nemo" | "nemo-streaming";
  name: string;
  sizes: Sizes;
  layers: number;
  precision: BuiltPrecision;
};

/** `caches`: frames of features before those that are new, of attention and of convolution. */
type Caches = { channel: string; time: string; context: number; subsampled: number };

/** For recordings; `tokens` makes it a CTC model of so many. */
export function recordingEncoder(
  { name, sizes, layers, precision }: Model,
  tokens: number | null = null,
): Graph {
  const { mels, width } = sizes as Record<"mels" | "width", number>;
  const b = new GraphBuilder(precision);
  const { frames } = conformer(b, { mels, width, layers, caches: null });
  if (tokens !== null) {
    const scores = b.linear(frames, { from: width, to: tokens });
    b.output(b.op("LogSoftmax", [scores], { axis: -1 }), "logprobs");
    return b.graph(published("nemo", name, sizes).graph("ctc")!);
  }
  const marked = b.op("Add", [frames, marks(b, [frames, b.ints(0)], width)]);
  b.output(transposed(b, marked), "outputs");
  let length = "length";
  for (let halving = 0; halving < 3; halving++) {
    const before = b.op("Sub", [length, b.ints(1)]);
    length = b.op("Add", [b.op("Div", [before, b.ints(2)]), b.ints(1)]);
  }
  b.output(length, "encoded_lengths");
  return b.graph(published("nemo", name, sizes).graph("encoder")!);
}

/** For live streams, window by window. */
export function streamEncoder(
  { name, sizes, layers, precision }: Model,
  prompts: Record<string, number>,
): Graph {
  const { mels, width, context, shift, subsampling } = sizes as Record<string, number>;
  const b = new GraphBuilder(precision);
  const caches = {
    channel: "cache_last_channel",
    time: "cache_last_time",
    context: context!,
    subsampled: shift! / subsampling!,
  };
  const encoded = conformer(b, { mels: mels!, width: width!, layers, caches });
  const count = "cache_last_channel_len";
  const marked = b.op("Add", [encoded.frames, marks(b, [encoded.frames, count], width!)]);
  b.output(transposed(b, marked), "outputs");
  const frames = b.op("Add", [b.op("Mul", ["length", b.ints(0)]), b.ints(caches.subsampled)]);
  b.output(frames, "encoded_lengths");
  b.output(b.op("Concat", encoded.channels, { axis: 1 }), "cache_last_channel_next");
  b.output(b.op("Concat", encoded.times, { axis: 1 }), "cache_last_time_next");
  b.output(b.op("Add", [count, b.ints(caches.subsampled)]), "cache_last_channel_next_len");
  const signature = published("nemo-streaming", name, sizes).graph("encoder")!;
  const metadata = metadataOf(signature, {
    prompt_dictionary: JSON.stringify(prompts),
    auto_prompt_id: "101",
  });
  return b.graph(signature, metadata);
}

type Shape = { mels: number; width: number; layers: number; caches: Caches | null };

function conformer(b: GraphBuilder, { mels, width, layers, caches }: Shape) {
  let x = subsampled(b, { mels, width, caches });
  const table = b.weights([1, 2 * POSITIONS - 1, width], 1);
  const channels: string[] = [];
  const times: string[] = [];
  for (let layer = 0; layer < layers; layer++) {
    const cache = caches && {
      channel: b.op("Gather", [caches.channel, b.int(layer)], { axis: 1 }),
      time: b.op("Gather", [caches.time, b.int(layer)], { axis: 1 }),
      context: caches.context,
    };
    x = withFeedForward(b, x, width);
    const h = b.norm(x, width);
    const all = cache ? b.op("Concat", [cache.channel, h], { axis: 1 }) : h;
    if (cache) channels.push(lastOf(b, all, { count: cache.context, axis: 1 }));
    x = b.op("Add", [x, relativeAttention(b, [h, all], { width, table })]);
    const { output, time } = convolution(b, x, { width, cache: cache?.time ?? null });
    if (time) times.push(time);
    x = withFeedForward(b, b.op("Add", [x, output]), width);
    x = b.norm(x, width);
  }
  return { frames: x, channels, times };
}

/** The last ones of a dimension, as one of as many blocks. */
const lastOf = (b: GraphBuilder, x: string, { count, axis }: { count: number; axis: number }): string =>
  b.op("Unsqueeze", [b.op("Slice", [x, b.ints(-count), b.ints(2 ** 40), b.ints(axis)]), b.ints(1)]);

/** [B, mels, T] to [B, T / 8, width]. */
function subsampled(b: GraphBuilder, { mels, width, caches }: Omit<Shape, "layers">): string {
  const image = b.op("Unsqueeze", [transposed(b, "audio_signal"), b.ints(1)]);
  const halving = { kernel: [3, 3], stride: [2, 2], pads: [1, 1, 1, 1] };
  let x = b.op("Relu", [b.conv(image, { from: 1, to: CHANNELS, ...halving })]);
  for (let step = 0; step < 2; step++) {
    const deep = b.conv(x, { from: CHANNELS, to: CHANNELS, group: CHANNELS, ...halving });
    x = b.op("Relu", [b.conv(deep, { from: CHANNELS, to: CHANNELS, kernel: [1, 1] })]);
  }
  const bands = Math.ceil(mels / 8);
  const rows = b.op("Reshape", [
    b.op("Transpose", [x], { perm: [0, 2, 1, 3] }),
    b.ints(0, 0, CHANNELS * bands),
  ]);
  const frames = b.linear(rows, { from: CHANNELS * bands, to: width });
  if (!caches) return frames;
  return b.op("Slice", [frames, b.ints(-caches.subsampled), b.ints(2 ** 40), b.ints(1)]);
}

function withFeedForward(b: GraphBuilder, x: string, width: number): string {
  const wide = swish(b, b.linear(b.norm(x, width), { from: width, to: 4 * width }));
  const half = b.op("Mul", [b.linear(wide, { from: 4 * width, to: width }), b.float(0.5)]);
  return b.op("Add", [x, half]);
}

/** Transformer-XL's: queries [B, T, width] over [B, K, width], with a position for each distance. */
function relativeAttention(
  b: GraphBuilder,
  [x, all]: [string, string],
  { width, table }: { width: number; table: string },
): string {
  const heads = { heads: HEADS, size: width / HEADS };
  const linear = (input: string, bias = true) =>
    split(b, b.linear(input, { from: width, to: width, bias }), heads);
  const queries = linear(x);
  const biased = () => b.op("Add", [queries, b.weights([1, HEADS, 1, heads.size], 0.05)]);
  const keys = linear(all);
  const count = asVector(b, lengthOf(b, all, 1));
  const from = b.op("Sub", [b.ints(POSITIONS), count]);
  const to = b.op("Add", [b.ints(POSITIONS - 1), count]);
  const places = linear(b.op("Slice", [table, from, to, b.ints(1)]), false);
  const byPlace = shifted(b, scoresOf(b, [biased(), places], heads), count);
  const scores = b.op("Add", [scoresOf(b, [biased(), keys], heads), byPlace]);
  const attended = b.op("MatMul", [b.op("Softmax", [scores], { axis: -1 }), linear(all)]);
  return b.linear(merged(b, attended, heads), { from: width, to: width });
}

/** Each row one further to the left, by filling, reading in rows of another length, and cutting. */
function shifted(b: GraphBuilder, scores: string, count: string): string {
  const shape = b.op("Shape", [scores]);
  const sizes = (from: number, to: number) => b.op("Slice", [shape, b.ints(from), b.ints(to), b.ints(0)]);
  const padded = b.op("Pad", [scores, b.ints(0, 0, 0, 1, 0, 0, 0, 0)]);
  const turned = b.op("Reshape", [
    padded,
    b.op("Concat", [sizes(0, 2), b.ints(-1), sizes(2, 3)], { axis: 0 }),
  ]);
  const rest = b.op("Slice", [turned, b.ints(1), b.ints(2 ** 40), b.ints(2)]);
  return b.op("Slice", [b.op("Reshape", [rest, shape]), b.ints(0), count, b.ints(3)]);
}

function convolution(b: GraphBuilder, x: string, { width, cache }: { width: number; cache: string | null }) {
  const h = transposed(b, b.norm(x, width));
  const [value, gate] = b.several("Split", [b.conv(h, { from: width, to: 2 * width, kernel: 1 })], {
    count: 2,
    attributes: { axis: 1 },
  });
  const gated = b.op("Mul", [value!, b.op("Sigmoid", [gate!])]);
  const input = cache ? b.op("Concat", [cache, gated], { axis: 2 }) : gated;
  const time = cache ? lastOf(b, input, { count: KERNEL - 1, axis: 2 }) : null;
  const pads = cache ? [0, 0] : [KERNEL >> 1, KERNEL >> 1];
  const deep = swish(b, b.conv(input, { from: width, to: width, kernel: KERNEL, group: width, pads }));
  return { output: transposed(b, b.conv(deep, { from: width, to: width, kernel: 1 })), time };
}

/** In the first channel of one frame in four a mark, of one sign and the other in turn. */
function marks(b: GraphBuilder, [frames, before]: [string, string], width: number): string {
  const places = b.op("Add", [
    b.op("Range", [b.int(0), lengthOf(b, frames, 1), b.int(1)]),
    b.op("Unsqueeze", [before, b.ints(1)]),
  ]);
  const turn = b.op("Mod", [places, b.ints(2 * EVERY)]);
  const is = (value: number) => b.op("Cast", [b.op("Equal", [turn, b.ints(value)])], { to: 1 });
  const sign = b.op("Sub", [is(0), is(EVERY)]);
  const channel = new Float32Array(width);
  channel[0] = MARK;
  return b.op("Mul", [b.op("Unsqueeze", [sign, b.ints(2)]), b.table([width], channel)]);
}
