/**
 * Segmentation of speakers (pyannote's PyanNet) and their embeddings (WeSpeaker's ResNet34, 3D-Speaker's CAM++), in the
 * layers and widths of the published ones.
 *
 *   segmentation   x [N, 1, T] ──sinc filters, two convolutions──> [N, 60, frames] ──four LSTMs in both directions──> 7 classes
 *   ResNet34       [N, T, 80] ──3, 4, 6 and 3 blocks of 32 to 256 channels──> mean and deviation over time ──> 256
 *   CAM++          [N, T, 80] ──four blocks of 32 channels──> 12, 24 and 16 dense layers, gated ──> mean and deviation ──> 192
 */
import type { Graph } from "../../../testing/onnx.ts";
import { segmentationGraph } from "../../../testing/packages/families/speakers.ts";
import { metadataOf, published } from "../../../testing/packages/published.ts";
import { type Convolution, GraphBuilder } from "./graph-builder.ts";
import { lstm } from "./recurrence.ts";

const CLASSES = 7;
const HIDDEN = 128;
const LSTM_LAYERS = 4;

export function segmentation(): Graph {
  const b = new GraphBuilder();
  const stage = (x: string, convolution: Convolution) => {
    const pooled = b.op("MaxPool", [b.conv(x, { ...convolution, pads: [0, 0] })], {
      kernel_shape: [3],
      strides: [3],
    });
    return b.op("LeakyRelu", [normalized(b, pooled, convolution.to)]);
  };
  const sinc = b.op("Abs", [b.conv("x", { from: 1, to: 80, kernel: 251, stride: 10, pads: [0, 0] })]);
  const first = b.op("LeakyRelu", [
    normalized(b, b.op("MaxPool", [sinc], { kernel_shape: [3], strides: [3] }), 80),
  ]);
  const second = stage(first, { from: 80, to: 60, kernel: 5 });
  const third = stage(second, { from: 60, to: 60, kernel: 5 });
  let x = b.op("Transpose", [third], { perm: [2, 0, 1] }); // [T, N, 60]
  for (let layer = 0; layer < LSTM_LAYERS; layer++)
    x = lstm(b, x, { from: layer === 0 ? 60 : 2 * HIDDEN, hidden: HIDDEN, bidirectional: true }).output;
  x = b.op("Transpose", [x], { perm: [1, 0, 2] });
  for (const from of [2 * HIDDEN, HIDDEN]) x = b.op("LeakyRelu", [b.linear(x, { from, to: HIDDEN })]);
  b.output(b.op("LogSoftmax", [b.linear(x, { from: HIDDEN, to: CLASSES })], { axis: -1 }), "by_chance");
  const signature = published("pyannote", "pyannote-segmentation-3.0").graph("model")!;
  return followingTones(b.graph(signature, metadataOf(signature)));
}

/** The same work, but speakers are active where their tones are, so that as much is embedded as is spoken. */
function followingTones(graph: Graph): Graph {
  const tones = segmentationGraph();
  const nodes = tones.nodes.map((node) =>
    node.outputs[0] === "y" ? { ...node, outputs: ["by_tone"] } : node,
  );
  return {
    ...graph,
    nodes: [
      ...graph.nodes,
      ...nodes,
      { op: "Mul", inputs: ["by_chance", "nothing"], outputs: ["counted"] },
      { op: "Add", inputs: ["by_tone", "counted"], outputs: ["y"] },
    ],
    constants: [
      ...(graph.constants ?? []),
      ...(tones.constants ?? []),
      { name: "nothing", shape: [1], values: Float32Array.of(1e-6) },
    ],
  };
}

/** Of each channel over time. */
const normalized = (b: GraphBuilder, x: string, channels: number): string => {
  const one = b.table([channels], new Float32Array(channels).fill(1));
  return b.op("InstanceNormalization", [x, one, b.table([channels], new Float32Array(channels))]);
};

/** As an image of one channel: [N, 1, 80, T]. */
const imageOf = (b: GraphBuilder, input: string): string =>
  b.op("Unsqueeze", [b.op("Transpose", [input], { perm: [0, 2, 1] }), b.ints(1)]);

type Block = { from: number; to: number; stride: number | [number, number] };

function residual(b: GraphBuilder, x: string, { from, to, stride }: Block): string {
  const strides = Array.isArray(stride) ? stride : [stride, stride];
  const inner = b.op("Relu", [b.conv(x, { from, to, kernel: [3, 3], stride: strides, pads: [1, 1, 1, 1] })]);
  const outer = b.conv(inner, { from: to, to, kernel: [3, 3], pads: [1, 1, 1, 1] });
  const isSame = from === to && strides.every((each) => each === 1);
  const short = isSame ? x : b.conv(x, { from, to, kernel: [1, 1], stride: strides, pads: [0, 0, 0, 0] });
  return b.op("Relu", [b.op("Add", [outer, short])]);
}

