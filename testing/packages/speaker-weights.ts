/**
 * Published weights of pyannote segmentation 3.0 and of 3D-Speaker's CAM++ in the files of their packages: the tensors that
 * `read-speakers.py` lays out, put into the operators of these networks.
 *
 * Sources: pyannote.audio's PyanNet and asteroid-filterbanks' ParamSincFB; 3D-Speaker's CAMPPlus.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { GraphBuilder } from "../../bench/real-size/graphs/graph-builder.ts";
import { writeOnnx } from "../onnx.ts";
import { metadataOf, published } from "./published.ts";

const READER = fileURLToPath(new URL("read-speakers.py", import.meta.url));
const READ_MS = 5 * 60_000;
const EPSILON = { epsilon: { float: 1e-5 } };

type Tensor = { shape: number[]; values: Float32Array };

/** The two files, `segmentation.onnx` and `embedding.onnx`, in `folder`; false where the weights cannot be had. */
export function writeSpeakers(folder: string): boolean {
  const work = mkdtempSync(join(tmpdir(), "loquat-speakers-"));
  try {
    const { success } = Bun.spawnSync(["python3", READER, work], { timeout: READ_MS, stderr: "ignore" });
    if (!success) return false;
    const graphs = {
      segmentation: pyanNet(new Network(join(work, "segmentation.tensors"))),
      embedding: camPlusPlus(new Network(join(work, "embedding.tensors"))),
    };
    for (const [name, graph] of Object.entries(graphs))
      writeFileSync(join(folder, `${name}.onnx`), writeOnnx(graph));
    return true;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** Operators whose weights are tensors of a file, by their names there. */
class Network extends GraphBuilder {
  readonly #tensors = new Map<string, Tensor>();

  constructor(path: string) {
    super();
    const file = readFileSync(path);
    const end = file.indexOf("\n");
    const floats = new Float32Array(file.buffer.slice(file.byteOffset + end + 1) as ArrayBuffer);
    const index = JSON.parse(file.toString("utf8", 0, end)) as Record<
      string,
      { shape: number[]; at: number }
    >;
    for (const [name, { shape, at }] of Object.entries(index)) {
      const size = shape.reduce((all, length) => all * length, 1);
      this.#tensors.set(name, { shape, values: floats.slice(at, at + size) });
    }
  }

  tensor(name: string): Tensor {
    const tensor = this.#tensors.get(name);
    if (!tensor) throw new Error(`the weights have no ${name}`);
    return tensor;
  }

  #given(name: string): string {
    const { shape, values } = this.tensor(name);
    return this.table(shape, values);
  }

  /** Convolution, without a bias where the file has none. */
  convolved(x: string, name: string, { stride = [1], pads = [0], dilation = 1 } = {}): string {
    const kernel = this.tensor(`${name}.weight`).shape.slice(2);
    const attributes = {
      kernel_shape: kernel,
      strides: stride,
      dilations: kernel.map(() => dilation),
      pads: [...pads, ...pads],
    };
    const bias = this.#tensors.has(`${name}.bias`) ? [this.#given(`${name}.bias`)] : [];
    return this.op("Conv", [x, this.#given(`${name}.weight`), ...bias], attributes);
  }

  /** Of batches, with the means and variances of the training. */
  normalized(x: string, name: string): string {
    const [mean, variance] = [`${name}.running_mean`, `${name}.running_var`].map((each) => this.tensor(each));
    const width = mean!.shape;
    const has = this.#tensors.has(`${name}.weight`);
    const scale = has
      ? this.#given(`${name}.weight`)
      : this.table(width, new Float32Array(width[0]!).fill(1));
    const shift = has ? this.#given(`${name}.bias`) : this.table(width, new Float32Array(width[0]!));
    const moments = [this.table(width, mean!.values), this.table(width, variance!.values)];
    return this.op("BatchNormalization", [x, scale, shift, ...moments], EPSILON);
  }

  /** Of each channel of each recording, over time. */
  levelled(x: string, name: string): string {
    const weights = [this.#given(`${name}.weight`), this.#given(`${name}.bias`)];
    return this.op("InstanceNormalization", [x, ...weights], EPSILON);
  }

  /** [..., from] to [..., to]. */
  product(x: string, name: string): string {
    const { shape, values } = this.tensor(`${name}.weight`);
    const turned = this.op("Transpose", [this.table(shape, values)], { perm: [1, 0] });
    return this.op("Add", [this.op("MatMul", [x, turned]), this.#given(`${name}.bias`)]);
  }

  /** One layer of LSTM in both directions: [T, N, from] to [T, N, 256]. PyTorch orders gates i, f, g, o, and ONNX i, o, f, g. */
  bothWays(x: string, layer: number): string {
    const parts = (kind: string) =>
      [`${kind}_l${layer}`, `${kind}_l${layer}_reverse`].map((name) => reordered(this.tensor(name)));
    const together = (tensors: Tensor[], shape: number[]) =>
      this.table(shape, Float32Array.from(tensors.flatMap(({ values }) => [...values])));
    const [into, from] = ["lstm.weight_ih", "lstm.weight_hh"].map((kind) => {
      const both = parts(kind);
      return together(both, [2, ...both[0]!.shape]);
    });
    const biases = [0, 1].flatMap((way) => ["lstm.bias_ih", "lstm.bias_hh"].map((kind) => parts(kind)[way]!));
    const bias = together(biases, [2, 8 * HIDDEN]);
    const attributes = { hidden_size: HIDDEN, direction: "bidirectional" };
    const y = this.op("LSTM", [x, into!, from!, bias], attributes); // [T, 2, N, 128]
    const turned = this.op("Transpose", [y], { perm: [0, 2, 1, 3] });
    return this.op("Reshape", [turned, this.ints(0, 0, 2 * HIDDEN)]);
  }
}

const HIDDEN = 128;

function reordered({ shape, values }: Tensor): Tensor {
  const gate = values.length / 4;
  const ordered = [0, 3, 1, 2].flatMap((index) => [...values.subarray(index * gate, (index + 1) * gate)]);
  return { shape, values: Float32Array.from(ordered) };
}

/** x [N, 1, T] to y [N, frames, 7]: logarithms of the probabilities of classes. */
function pyanNet(net: Network) {
  const leaky = (x: string) => net.op("LeakyRelu", [x], { alpha: { float: 0.01 } });
  const stage = (x: string, index: number) => {
    const pooled = net.op("MaxPool", [x], { kernel_shape: [3], strides: [3] });
    return leaky(net.levelled(pooled, `sincnet.norm1d.${index}`));
  };
  const wave = net.levelled("x", "sincnet.wav_norm1d");
  const filters = net.table([80, 1, 251], sincFilters(net));
  let x = stage(net.op("Abs", [net.op("Conv", [wave, filters], { kernel_shape: [251], strides: [10] })]), 0);
  for (const index of [1, 2]) x = stage(net.convolved(x, `sincnet.conv1d.${index}`), index);
  x = net.op("Transpose", [x], { perm: [2, 0, 1] });
  for (const layer of [0, 1, 2, 3]) x = net.bothWays(x, layer);
  x = net.op("Transpose", [x], { perm: [1, 0, 2] });
  for (const index of [0, 1]) x = leaky(net.product(x, `linear.${index}`));
  net.output(net.op("LogSoftmax", [net.product(x, "classifier")], { axis: -1 }), "y");
  const signature = published("pyannote", "pyannote-segmentation-3.0").graph("model")!;
  return net.graph(signature, metadataOf(signature));
}

/** 40 even band-pass filters and 40 odd ones of 251 samples, from where each band begins and how wide it is. */
function sincFilters(net: Network): Float32Array {
  const [low, band, window, times] = ["low_hz_", "band_hz_", "window_", "n_"].map(
    (name) => net.tensor(`sincnet.conv1d.0.filterbank.${name}`).values,
  ) as [Float32Array, Float32Array, Float32Array, Float32Array];
  const half = window.length;
  const length = 2 * half + 1;
  const filters = new Float32Array(2 * low.length * length);
  for (let index = 0; index < low.length; index++) {
    const from = 50 + Math.abs(low[index]!);
    const to = Math.min(8000, Math.max(50, from + 50 + Math.abs(band[index]!)));
    const even = filters.subarray(index * length, (index + 1) * length);
    const odd = filters.subarray((low.length + index) * length, (low.length + index + 1) * length);
    even[half] = 1;
    for (let at = 0; at < half; at++) {
      const time = times[at]!;
      const scale = window[at]! / (time / 2) / (2 * (to - from));
      even[at] = even[length - 1 - at] = scale * (Math.sin(to * time) - Math.sin(from * time));
      odd[at] = scale * (Math.cos(from * time) - Math.cos(to * time));
      odd[length - 1 - at] = -odd[at]!;
    }
  }
  return filters;
}

const BLOCKS: [layers: number, dilation: number][] = [
  [12, 1],
  [24, 2],
  [16, 2],
];

/** Features [N, T, 80] to an embedding [N, 192]. */
function camPlusPlus(net: Network) {
  const name = "3dspeaker-campplus-zh-en";
  const signature = published("speaker-embedding", name).graph("model")!;
  const relu = (x: string) => net.op("Relu", [x]);
  const image = net.op("Transpose", [signature.inputs[0]!.name], { perm: [0, 2, 1] });
  const around = { pads: [1, 1] };
  let x = net.op("Unsqueeze", [image, net.ints(1)]); // [N, 1, 80, T]
  x = relu(net.normalized(net.convolved(x, "head.conv1", { ...around, stride: [1, 1] }), "head.bn1"));
  for (const layer of ["layer1", "layer2"])
    for (const index of [0, 1]) x = residual(net, x, { name: `head.${layer}.${index}`, stride: 2 - index });
  x = relu(net.normalized(net.convolved(x, "head.conv2", { ...around, stride: [2, 1] }), "head.bn2"));
  x = net.op("Reshape", [x, net.ints(0, 320, -1)]); // 32 channels of 10 mels
  x = net.convolved(x, "xvector.tdnn.linear", { stride: [2], pads: [2] });
  x = relu(net.normalized(x, "xvector.tdnn.nonlinear.batchnorm"));
  for (const [block, [layers, dilation]] of BLOCKS.entries()) {
    for (let layer = 1; layer <= layers; layer++)
      x = net.op(
        "Concat",
        [x, dense(net, x, { name: `xvector.block${block + 1}.tdnnd${layer}`, dilation })],
        { axis: 1 },
      );
    const transit = `xvector.transit${block + 1}`;
    x = net.convolved(relu(net.normalized(x, `${transit}.nonlinear.batchnorm`)), `${transit}.linear`, {
      stride: [1],
    });
  }
  x = statistics(net, relu(net.normalized(x, "xvector.out_nonlinear.batchnorm")));
  x = net.normalized(net.convolved(x, "xvector.dense.linear"), "xvector.dense.nonlinear.batchnorm");
  net.output(net.op("Squeeze", [x, net.ints(2)]), signature.outputs[0]!.name);
  return net.graph(signature, metadataOf(signature, { framework: "3d-speaker", normalize_samples: "1" }));
}

type Block = { name: string; stride: number };

function residual(net: Network, x: string, { name, stride }: Block): string {
  const through = (from: string, index: number, strides: number[]) =>
    net.normalized(
      net.convolved(from, `${name}.conv${index}`, { pads: [1, 1], stride: strides }),
      `${name}.bn${index}`,
    );
  const outer = through(net.op("Relu", [through(x, 1, [stride, 1])]), 2, [1, 1]);
  const short = () => {
    const shortened = net.convolved(x, `${name}.shortcut.0`, { stride: [stride, 1], pads: [0, 0] });
    return net.normalized(shortened, `${name}.shortcut.1`);
  };
  return net.op("Relu", [net.op("Add", [outer, stride === 1 ? x : short()])]);
}

/** New channels, weighed by the means of the whole recording and of each 100 frames. */
function dense(net: Network, x: string, { name, dilation }: { name: string; dilation: number }): string {
  const entered = net.op("Relu", [net.normalized(x, `${name}.nonlinear1.batchnorm`)]);
  const inner = net.normalized(net.convolved(entered, `${name}.linear1`), `${name}.nonlinear2.batchnorm`);
  const narrow = net.op("Relu", [inner]);
  const local = net.convolved(narrow, `${name}.cam_layer.linear_local`, { pads: [dilation], dilation });
  const whole = net.op("ReduceMean", [narrow], { axes: [2], keepdims: 1 });
  const context = net.op("Add", [whole, hundredMeans(net, narrow)]);
  const hidden = net.op("Relu", [net.convolved(context, `${name}.cam_layer.linear1`)]);
  return net.op("Mul", [local, net.op("Sigmoid", [net.convolved(hidden, `${name}.cam_layer.linear2`)])]);
}

const HUNDRED = 100;

/** [N, C, T]: each frame has the mean of its hundred. */
function hundredMeans(net: Network, x: string): string {
  const pool = { kernel_shape: [HUNDRED], strides: [HUNDRED], ceil_mode: 1 };
  const means = net.op("Unsqueeze", [net.op("AveragePool", [x], pool), net.ints(3)]);
  const repeated = net.op("Expand", [means, net.ints(1, 1, 1, HUNDRED)]);
  const flat = net.op("Reshape", [repeated, net.ints(0, 0, -1)]);
  const frames = net.op("Gather", [net.op("Shape", [x]), net.ints(2)]);
  return net.op("Slice", [flat, net.ints(0), frames, net.ints(2)]);
}

/** The mean and the deviation of each channel over time: [N, C, T] to [N, 2 C, 1]. */
function statistics(net: Network, x: string): string {
  const over = { axes: [2], keepdims: 1 };
  const mean = net.op("ReduceMean", [x], over);
  const apart = net.op("Sub", [x, mean]);
  const frames = net.op("Cast", [net.op("Gather", [net.op("Shape", [x]), net.ints(2)])], { to: 1 });
  const biased = net.op("ReduceMean", [net.op("Mul", [apart, apart])], over);
  const factor = net.op("Div", [
    frames,
    net.op("Max", [net.op("Sub", [frames, net.float(1)]), net.float(1)]),
  ]);
  return net.op("Concat", [mean, net.op("Sqrt", [net.op("Mul", [biased, factor])])], { axis: 1 });
}
