/** Convolutions of integers become ones of floats that give the same, and other files stay as they are. */
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { InferenceSession, Tensor } from "onnxruntime-node";
import { MODEL_GRAPH, NODE, nodeOf } from "../../../src/onnx/graph-nodes.ts";
import { fieldsOf } from "../../../src/onnx/protobuf.ts";
import { type Graph, writeOnnx } from "../../../testing/onnx.ts";
import { realWeights, unlessReal } from "../../../testing/packages/real-weights.ts";
import { withFloatConvolutions } from "../../../workers/onnx/float-convolutions.ts";

type Attributes = NonNullable<Graph["nodes"][number]["attributes"]>;
type Case = { attributes: Attributes; zero: number; bytes: "uint8" | "int8"; kernel: number[] };

const [CHANNELS, FROM] = [3, 4];

/** Byte for byte the same in every run. */
const bytesOf = (count: number, factor: number) =>
  Uint8Array.from({ length: count }, (_, index) => (index * factor + (index >> 3)) % 251);

function convolution({ attributes, zero, bytes, kernel }: Case): Graph {
  const raw = bytesOf(CHANNELS * FROM * kernel.reduce((all, size) => all * size, 1), 37);
  const sizes = kernel.map((_, index) => `size${index}`);
  return {
    inputs: [{ name: "x", type: "float32", shape: [1, FROM, ...sizes] }],
    outputs: [{ name: "y", type: "int32", shape: [1, CHANNELS, ...sizes] }],
    nodes: [
      { op: "DynamicQuantizeLinear", inputs: ["x"], outputs: ["q", "scale", "x_zero"] },
      { op: "ConvInteger", inputs: ["q", "w", "x_zero", "w_zero"], outputs: ["y"], attributes },
    ],
    constants: [
      {
        name: "w",
        shape: [CHANNELS, FROM, ...kernel],
        values: bytes === "int8" ? new Int8Array(raw.buffer) : raw,
      },
      { name: "w_zero", shape: [], values: bytes === "int8" ? Int8Array.of(zero) : Uint8Array.of(zero) },
    ],
  };
}

function operatorsOf(model: Uint8Array): string[] {
  const graphs = [...fieldsOf(model)].filter(({ number }) => number === MODEL_GRAPH);
  const parts = graphs.flatMap(({ value }) => [...fieldsOf(value)]);
  return parts.filter(({ number }) => number === NODE).map((part) => nodeOf(part).op);
}

async function sumsOf(model: Uint8Array, shape: number[]): Promise<unknown[]> {
  const session = await InferenceSession.create(model, { logSeverityLevel: 3 });
  const values = Float32Array.from({ length: shape.reduce((all, size) => all * size, 1) }, (_, at) =>
    Math.sin(at),
  );
  const { y } = await session.run({ x: new Tensor("float32", values, shape) });
  return [y!.dims, [...(y!.data as Int32Array)]];
}

const CASES: [string, Case, number[]][] = [
  ["one dimension", { attributes: {}, zero: 131, bytes: "uint8", kernel: [3] }, [1, FROM, 20]],
  [
    "padding, strides and dilation",
    {
      attributes: { kernel_shape: [3], pads: [4, 2], strides: [2], dilations: [3], group: 1 },
      ...{ zero: 131, bytes: "uint8", kernel: [3] },
    },
    [1, FROM, 20],
  ],
  ["signed weights", { attributes: { pads: [1, 1] }, zero: 0, bytes: "int8", kernel: [5] }, [1, FROM, 20]],
  [
    "two dimensions",
    { attributes: { pads: [1, 0, 1, 2], strides: [1, 2] }, zero: 7, bytes: "uint8", kernel: [3, 2] },
    [1, FROM, 6, 9],
  ],
];
for (const [name, each, shape] of CASES)
  test(`a convolution gives the same sums in floats: ${name}`, async () => {
    const model = writeOnnx(convolution(each));
    const floats = withFloatConvolutions(model)!;
    expect(operatorsOf(floats)).not.toContain("ConvInteger");
    expect(operatorsOf(floats)).toContain("Conv");
    expect(await sumsOf(floats, shape)).toEqual(await sumsOf(model, shape));
  });

const PLAIN: Case = { attributes: {}, zero: 131, bytes: "uint8", kernel: [3] };

test("weights that another node reads stay beside those of floats", async () => {
  const graph = convolution(PLAIN);
  const more: Graph = {
    ...graph,
    nodes: [...graph.nodes, { op: "Cast", inputs: ["w"], outputs: ["all"], attributes: { to: 1 } }],
    outputs: [...graph.outputs, { name: "all", type: "float32", shape: [CHANNELS, FROM, 3] }],
  };
  const model = writeOnnx(more);
  expect(await sumsOf(withFloatConvolutions(model)!, [1, FROM, 20])).toEqual(
    await sumsOf(model, [1, FROM, 20]),
  );
});

test("what has no such convolution, zeros for each channel, or weights from outside stays as it is", () => {
  const graph = convolution(PLAIN);
  const [weights, zero] = graph.constants!;
  expect(withFloatConvolutions(writeOnnx({ ...graph, nodes: graph.nodes.slice(0, 1) }))).toBeNull();
  const zeros = { name: "w_zero", shape: [CHANNELS], values: Uint8Array.of(1, 2, 3) };
  expect(withFloatConvolutions(writeOnnx({ ...graph, constants: [weights!, zeros] }))).toBeNull();
  const inputs = [...graph.inputs, { name: "w", type: "uint8" as const, shape: [CHANNELS, FROM, 3] }];
  expect(withFloatConvolutions(writeOnnx({ ...graph, inputs, constants: [zero!] }))).toBeNull();
  expect(withFloatConvolutions(writeOnnx({ ...graph, inputs }))).toBeNull(); // a default that a caller may replace
});

test("a file that ends early or is no model stays as it is, wherever it ends", () => {
  const model = writeOnnx(convolution(PLAIN));
  expect(withFloatConvolutions(Buffer.from("not a model at all"))).toBeNull();
  for (let length = 0; length < model.length; length += 7)
    expect(() => withFloatConvolutions(model.subarray(0, length))).not.toThrow();
});

test(`Kokoro's published weights give the same samples${unlessReal("kokoro")}`, async () => {
  const folder = realWeights("kokoro");
  if (folder === null) return;
  const model = readFileSync(join(folder, "kokoro-v1.0.int8.onnx"));
  const floats = withFloatConvolutions(model)!;
  expect(operatorsOf(floats)).not.toContain("ConvInteger");
  const ids = BigInt64Array.of(0n, 50n, 83n, 54n, 156n, 31n, 16n, 65n, 4n, 0n);
  const speak = async (bytes: Uint8Array) => {
    const session = await InferenceSession.create(bytes, { logSeverityLevel: 3, intraOpNumThreads: 1 });
    const { audio } = await session.run({
      tokens: new Tensor("int64", ids, [1, ids.length]),
      style: new Tensor("float32", new Float32Array(256).fill(0.1), [1, 256]),
      speed: new Tensor("float32", Float32Array.of(1), [1]),
    });
    return audio!.data as Float32Array;
  };
  const [samples, expected] = [await speak(floats), await speak(model)];
  expect(samples.length).toBe(expected.length);
  expect(samples.every((sample, index) => Math.abs(sample - expected[index]!) < 1e-6)).toBe(true);
}, 120_000);
