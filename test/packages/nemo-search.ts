/** What of a NeMo transducer says the next token: a prediction network and a joint, as one graph and as two. */
import { type Graph, writeOnnx } from "../onnx.ts";
import { LAYERS, type Model, type Sizes, SMALL } from "./nemo-sizes.ts";
import { openRandom, weights } from "./random.ts";

const stateOf = ({ hidden }: Sizes) => [LAYERS, "B", hidden];

const DEPTH = 4; // an LSTM layer has four gates, each with weights for what comes in and for what it remembers

/** As much arithmetic, and as many weights to read, as two layers have. */
const deepNodes: Graph["nodes"] = [
  { op: "MatMul", inputs: ["shallow", "widen"], outputs: ["wide"] },
  { op: "Tanh", inputs: ["wide"], outputs: ["bounded"] },
  { op: "MatMul", inputs: ["bounded", "narrow"], outputs: ["deepened"] },
  { op: "Add", inputs: ["shallow", "deepened"], outputs: ["token"] },
];

function deepConstants(seed: number, { hidden }: Sizes): Required<Graph>["constants"] {
  const random = openRandom(seed + 5);
  const width = hidden * DEPTH * 2;
  return [
    { name: "widen", shape: [hidden, width], values: weights(random, hidden * width, 0.05) },
    { name: "narrow", shape: [width, hidden], values: weights(random, hidden * width, 0.02) },
  ];
}

/** From the last token and two states to what the network says [B, H, 1] and its next states. */
function predictionNodes(
  [states, next]: [states: [string, string], next: [string, string]],
  { deep }: Sizes,
): Graph["nodes"] {
  return [
    { op: "Gather", inputs: ["embedding", "targets"], outputs: ["embedded"] }, // [B, 1, H]
    {
      op: "Transpose",
      inputs: ["embedded"],
      outputs: [deep ? "shallow" : "token"],
      attributes: { perm: [1, 0, 2] },
    },
    ...(deep ? deepNodes : []),
    { op: "Mul", inputs: [states[0], "slow"], outputs: ["faded"] },
    { op: "Add", inputs: ["faded", "token"], outputs: ["summed"] },
    { op: "Tanh", inputs: ["summed"], outputs: [next[0]] },
    { op: "Mul", inputs: [states[1], "slower"], outputs: ["faded2"] },
    { op: "Sub", inputs: ["faded2", next[0]], outputs: ["summed2"] },
    { op: "Tanh", inputs: ["summed2"], outputs: [next[1]] },
    { op: "Add", inputs: [next[0], next[1]], outputs: ["both"] },
    { op: "ReduceMean", inputs: ["both"], outputs: ["mean"], attributes: { axes: [0], keepdims: 0 } }, // [B, H]
    { op: "Unsqueeze", inputs: ["mean", "last"], outputs: ["said"] },
    { op: "Identity", inputs: ["target_length"], outputs: ["prednet_lengths"] },
  ];
}

const predictionConstants = (seed: number, sizes: Sizes): Required<Graph>["constants"] => [
  ...(sizes.deep ? deepConstants(seed, sizes) : []),
  {
    name: "embedding",
    shape: [sizes.tokens, sizes.hidden],
    values: weights(openRandom(seed + 2), sizes.tokens * sizes.hidden, 1.5),
  },
  { name: "slow", shape: [1], values: Float32Array.of(0.6) },
  { name: "slower", shape: [1], values: Float32Array.of(0.8) },
  { name: "last", shape: [1], values: BigInt64Array.of(-1n) },
];

function jointNodes(decoderOutput: string, scores: string): Graph["nodes"] {
  return [
    { op: "Transpose", inputs: ["encoder_outputs"], outputs: ["heard"], attributes: { perm: [0, 2, 1] } },
    { op: "Transpose", inputs: [decoderOutput], outputs: ["spoken"], attributes: { perm: [0, 2, 1] } },
    { op: "MatMul", inputs: ["heard", "by_sound"], outputs: ["sound"] },
    { op: "MatMul", inputs: ["spoken", "by_text"], outputs: ["text"] },
    { op: "Add", inputs: ["sound", "text"], outputs: ["unbiased"] },
    { op: "Add", inputs: ["unbiased", "leaning"], outputs: ["flat"] },
    { op: "Unsqueeze", inputs: ["flat", "second"], outputs: [scores] }, // [B, 1, 1, V]
  ];
}