/** The mean and the deviation of each channel over time: [N, C, T] to [N, 2 C]. */
function statistics(b: GraphBuilder, x: string): string {
  const mean = b.op("ReduceMean", [x], { axes: [2], keepdims: 1 });
  const apart = b.op("Sub", [x, mean]);
  const variance = b.op("ReduceMean", [b.op("Mul", [apart, apart])], { axes: [2], keepdims: 0 });
  const deviation = b.op("Sqrt", [b.op("Add", [variance, b.float(1e-7)])]);
  return b.op("Concat", [b.op("Squeeze", [mean, b.ints(2)]), deviation], { axis: 1 });
}

function embedding(b: GraphBuilder, name: string, made: string): Graph {
  const signature = published("speaker-embedding", name).graph("model")!;
  b.output(made, signature.outputs[0]!.name);
  const isScaled = name.startsWith("wespeaker");
  return b.graph(signature, {
    ...metadataOf(signature, {
      framework: isScaled ? "wespeaker" : "3d-speaker",
      normalize_samples: isScaled ? "0" : "1",
    }),
  });
}

const STAGES: [blocks: number, channels: number][] = [
  [3, 32],
  [4, 64],
  [6, 128],
  [3, 256],
];

export function resnet34(name: string): Graph {
  const b = new GraphBuilder();
  const input = published("speaker-embedding", name).graph("model")!.inputs[0]!.name;
  const open = b.conv(imageOf(b, input), { from: 1, to: 32, kernel: [3, 3], pads: [1, 1, 1, 1] });
  let x = b.op("Relu", [open]);
  let from = 32;
  for (const [blocks, to] of STAGES)
    for (let block = 0; block < blocks; block++) {
      x = residual(b, x, { from, to, stride: block === 0 && to > 32 ? 2 : 1 });
      from = to;
    }
  const flat = b.op("Reshape", [x, b.ints(0, 2560, -1)]); // 256 channels of 10 mels
  return embedding(b, name, b.linear(statistics(b, flat), { from: 5120, to: 256 }));
}

const DENSE: [layers: number, dilation: number][] = [
  [12, 1],
  [24, 2],
  [16, 2],
];
const GROWTH = 32;
const NARROW = 128;

export function camPlus(name: string): Graph {
  const b = new GraphBuilder();
  const input = published("speaker-embedding", name).graph("model")!.inputs[0]!.name;
  const relu = (x: string) => b.op("Relu", [x]);
  let x = relu(b.conv(imageOf(b, input), { from: 1, to: 32, kernel: [3, 3], pads: [1, 1, 1, 1] }));
  for (const stride of [2, 1, 2, 1]) x = residual(b, x, { from: 32, to: 32, stride: [stride, 1] });
  x = relu(b.conv(x, { from: 32, to: 32, kernel: [3, 3], stride: [2, 1], pads: [1, 1, 1, 1] }));
  x = b.op("Reshape", [x, b.ints(0, 320, -1)]); // 32 channels of 10 mels
  x = relu(b.conv(x, { from: 320, to: 128, kernel: 5, stride: 2 }));
  let width = 128;
  for (const [layers, dilation] of DENSE) {
    for (let layer = 0; layer < layers; layer++, width += GROWTH)
      x = b.op("Concat", [x, gated(b, relu(x), { width, dilation })], { axis: 1 });
    x = b.conv(relu(x), { from: width, to: width / 2, kernel: 1 });
    width /= 2;
  }
  return embedding(b, name, b.linear(statistics(b, relu(x)), { from: 2 * width, to: 192 }));
}

/** New channels, each weighed by what the whole recording is like. */
function gated(b: GraphBuilder, x: string, { width, dilation }: { width: number; dilation: number }): string {
  const narrow = b.op("Relu", [b.conv(x, { from: width, to: NARROW, kernel: 1 })]);
  const local = b.conv(narrow, { from: NARROW, to: GROWTH, kernel: 3, dilation });
  const context = b.op("ReduceMean", [narrow], { axes: [2], keepdims: 1 });
  const hidden = b.op("Relu", [b.conv(context, { from: NARROW, to: NARROW / 2, kernel: 1 })]);
  const weight = b.op("Sigmoid", [b.conv(hidden, { from: NARROW / 2, to: GROWTH, kernel: 1 })]);
  return b.op("Mul", [local, weight]);
}
