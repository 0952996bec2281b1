/**
 * Kokoro 82M, and KittenTTS, which has its architecture in other sizes, with all of their layers: a small BERT whose one layer is used twelve times, durations, pitch, and the decoder
 * of StyleTTS 2. Every phoneme lasts three frames of 25 ms, whatever the layers compute.
 */
import type { Graph } from "../../../testing/onnx.ts";
import { published } from "../../../testing/packages/published.ts";
import { type BuiltPrecision, GraphBuilder } from "./graph-builder.ts";
import { block, decoded, type Shape, type Voice } from "./kokoro-decoder.ts";
import { attention, gelu, lengthOf, stretched, transposed } from "./layers.ts";
import { lstm } from "./recurrence.ts";

const SYMBOLS = 178;
const STYLE = 128;
const BERT = { width: 768, inner: 2048, heads: 12, layers: 12, embedding: 128, positions: 512 };
const FRAMES = 3;

const KOKORO: Shape = { width: 512, layers: 3, wide: 1024, generator: 512, kernels: [3, 7, 11] };
/** By which the files come to their published bytes; those of micro are not known. */
const KITTEN: Record<string, Shape> = {
  "kitten-nano": { width: 128, layers: 2, wide: 256, generator: 256, kernels: [3, 3] },
  "kitten-mini": { width: 512, layers: 3, wide: 1024, generator: 512, kernels: [3, 3] },
};

export function kokoro(precision: BuiltPrecision): Graph {
  const b = new GraphBuilder(precision);
  b.output(spoken(b, KOKORO).samples, "waveform");
  return b.graph(published("kokoro", "kokoro-82m").graph("model")!);
}

/** Its durations are an output, too. */
export function kitten(precision: BuiltPrecision, name: string): Graph {
  const b = new GraphBuilder(precision);
  const { samples, durations } = spoken(b, KITTEN[name]!);
  b.output(b.op("Squeeze", [samples, b.ints(0)]), "waveform");
  b.output(b.op("Squeeze", [b.op("Cast", [durations], { to: 7 }), b.ints(0)]), "duration");
  return b.graph(published("kitten", name).graph("model")!);
}

/** Samples [1, 600 F], and the frames of each symbol [1, T]. */
function spoken(b: GraphBuilder, shape: Shape): { samples: string; durations: string } {
  const { width, layers } = shape;
  const [sound, manner] = b.several("Split", ["style"], { count: 2, attributes: { axis: 1 } }) as [
    string,
    string,
  ];
  const positions = lengthOf(b, "input_ids", 1);
  const text = b.linear(bert(b, positions), { from: BERT.width, to: width });
  const rows = rowsOf(b, text, { style: manner, width, layers });
  const durations = durationsOf(b, rows, width);
  const frames = b.op("Cast", [b.op("ReduceSum", [durations], { keepdims: 0 })], { to: 7 });
  const long = (x: string) => stretched(b, x, [positions, frames]);
  const [pitch, loudness] = curves(b, long(transposed(b, rows)), { width, style: manner });
  const voice: Voice = { text: long(letters(b, shape)), pitch, loudness, style: sound };
  return { samples: decoded(b, voice, shape), durations };
}

function embedded(b: GraphBuilder, width: number): string {
  if (b.precision === "fp32") return b.op("Gather", [b.weights([SYMBOLS, width], 1), "input_ids"]);
  const { name, scale, zero } = b.quantized([SYMBOLS, width], 1);
  return b.op("DequantizeLinear", [b.op("Gather", [name, "input_ids"]), scale, zero]);
}

