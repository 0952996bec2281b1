/**
 * Piper's VITS with all of its layers: a text encoder, durations, a flow, and HiFi-GAN. Every id lasts three frames,
 * whatever the layers compute. Sizes by the quality of the voice, as Piper trains them.
 */
import type { Graph } from "../../../testing/onnx.ts";
import { published } from "../../../testing/packages/published.ts";
import { GraphBuilder } from "./graph-builder.ts";
import { attention, gelu, lengthOf, stretched, transposed } from "./layers.ts";

type Quality = {
  width: number;
  inner: number;
  /** Channels before the first upsampling. */
  channels: number;
  upsampling: { stride: number; kernel: number }[];
  /** Dilations of a residual block by its kernel; with `pairs` each is followed by a convolution without one. */
  residual: [kernel: number, dilations: number[]][];
  pairs: boolean;
};

const FEW = [8, 8, 4].map((stride) => ({ stride, kernel: stride === 4 ? 8 : 16 }));
const MANY = [8, 8, 2, 2].map((stride) => ({ stride, kernel: stride === 2 ? 4 : 16 }));
const SHORT: Quality["residual"] = [
  [3, [1, 2]],
  [5, [2, 6]],
  [7, [3, 12]],
];
const LONG: Quality["residual"] = [3, 7, 11].map((kernel) => [kernel, [1, 3, 5]]);

const QUALITIES = {
  low: { width: 96, inner: 384, channels: 256, upsampling: FEW, residual: SHORT, pairs: false },
  medium: { width: 192, inner: 768, channels: 256, upsampling: FEW, residual: SHORT, pairs: false },
  high: { width: 192, inner: 768, channels: 512, upsampling: MANY, residual: LONG, pairs: true },
} satisfies Record<string, Quality>;

const SYMBOLS = 256;
const LAYERS = 6;
const FLOWS = 4;
const FRAMES = 3;

/** By the bytes of the published file. */
export const qualityOf = (bytes: number): keyof typeof QUALITIES =>
  bytes < 30e6 ? "low" : bytes < 100e6 ? "medium" : "high";

export function vits(name: string, quality: keyof typeof QUALITIES): Graph {
  const b = new GraphBuilder();
  const sizes = QUALITIES[quality];
  const { width } = sizes;
  const text = encoded(b, sizes);
  const positions = lengthOf(b, "input", 1);
  const frames = framesOf(b, text, { positions, width });
  const statistics = b.conv(text, { from: width, to: 2 * width, kernel: 1 });
  const [mean, spread] = b.several("Split", [stretched(b, statistics, [positions, frames])], {
    count: 2,
    attributes: { axis: 1 },
  });
  const noise = b.op("Mul", [b.op("RandomNormalLike", [mean!]), scale(b, 0)]);
  const spoken = b.op("Add", [mean!, b.op("Mul", [noise, b.op("Exp", [b.op("Tanh", [spread!])])])]);
  const wave = sounded(b, flow(b, spoken, width), sizes);
  b.output(b.op("Unsqueeze", [wave, b.ints(1)]), "output");
  return b.graph(published("vits", name).graph("model")!);
}

/** Noise, slowness and noise of durations, in this order. */
const scale = (b: GraphBuilder, index: number) => b.op("Gather", ["scales", b.int(index)]);

/** [B, width, T]. */
function encoded(b: GraphBuilder, { width, inner }: Quality): string {
  let x = b.op("Gather", [b.weights([SYMBOLS, width], 1), "input"]);
  for (let layer = 0; layer < LAYERS; layer++) {
    const attended = attention(b, [x, x], { from: width, heads: 2, size: width / 2 });
    x = b.norm(b.op("Add", [x, attended]), width);
    const wide = b.op("Relu", [b.conv(transposed(b, x), { from: width, to: inner, kernel: 3 })]);
    const narrow = transposed(b, b.conv(wide, { from: inner, to: width, kernel: 3 }));
    x = b.norm(b.op("Add", [x, narrow]), width);
  }
  return transposed(b, x);
}