function jointConstants(
  seed: number,
  durations: number,
  { size, hidden, tokens }: Sizes,
): Graph["constants"] {
  const random = openRandom(seed + 3);
  const width = tokens + durations;
  const calm = Math.sqrt(SMALL.size / size); // sums of more are no larger
  const leaning = new Float32Array(width);
  leaning[0] = -20; // nothing is unknown here
  leaning[tokens - 1] = 1.2; // the blank is what is mostly said
  if (durations > 0) leaning[tokens] = -4; // and a frame is seldom stayed on
  return [
    { name: "by_sound", shape: [size, width], values: weights(random, size * width, 1.1 * calm) },
    { name: "by_text", shape: [hidden, width], values: weights(random, hidden * width, 0.6 * calm) },
    { name: "leaning", shape: [width], values: leaning },
    { name: "second", shape: [1], values: BigInt64Array.of(1n) },
  ];
}

const TARGETS: Graph["inputs"] = [
  { name: "targets", type: "int32", shape: ["B", "U"] },
  { name: "target_length", type: "int32", shape: ["B"] },
];

/** Prediction network and joint as one graph. */
export function nemoJoint({ seed = 1, durations = 0, sizes = SMALL }: Model = {}): Uint8Array {
  return writeOnnx({
    inputs: [
      { name: "encoder_outputs", type: "float32", shape: ["B", sizes.size, 1] },
      ...TARGETS,
      { name: "input_states_1", type: "float32", shape: stateOf(sizes) },
      { name: "input_states_2", type: "float32", shape: stateOf(sizes) },
    ],
    outputs: [
      { name: "outputs", type: "float32", shape: ["B", 1, 1, sizes.tokens + durations] },
      { name: "prednet_lengths", type: "int32", shape: ["B"] },
      { name: "output_states_1", type: "float32", shape: stateOf(sizes) },
      { name: "output_states_2", type: "float32", shape: stateOf(sizes) },
    ],
    nodes: [
      ...predictionNodes(
        [
          ["input_states_1", "input_states_2"],
          ["output_states_1", "output_states_2"],
        ],
        sizes,
      ),
      ...jointNodes("said", "outputs"),
    ],
    constants: [...predictionConstants(seed, sizes), ...jointConstants(seed, durations, sizes)!],
  });
}

export function nemoDecoder({ seed = 1, sizes = SMALL }: Model = {}): Uint8Array {
  return writeOnnx({
    inputs: [
      ...TARGETS,
      { name: "states.1", type: "float32", shape: stateOf(sizes) },
      { name: "onnx::LSTM_3", type: "float32", shape: stateOf(sizes) },
    ],
    outputs: [
      { name: "outputs", type: "float32", shape: ["B", sizes.hidden, "U"] },
      { name: "prednet_lengths", type: "int32", shape: ["B"] },
      { name: "states", type: "float32", shape: stateOf(sizes) },
      { name: "162", type: "float32", shape: stateOf(sizes) },
    ],
    nodes: [
      ...predictionNodes(
        [
          ["states.1", "onnx::LSTM_3"],
          ["states", "162"],
        ],
        sizes,
      ),
      { op: "Identity", inputs: ["said"], outputs: ["outputs"] },
    ],
    constants: predictionConstants(seed, sizes),
  });
}

export function nemoJoiner({ seed = 1, durations = 0, sizes = SMALL }: Model = {}): Uint8Array {
  return writeOnnx({
    inputs: [
      { name: "encoder_outputs", type: "float32", shape: ["B", sizes.size, 1] },
      { name: "decoder_outputs", type: "float32", shape: ["B", sizes.hidden, 1] },
    ],
    outputs: [{ name: "outputs", type: "float32", shape: ["B", 1, 1, sizes.tokens + durations] }],
    nodes: jointNodes("decoder_outputs", "outputs"),
    constants: jointConstants(seed, durations, sizes)!,
  });
}