/** [1, T, 768]. Its weights are written once. */
function bert(b: GraphBuilder, positions: string): string {
  const { width, inner, heads, layers, embedding } = BERT;
  const places = b.op("Slice", [
    b.weights([BERT.positions, embedding], 1),
    b.ints(0),
    b.op("Unsqueeze", [positions, b.ints(0)]),
  ]);
  const first = b.norm(b.op("Add", [embedded(b, embedding), places]), embedding);
  return b.repeated(layers, b.linear(first, { from: embedding, to: width }), (x) => {
    const attended = attention(b, [x, x], { from: width, heads, size: width / heads });
    const h = b.norm(b.op("Add", [x, attended]), width);
    const wide = gelu(b, b.linear(h, { from: width, to: inner }));
    return b.norm(b.op("Add", [h, b.linear(wide, { from: inner, to: width })]), width);
  });
}

/** [1, T, C] as [T, 1, C] and back. */
const turned = (b: GraphBuilder, x: string) => b.op("Transpose", [x], { perm: [1, 0, 2] });
const recurrent = (b: GraphBuilder, x: string, { from, to }: { from: number; to: number }): string =>
  turned(b, lstm(b, turned(b, x), { from, hidden: to / 2, bidirectional: true }).output);

type Styled = { style: string; width: number };

/** LSTMs with the style beside each step: [1, T, width + style]. */
function rowsOf(
  b: GraphBuilder,
  text: string,
  { style, width, layers }: Styled & { layers: number },
): string {
  const beside = b.op("Mul", [
    b.op("Unsqueeze", [style, b.ints(1)]),
    b.op("Add", [
      b.op("Mul", [b.op("Slice", [text, b.ints(0), b.ints(1), b.ints(2)]), b.float(0)]),
      b.float(1),
    ]),
  ]);
  let rows = b.op("Concat", [text, beside], { axis: 2 });
  for (let layer = 0; layer < layers; layer++) {
    const [scale, shift] = b.several(
      "Split",
      [b.op("Unsqueeze", [b.linear(style, { from: STYLE, to: 2 * width }), b.ints(1)])],
      {
        count: 2,
        attributes: { axis: 2 },
      },
    );
    const normal = b.op("Mul", [
      b.norm(recurrent(b, rows, { from: width + STYLE, to: width }), width),
      b.op("Add", [scale!, b.float(1)]),
    ]);
    rows = b.op("Concat", [b.op("Add", [normal, shift!]), beside], { axis: 2 });
  }
  return rows;
}

/** The frames of each symbol, [1, T]. */
function durationsOf(b: GraphBuilder, rows: string, width: number): string {
  const h = recurrent(b, rows, { from: width + STYLE, to: width });
  const sum = b.op("ReduceSum", [b.op("Sigmoid", [b.linear(h, { from: width, to: 50 })]), b.ints(2)], {
    keepdims: 0,
  });
  const fixed = b.op("Add", [b.op("Mul", [sum, b.float(0.0001)]), b.float(FRAMES)]);
  return b.op("Clip", [b.op("Round", [b.op("Div", [fixed, "speed"])]), b.float(1)]);
}

/** Pitch and loudness [1, 1, 2F]. */
function curves(b: GraphBuilder, x: string, { width, style }: Styled): [string, string] {
  const sizes = { from: width + STYLE, to: width };
  const shared = transposed(b, recurrent(b, transposed(b, x), sizes));
  const half = width / 2;
  const curve = () => {
    let x = block(b, shared, { from: width, to: width, style });
    x = block(b, x, { from: width, to: half, style, doubles: true });
    x = block(b, x, { from: half, to: half, style });
    return b.conv(x, { from: half, to: 1, kernel: 1 });
  };
  return [curve(), curve()];
}

/** [1, width, T]. */
function letters(b: GraphBuilder, { width, layers }: Shape): string {
  let x = transposed(b, embedded(b, width));
  for (let layer = 0; layer < layers; layer++) {
    const h = b.conv(x, { from: width, to: width, kernel: 5 });
    x = b.op("LeakyRelu", [transposed(b, b.norm(transposed(b, h), width))], { alpha: { float: 0.2 } });
  }
  return transposed(b, recurrent(b, transposed(b, x), { from: width, to: width }));
}
