/** LSTMs, in full precision and in bytes. */
import { type GraphBuilder, MICROSOFT } from "./graph-builder.ts";

type Recurrence = { from: number; hidden: number; bidirectional?: boolean; state?: [h: string, c: string] };
type Layer = Required<Pick<Recurrence, "from" | "hidden" | "state">> & { count: number; bias: string };

/** [T, B, from] to [T, B, hidden], or twice that in both directions; and the last states. */
export function lstm(
  b: GraphBuilder,
  x: string,
  { from, hidden, bidirectional = false, state = ["", ""] }: Recurrence,
): { output: string; h: string; c: string } {
  const count = bidirectional ? 2 : 1;
  const layer = { from, hidden, state, count, bias: b.weights([count, 8 * hidden], 0.001) };
  const isFull = b.precision === "fp32" || b.precision === "q4";
  const { op, inputs, domain } = isFull ? full(b, x, layer) : inBytes(b, x, layer);
  const attributes = { hidden_size: hidden, direction: bidirectional ? "bidirectional" : "forward" };
  const [y, h, c] = b.several(op, inputs, { count: 3, attributes, ...(domain ? { domain } : {}) });
  const turned = b.op("Transpose", [y!], { perm: [0, 2, 1, 3] });
  return { output: b.op("Reshape", [turned, b.ints(0, 0, count * hidden)]), h: h!, c: c! };
}

type Operator = { op: string; inputs: string[]; domain?: string };

function full(b: GraphBuilder, x: string, { from, hidden, count, bias, state }: Layer): Operator {
  const reach = 1 / Math.sqrt(hidden);
  const weights = [from, hidden].map((width) => b.weights([count, 4 * hidden, width], reach));
  return { op: "LSTM", inputs: [x, ...weights, bias, "", ...state] };
}

function inBytes(b: GraphBuilder, x: string, { from, hidden, count, bias, state }: Layer): Operator {
  const reach = 1 / Math.sqrt(hidden);
  const weights = [from, hidden].map((width) => b.quantized([count, width, 4 * hidden], reach, "int8").name);
  const scales = b.table([count], new Float32Array(count).fill(reach / 127));
  const zeros = b.table([count], new Int8Array(count));
  const inputs = [x, ...weights, bias, "", ...state, "", scales, zeros, scales, zeros];
  return { op: "DynamicQuantizeLSTM", inputs, domain: MICROSOFT };
}
