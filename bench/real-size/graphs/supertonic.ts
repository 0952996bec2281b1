/**
 * The four graphs of Supertonic 3 with all of their layers. A letter lasts 70 ms, whatever the layers compute. Rotary
 * positions are left out: they add no weights.
 */
import type { Graph } from "../../../testing/onnx.ts";
import { published } from "../../../testing/packages/published.ts";
import { GraphBuilder } from "./graph-builder.ts";
import { attention, gelu, transposed } from "./layers.ts";

const SYMBOLS = 8322;
const LETTER_SECONDS = 0.07;
const LATENT = 144;
const STYLE = 256;
const TEXT = 256;

const portsOf = (role: string) => published("supertonic", "supertonic-3").graph(role)!;

type Next = { width: number; inner: number; kernel: number; dilations: number[] };

/** Blocks of ConvNeXt over [B, width, T]. */
function convolved(b: GraphBuilder, input: string, { width, inner, kernel, dilations }: Next): string {
  let x = input;
  for (const dilation of dilations) {
    const deep = b.conv(x, { from: width, to: width, kernel, dilation, group: width });
    const normal = transposed(b, b.norm(transposed(b, deep), width));
    const wide = gelu(b, b.conv(normal, { from: width, to: inner, kernel: 1 }));
    const narrow = b.conv(wide, { from: inner, to: width, kernel: 1 });
    x = b.op("Add", [x, b.op("Mul", [narrow, b.weights([1, width, 1], 0.3)])]);
  }
  return x;
}

/** [B, width, T]. */
function letters(b: GraphBuilder, width: number): string {
  const rows = b.op("Gather", [b.weights([SYMBOLS, width], 1), "text_ids"]);
  return b.op("Mul", [transposed(b, rows), "text_mask"]);
}

/** Attention within the text, and what follows it. */
function attended(
  b: GraphBuilder,
  input: string,
  { width, layers, heads }: { width: number; layers: number; heads: number },
) {
  let x = transposed(b, input);
  for (let layer = 0; layer < layers; layer++) {
    x = b.norm(b.op("Add", [x, attention(b, [x, x], { from: width, heads, size: width / heads })]), width);
    const wide = b.op("Relu", [b.linear(x, { from: width, to: 4 * width })]);
    x = b.norm(b.op("Add", [x, b.linear(wide, { from: 4 * width, to: width })]), width);
  }
  return x;
}

const six = [1, 1, 1, 1, 1, 1];

export function supertonicDurations(): Graph {
  const b = new GraphBuilder();
  const width = 64;
  const text = convolved(b, letters(b, width), { width, inner: 256, kernel: 5, dilations: six });
  const rows = attended(b, text, { width, layers: 2, heads: 2 });
  const sentence = b.linear(b.op("ReduceMean", [rows], { axes: [1], keepdims: 0 }), {
    from: width,
    to: width,
  });
  const style = b.op("Reshape", ["style_dp", b.ints(0, 128)]);
  const both = b.op("Concat", [sentence, style], { axis: 1 });
  const hidden = b.op("Relu", [b.linear(both, { from: width + 128, to: 128 })]);
  const predicted = b.op("Squeeze", [b.linear(hidden, { from: 128, to: 1 }), b.ints(1)]);
  const count = b.op("ReduceSum", ["text_mask", b.ints(1, 2)], { keepdims: 0 });
  const fixed = b.op("Mul", [count, b.float(LETTER_SECONDS)]);
  b.output(b.op("Add", [fixed, b.op("Mul", [b.op("Tanh", [predicted]), b.float(0.0001)])]), "duration");
  return b.graph(portsOf("durations"));
}

export function supertonicText(): Graph {
  const b = new GraphBuilder();
  const text = convolved(b, letters(b, TEXT), { width: TEXT, inner: 1024, kernel: 5, dilations: six });
  let rows = attended(b, text, { width: TEXT, layers: 4, heads: 4 });
  for (let layer = 0; layer < 2; layer++) {
    const styled = attention(b, [rows, "style_ttl"], { from: TEXT, over: STYLE, heads: 2, size: TEXT / 2 });
    rows = b.norm(b.op("Add", [rows, styled]), TEXT);
  }
  b.output(b.op("Mul", [transposed(b, rows), "text_mask"]), "text_emb");
  return b.graph(portsOf("encoder"));
}

