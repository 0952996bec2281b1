/**
 * Kokoro 82M with all of its layers: a small BERT whose one layer is used twelve times, durations, pitch, and the decoder
 * of StyleTTS 2. Every phoneme lasts three frames of 25 ms, whatever the layers compute.
 */
import type { Graph } from "../../../test/onnx.ts";
import { published } from "../../../test/packages/published.ts";
import { type BuiltPrecision, GraphBuilder } from "./graph-builder.ts";
import { block, decoded, type Voice } from "./kokoro-decoder.ts";
import { attention, gelu, lengthOf, stretched, transposed } from "./layers.ts";
import { lstm } from "./recurrence.ts";

const SYMBOLS = 178;
const WIDTH = 512;
const STYLE = 128;
const BERT = { width: 768, inner: 2048, heads: 12, layers: 12, embedding: 128, positions: 512 };
const FRAMES = 3;

export function kokoro(precision: BuiltPrecision): Graph {
  const b = new GraphBuilder(precision);
  const [sound, manner] = b.several("Split", ["style"], { count: 2, attributes: { axis: 1 } }) as [
    string,
    string,
  ];
  const positions = lengthOf(b, "input_ids", 1);
  const text = b.linear(bert(b, positions), { from: BERT.width, to: WIDTH });
  const { rows, width } = duration(b, text, manner);
  const frames = framesOf(b, rows);
  const long = (x: string) => stretched(b, x, [positions, frames]);
  const [pitch, loudness] = curves(b, long(transposed(b, rows)), { width, style: manner });
  const voice: Voice = { text: long(letters(b)), pitch, loudness, style: sound };
  b.output(decoded(b, voice), "waveform");
  return b.graph(published("kokoro", "kokoro-82m").graph("model")!);
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
const recurrent = (b: GraphBuilder, x: string, from: number): string =>
  turned(b, lstm(b, turned(b, x), { from, hidden: WIDTH / 2, bidirectional: true }).output);

/** Three LSTMs with the style beside each step. */
function duration(b: GraphBuilder, text: string, style: string): { rows: string; width: number } {
  const width = WIDTH + STYLE;
  const beside = b.op("Mul", [
    b.op("Unsqueeze", [style, b.ints(1)]),
    b.op("Add", [
      b.op("Mul", [b.op("Slice", [text, b.ints(0), b.ints(1), b.ints(2)]), b.float(0)]),
      b.float(1),
    ]),
  ]);
  let rows = b.op("Concat", [text, beside], { axis: 2 });
  for (let layer = 0; layer < 3; layer++) {
    const [scale, shift] = b.several(
      "Split",
      [b.op("Unsqueeze", [b.linear(style, { from: STYLE, to: 2 * WIDTH }), b.ints(1)])],
      {
        count: 2,
        attributes: { axis: 2 },
      },
    );
    const normal = b.op("Mul", [b.norm(recurrent(b, rows, width), WIDTH), b.op("Add", [scale!, b.float(1)])]);
    rows = b.op("Concat", [b.op("Add", [normal, shift!]), beside], { axis: 2 });
  }
  return { rows, width };
}

/** The frames of the whole text, as one number. */
function framesOf(b: GraphBuilder, rows: string): string {
  const each = b.op("Sigmoid", [b.linear(recurrent(b, rows, WIDTH + STYLE), { from: WIDTH, to: 50 })]);
  const sum = b.op("ReduceSum", [each, b.ints(2)], { keepdims: 0 });
  const fixed = b.op("Add", [b.op("Mul", [sum, b.float(0.0001)]), b.float(FRAMES)]);
  const whole = b.op("Round", [b.op("Div", [fixed, "speed"])]);
  const least = b.op("Clip", [whole, b.float(1)]);
  return b.op("Cast", [b.op("ReduceSum", [least], { keepdims: 0 })], { to: 7 });
}

/** Pitch and loudness [1, 1, 2F]. */
function curves(
  b: GraphBuilder,
  x: string,
  { width, style }: { width: number; style: string },
): [string, string] {
  const shared = transposed(b, recurrent(b, transposed(b, x), width));
  const curve = () => {
    let x = block(b, shared, { from: WIDTH, to: WIDTH, style });
    x = block(b, x, { from: WIDTH, to: WIDTH / 2, style, doubles: true });
    x = block(b, x, { from: WIDTH / 2, to: WIDTH / 2, style });
    return b.conv(x, { from: WIDTH / 2, to: 1, kernel: 1 });
  };
  return [curve(), curve()];
}

/** [1, 512, T]. */
function letters(b: GraphBuilder): string {
  let x = transposed(b, embedded(b, WIDTH));
  for (let layer = 0; layer < 3; layer++) {
    const h = b.conv(x, { from: WIDTH, to: WIDTH, kernel: 5 });
    x = b.op("LeakyRelu", [transposed(b, b.norm(transposed(b, h), WIDTH))], { alpha: { float: 0.2 } });
  }
  return transposed(b, recurrent(b, transposed(b, x), WIDTH));
}
