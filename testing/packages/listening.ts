/** Small graphs of voice activity and turn detection, with the published ports, whose answers are known. */
import type { Graph } from "../onnx.ts";
import { portsOf, published } from "./published.ts";

/** How loud a window is, at most one, and a state that counts. */
export const sileroGraph = (): Graph => ({
  ...portsOf(published("silero", "silero-vad").graph("model")!),
  nodes: [
    { op: "Abs", inputs: ["input"], outputs: ["levels"] },
    { op: "ReduceMean", inputs: ["levels"], outputs: ["output"], attributes: { axes: [1], keepdims: 1 } },
    { op: "Add", inputs: ["state", "one"], outputs: ["stateN"] },
  ],
  constants: [{ name: "one", shape: [1], values: Float32Array.of(1) }],
});

/** How loud the last frame is against the first, between 0 and 1. */
export const smartTurnGraph = (): Graph => ({
  ...portsOf(published("smart-turn", "smart-turn-v3").graph("model")!),
  nodes: [
    {
      op: "ReduceMean",
      inputs: ["input_features"],
      outputs: ["levels"],
      attributes: { axes: [1], keepdims: 0 },
    },
    { op: "Gather", inputs: ["levels", "last"], outputs: ["end"], attributes: { axis: 1 } },
    { op: "Gather", inputs: ["levels", "first"], outputs: ["start"], attributes: { axis: 1 } },
    { op: "Sub", inputs: ["end", "start"], outputs: ["rise"] },
    { op: "Sigmoid", inputs: ["rise"], outputs: ["logits"] },
  ],
  constants: [
    { name: "last", shape: [1], values: BigInt64Array.of(790n) },
    { name: "first", shape: [1], values: BigInt64Array.of(10n) },
  ],
});