/** With and without text and style in one batch, as guidance wants it. */
export function supertonicEstimator(): Graph {
  const b = new GraphBuilder();
  const width = 512;
  const next = { width, inner: 2048, kernel: 5 };
  const twice = (x: string, other: string) => b.op("Concat", [x, other], { axis: 0 });
  const blank = (x: string, size: number[]) =>
    b.op("Add", [b.op("Mul", [x, b.float(0)]), b.weights(size, 0.1)]);
  const latent = twice("noisy_latent", "noisy_latent");
  const rows = transposed(b, "text_emb");
  const text = twice(rows, blank(rows, [1, 1, TEXT]));
  const style = twice("style_ttl", blank("style_ttl", [1, 50, STYLE]));
  const time = b.op("Unsqueeze", [timeOf(b), b.ints(2)]);
  let x = b.conv(latent, { from: LATENT, to: width, kernel: 1 });
  for (let group = 0; group < 4; group++) {
    x = convolved(b, x, { ...next, dilations: [1, 2, 4, 8] });
    x = b.op("Add", [x, conditioned(b, time, width)]);
    x = convolved(b, x, { ...next, dilations: [1] });
    x = crossed(b, [x, text], { width, over: TEXT, heads: 8, size: 64 });
    x = convolved(b, x, { ...next, dilations: [1] });
    x = crossed(b, [x, style], { width, over: STYLE, heads: 2, size: 128 });
  }
  x = convolved(b, x, { ...next, dilations: [1, 1, 1, 1] });
  const [guiding, other] = b.several("Split", [b.conv(x, { from: width, to: LATENT, kernel: 1 })], {
    count: 2,
    attributes: { axis: 0 },
  });
  const guided = b.op("Sub", [b.op("Mul", [guiding!, b.float(3)]), b.op("Mul", [other!, b.float(2)])]);
  const step = b.op("Unsqueeze", [b.op("Reciprocal", ["total_step"]), b.ints(1, 2)]);
  const moved = b.op("Add", ["noisy_latent", b.op("Mul", [b.op("Tanh", [guided]), step])]);
  b.output(b.op("Mul", [moved, "latent_mask"]), "denoised_latent");
  return b.graph(portsOf("estimator"));
}

/** How far the steps are, [2B, 64]. */
function timeOf(b: GraphBuilder): string {
  const share = b.op("Unsqueeze", [b.op("Div", ["current_step", "total_step"]), b.ints(1)]);
  const both = b.op("Concat", [share, share], { axis: 0 });
  const waves = b.op("Sin", [b.op("Mul", [both, b.weights([64], 100)])]);
  const wide = gelu(b, b.linear(waves, { from: 64, to: 256 }));
  return b.linear(wide, { from: 256, to: 64 });
}

const conditioned = (b: GraphBuilder, time: string, width: number): string =>
  transposed(b, b.linear(transposed(b, time), { from: 64, to: width }));

type Cross = { width: number; over: number; heads: number; size: number };

function crossed(b: GraphBuilder, [x, other]: [string, string], { width, ...shape }: Cross): string {
  const rows = transposed(b, x);
  const found = attention(b, [rows, other], { from: width, ...shape });
  return transposed(b, b.norm(b.op("Add", [rows, found]), width));
}

/** 3,072 samples for each latent frame. */
export function supertonicVocoder(): Graph {
  const b = new GraphBuilder();
  const [width, inner, channels, compress] = [512, 2048, 24, 6];
  const apart = b.op("Reshape", ["latent", b.ints(0, channels, compress, -1)]);
  const frames = b.op("Reshape", [
    b.op("Transpose", [apart], { perm: [0, 1, 3, 2] }),
    b.ints(0, channels, -1),
  ]);
  let x = b.conv(frames, { from: channels, to: width, kernel: 7 });
  x = convolved(b, x, { width, inner, kernel: 7, dilations: [1, 2, 4, 1, 2, 4, 1, 1, 1, 1] });
  x = transposed(b, b.norm(transposed(b, x), width));
  x = b.op("PRelu", [b.conv(x, { from: width, to: inner, kernel: 3 }), b.table([1], Float32Array.of(0.2))]);
  const samples = b.op("Tanh", [b.conv(x, { from: inner, to: width, kernel: 1, bias: false })]);
  b.output(b.op("Reshape", [transposed(b, samples), b.ints(0, -1)]), "wav_tts");
  return b.graph(portsOf("vocoder"));
}