/** Convolutions for each channel, and between channels, with growing reach. */
function separable(b: GraphBuilder, input: string, width: number): string {
  let x = input;
  for (const dilation of [1, 3, 9]) {
    const normal = (y: string) => gelu(b, transposed(b, b.norm(transposed(b, y), width)));
    const deep = normal(b.conv(x, { from: width, to: width, kernel: 3, dilation, group: width }));
    x = b.op("Add", [x, normal(b.conv(deep, { from: width, to: width, kernel: 1 }))]);
  }
  return x;
}

/** The layers of the duration predictor; its splines are left out. */
function framesOf(
  b: GraphBuilder,
  text: string,
  { positions, width }: { positions: string; width: number },
): string {
  const of = (x: string) => b.conv(separable(b, x, width), { from: width, to: width, kernel: 1 });
  const condition = of(b.conv(text, { from: width, to: width, kernel: 1 }));
  let x = b.op("RandomNormalLike", [b.op("Slice", [condition, b.ints(0), b.ints(1), b.ints(1)])]);
  for (let index = 0; index < 3; index++) {
    const wide = b.op("Add", [b.conv(x, { from: 1, to: width, kernel: 1 }), condition]);
    const splines = b.conv(separable(b, wide, width), { from: width, to: 29, kernel: 1 });
    x = b.op("Slice", [splines, b.ints(0), b.ints(1), b.ints(1)]);
  }
  const little = b.op("Mul", [b.op("Tanh", [b.op("ReduceMean", [x], { keepdims: 0 })]), b.float(0.0001)]);
  const each = b.op("Mul", [b.op("Add", [little, b.float(FRAMES)]), scale(b, 1)]);
  const all = b.op("Mul", [each, b.op("Cast", [positions], { to: 1 })]);
  return b.op("Cast", [b.op("Round", [all])], { to: 7 });
}

function flow(b: GraphBuilder, input: string, width: number): string {
  let x = input;
  for (let index = 0; index < FLOWS; index++) {
    const [kept, changed] = b.several("Split", [x], { count: 2, attributes: { axis: 1 } });
    const shift = waves(b, b.conv(kept!, { from: width / 2, to: width, kernel: 1 }), width);
    const moved = b.op("Sub", [changed!, b.conv(shift, { from: width, to: width / 2, kernel: 1 })]);
    x = b.op("Concat", [moved, kept!], { axis: 1 });
  }
  return x;
}

/** Gated convolutions, as in WaveNet. */
function waves(b: GraphBuilder, input: string, width: number): string {
  let x = input;
  const skipped: string[] = [];
  for (let layer = 0; layer < 4; layer++) {
    const [value, gate] = b.several("Split", [b.conv(x, { from: width, to: 2 * width, kernel: 5 })], {
      count: 2,
      attributes: { axis: 1 },
    });
    const gated = b.op("Mul", [b.op("Tanh", [value!]), b.op("Sigmoid", [gate!])]);
    if (layer === 3) skipped.push(b.conv(gated, { from: width, to: width, kernel: 1 }));
    else {
      const both = b.conv(gated, { from: width, to: 2 * width, kernel: 1 });
      const [next, skip] = b.several("Split", [both], { count: 2, attributes: { axis: 1 } });
      x = b.op("Add", [x, next!]);
      skipped.push(skip!);
    }
  }
  return b.op("Sum", skipped);
}

/** HiFi-GAN: samples [B, 1, N]. */
function sounded(
  b: GraphBuilder,
  input: string,
  { width, channels, upsampling, residual, pairs }: Quality,
): string {
  const active = (x: string) => b.op("LeakyRelu", [x], { alpha: { float: 0.1 } });
  let x = b.conv(input, { from: width, to: channels, kernel: 7 });
  let count = channels;
  for (const { stride, kernel } of upsampling) {
    x = b.upsample(active(x), { from: count, to: count / 2, kernel, stride });
    count /= 2;
    const parts = residual.map(([kernel, dilations]) => {
      let y = x;
      for (const dilation of dilations) {
        let step = b.conv(active(y), { from: count, to: count, kernel, dilation });
        if (pairs) step = b.conv(active(step), { from: count, to: count, kernel });
        y = b.op("Add", [y, step]);
      }
      return y;
    });
    x = b.op("Mul", [b.op("Sum", parts), b.float(1 / parts.length)]);
  }
  return b.op("Tanh", [b.conv(active(x), { from: count, to: 1, kernel: 7, bias: false })]);
}
