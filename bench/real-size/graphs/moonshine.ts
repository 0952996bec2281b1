/**
 * Moonshine v2 with all of its layers: a frontend of two causal convolutions over 5 ms frames, which keeps a state; an
 * encoder whose layers attend to 16 frames before and, at both ends of the stack, 4 behind; places, keys and values.
 * Widths that no settings tell are those that the published bytes leave possible.
 */
import type { Graph } from "../../../testing/onnx.ts";
import { published } from "../../../testing/packages/published.ts";
import { type BuiltPrecision, GraphBuilder } from "./graph-builder.ts";
import { asVector, gelu, lengthOf, merged, scoresOf, split, swish, transposed } from "./layers.ts";

export type Moonshine = { name: string; precision: BuiltPrecision };
type Widths = Record<
  "encoder_dim" | "decoder_dim" | "depth" | "nheads" | "head_dim" | "vocab_size" | "d_model_frontend" | "c1",
  number
>;

const FRAME = 80; // samples
const KERNEL = 5;
const BEFORE = 16;
const BEHIND = 4;
const POSITIONS = 4096;

/** The sizes by their published names. */
export const widthsOf = ({ name }: Moonshine) => published("moonshine", name).sizes as Widths;
export const portsIn = ({ name }: Moonshine, role: string) => published("moonshine", name).graph(role)!;

/** Samples come in whole frames, as the published loop feeds them, so that none are left over. */
export function moonshineFrontend(model: Moonshine): Graph {
  const { d_model_frontend: width, c1 } = widthsOf(model);
  const b = new GraphBuilder(model.precision);
  const before = b.op("Slice", ["sample_buffer", b.ints(0), "sample_len", b.ints(1)]);
  const samples = b.op("Concat", [before, "audio_chunk"], { axis: 1 });
  const frames = b.op("Reshape", [samples, b.ints(1, -1, FRAME)]);
  const centred = b.op("Sub", [frames, b.op("ReduceMean", [frames], { axes: [2] })]);
  const power = b.op("ReduceMean", [b.op("Mul", [centred, centred])], { axes: [2] });
  const even = b.op("Div", [centred, b.op("Sqrt", [b.op("Add", [power, b.float(1e-6)])])]);
  const wide = swish(b, b.linear(b.op("Asinh", [even]), { from: FRAME, to: width, bias: false }));
  const halved = (x: string, layer: { from: number; to: number; name: string }) => {
    const all = b.op("Concat", [layer.name, x], { axis: 2 });
    b.output(b.op("Slice", [all, b.ints(1 - KERNEL), b.ints(2 ** 40), b.ints(2)]), `${layer.name}_out`);
    return b.conv(all, { ...layer, kernel: KERNEL, stride: 2, pads: [0, 0] });
  };
  const first = swish(b, halved(transposed(b, wide), { from: width, to: c1, name: "conv1_buffer" }));
  const features = transposed(b, halved(first, { from: c1, to: width, name: "conv2_buffer" }));
  b.output(features, "features");
  b.output("sample_buffer", "sample_buffer_out");
  b.output(b.op("Mul", ["sample_len", b.int(0)]), "sample_len_out");
  b.output(b.op("Add", ["frame_count", lengthOf(b, features, 1)]), "frame_count_out");
  return b.graph(portsIn(model, "frontend"));
}

export function moonshineEncoder(model: Moonshine): Graph {
  const { encoder_dim: width, depth, nheads, head_dim } = widthsOf(model);
  const b = new GraphBuilder(model.precision);
  const heads = { heads: nheads, size: head_dim };
  const inner = nheads * head_dim;
  const [none, some] = [0, BEHIND].map((behind) => maskOf(b, behind));
  let x = "features";
  for (let layer = 0; layer < depth; layer++) {
    const h = b.norm(x, width);
    const project = () => split(b, b.linear(h, { from: width, to: inner, bias: false }), heads);
    const [queries, keys, values] = [project(), project(), project()];
    const isOuter = layer < 2 || layer >= depth - 2;
    const masked = b.op("Add", [scoresOf(b, [queries, keys], heads), isOuter ? some! : none!]);
    const attended = b.op("MatMul", [b.op("Softmax", [masked], { axis: -1 }), values]);
    const mixed = b.linear(merged(b, attended, heads), { from: inner, to: width, bias: false });
    x = b.op("Add", [x, mixed]);
    const wide = gelu(b, b.linear(b.norm(x, width), { from: width, to: 4 * width }));
    x = b.op("Add", [x, b.linear(wide, { from: 4 * width, to: width })]);
  }
  b.output(b.norm(x, width), "encoded");
  return b.graph(portsIn(model, "encoder"));
}

/** [frames, frames]: which frames each of them may attend to. */
function maskOf(b: GraphBuilder, behind: number): string {
  const places = b.op("Range", [b.int(0), lengthOf(b, "features", 1), b.int(1)]);
  const distance = b.op("Sub", [places, b.op("Unsqueeze", [places, b.ints(1)])]);
  const near = b.op("And", [
    b.op("GreaterOrEqual", [distance, b.int(-BEFORE)]),
    b.op("LessOrEqual", [distance, b.int(behind)]),
  ]);
  return b.op("Where", [near, b.float(0), b.float(-1e9)]);
}

/** Adds a row of each place. */
export function moonshineAdapter(model: Moonshine): Graph {
  const { encoder_dim: from, decoder_dim: to } = widthsOf(model);
  const b = new GraphBuilder(model.precision);
  const start = b.op("Squeeze", ["pos_offset"]);
  const end = b.op("Add", [start, lengthOf(b, "encoded", 1)]);
  const places = b.op("Range", [start, end, b.int(1)]);
  const placed = b.op("Add", ["encoded", rowsOf(b, [POSITIONS, from], places)]);
  b.output(from === to ? placed : b.linear(placed, { from, to, bias: false }), "memory");
  return b.graph(portsIn(model, "adapter"));
}

/** Rows of a table in bytes, by their indices. */
export function rowsOf(b: GraphBuilder, shape: [number, number], indices: string): string {
  const { name, scale, zero } = b.quantized(shape, Math.sqrt(3 / shape[1]));
  return b.op("DequantizeLinear", [b.op("Gather", [name, indices]), scale, zero]);
}

export function moonshineCross(model: Moonshine): Graph {
  const { decoder_dim: from, depth, nheads, head_dim } = widthsOf(model);
  const b = new GraphBuilder(model.precision);
  const heads = { heads: nheads, size: head_dim };
  const project = () => split(b, b.linear("memory", { from, to: nheads * head_dim, bias: false }), heads);
  for (const name of ["k_cross", "v_cross"]) {
    const layers = Array.from({ length: depth }, () => asVector(b, project()));
    b.output(b.op("Concat", layers, { axis: 0 }), name);
  }
  return b.graph(portsIn(model, "cross"));
}
