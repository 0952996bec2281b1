/** Smart Turn: the audio layers of Whisper tiny over 8 s, pooled by attention, and a probability. */
import type { Graph } from "../../../testing/onnx.ts";
import { published } from "../../../testing/packages/published.ts";
import { type BuiltPrecision, GraphBuilder } from "./graph-builder.ts";
import { gelu } from "./layers.ts";
import { audioLayers } from "./whisper.ts";

const SHAPE = { mels: 80, width: 384, positions: 400, layers: 4 };
const INNER = 256;

export function smartTurn(precision: BuiltPrecision): Graph {
  const b = new GraphBuilder(precision);
  const { width } = SHAPE;
  const frames = audioLayers(b, "input_features", SHAPE);
  const narrow = b.op("Tanh", [b.linear(frames, { from: width, to: INNER })]);
  const weights = b.op("Softmax", [b.linear(narrow, { from: INNER, to: 1 })], { axis: 1 });
  const pooled = b.op("ReduceSum", [b.op("Mul", [frames, weights]), b.ints(1)], { keepdims: 0 });
  const hidden = gelu(b, b.linear(pooled, { from: width, to: INNER }));
  const scores = b.linear(gelu(b, b.linear(hidden, { from: INNER, to: 64 })), { from: 64, to: 1 });
  const signature = published("smart-turn", "smart-turn-v3").graph("model")!;
  b.output(b.op("Sigmoid", [scores]), signature.outputs[0]!.name);
  return b.graph(signature);
}
