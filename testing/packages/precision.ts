/**
 * Graphs in the precisions that packages offer, with their ports unchanged, as the published converters leave them.
 *
 *   int8, uint8   products and convolutions in integers, their inputs quantized as they come
 *   fp16          weights in half precision, widened where they are used
 *   beside        weights in their own file
 */
import type { Graph } from "../onnx.ts";

type Node = Graph["nodes"][number];
type Constant = NonNullable<Graph["constants"]>[number];
type Floats = Extract<Constant, { values: unknown }> & { values: Float32Array };

export type Precision = "fp32" | "fp16" | "int8" | "uint8";

/** By the names that the published converters give their files. */
export function precisionOf(path: string): Precision {
  if (/[._-]int8\b/.test(path)) return "int8";
  if (/_quantized\b/.test(path)) return "uint8";
  return /_(fp16|q4|q4f16)\b/.test(path) ? "fp16" : "fp32";
}

export function asPrecision(graph: Graph, precision: Precision): Graph {
  if (precision === "fp32") return graph;
  return precision === "fp16" ? halved(graph) : quantized(graph, precision);
}

const isWeights = (constant: Constant): constant is Floats =>
  "values" in constant && constant.values instanceof Float32Array && constant.shape.length > 1;

const halfOf = (values: Float32Array) => new Uint16Array(new Float16Array(values).buffer);

function halved(graph: Graph): Graph {
  const weights = (graph.constants ?? []).filter(isWeights);
  const widened = weights.map(
    ({ name }): Node => ({ op: "Cast", inputs: [`${name}_half`], outputs: [name], attributes: { to: 1 } }),
  );
  const constants = (graph.constants ?? []).map((constant) =>
    isWeights(constant)
      ? { name: `${constant.name}_half`, shape: constant.shape, values: halfOf(constant.values) }
      : constant,
  );
  return { ...graph, nodes: [...widened, ...graph.nodes], constants };
}

type Integers = Exclude<Precision, "fp32" | "fp16">;

function quantized(graph: Graph, precision: Integers): Graph {
  const weights = new Map((graph.constants ?? []).filter(isWeights).map((each) => [each.name, each]));
  const used = new Set<string>();
  const nodes = graph.nodes.flatMap((node) => {
    const weight = weights.get(node.inputs[1] ?? "");
    if (!weight || (node.op !== "MatMul" && node.op !== "Conv")) return [node];
    used.add(weight.name);
    return inIntegers(node, weight.name);
  });
  const left = nodes.flatMap(({ inputs }) => inputs);
  const constants = (graph.constants ?? []).flatMap((constant) => {
    if (!isWeights(constant) || !used.has(constant.name)) return [constant];
    return [...integersOf(constant, precision), ...(left.includes(constant.name) ? [constant] : [])];
  });
  return { ...graph, nodes, constants };
}

/** The input is quantized as it comes; a convolution's bias is added behind. */
function inIntegers({ op, inputs, outputs, attributes }: Node, name: string): Node[] {
  const [input, , bias] = inputs;
  const output = outputs[0]!;
  const outputOf = (what: string) => `${output}_${what}`;
  const product = [outputOf("q"), `${name}_q`, outputOf("zero"), `${name}_zero`];
  const scaled = bias ? outputOf("scaled") : output;
  return [
    {
      op: "DynamicQuantizeLinear",
      inputs: [input!],
      outputs: [outputOf("q"), outputOf("scale"), outputOf("zero")],
    },
    {
      op: op === "Conv" ? "ConvInteger" : "MatMulInteger",
      inputs: product,
      outputs: [outputOf("sums")],
      ...(op === "Conv" && attributes ? { attributes } : {}),
    },
    { op: "Cast", inputs: [outputOf("sums")], outputs: [outputOf("floats")], attributes: { to: 1 } },
    { op: "Mul", inputs: [outputOf("scale"), `${name}_scale`], outputs: [outputOf("factor")] },
    { op: "Mul", inputs: [outputOf("floats"), outputOf("factor")], outputs: [scaled] },
    ...(bias
      ? [
          { op: "Reshape", inputs: [bias, `${name}_column`], outputs: [outputOf("column")] },
          { op: "Add", inputs: [scaled, outputOf("column")], outputs: [output] },
        ]
      : []),
  ];
}

function integersOf({ name, shape, values }: Floats, precision: Integers): Constant[] {
  const reach = values.reduce((most, value) => Math.max(most, Math.abs(value)), 1e-6);
  const scale = reach / 127;
  const zero = precision === "int8" ? 0 : 128;
  const integers = values.map((value) => Math.round(value / scale) + zero);
  return [
    {
      name: `${name}_q`,
      shape,
      values: precision === "int8" ? Int8Array.from(integers) : Uint8Array.from(integers),
    },
    {
      name: `${name}_zero`,
      shape: [],
      values: precision === "int8" ? Int8Array.of(zero) : Uint8Array.of(zero),
    },
    { name: `${name}_scale`, shape: [], values: Float32Array.of(scale) },
    { name: `${name}_column`, shape: [3], values: BigInt64Array.of(1n, -1n, 1n) },
  ];
}

/** The weights of a graph in a file beside it, under the name that the graph is given. */
export function beside(graph: Graph, file: string): { graph: Graph; data: Uint8Array } {
  const parts: Uint8Array[] = [];
  let offset = 0;
  const constants = (graph.constants ?? []).map((constant) => {
    if (!isWeights(constant)) return constant;
    const { name, shape, values } = constant;
    const bytes = new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
    const place = { offset, length: bytes.length };
    parts.push(bytes);
    offset += bytes.length;
    return { name, shape, file, ...place };
  });
  return { graph: { ...graph, constants }, data: Buffer.concat(parts) };
}

/** The weights of a graph as inputs, and a graph without inputs that gives them, as some exports take them apart. */
export function apart(graph: Graph): { graph: Graph; weights: Graph } {
  const isFloats = (constant: Constant) =>
    constant.shape.length > 1 &&
    ("values" in constant
      ? constant.values instanceof Float32Array
      : "type" in constant && constant.type === "float32");
  const taken = (graph.constants ?? []).filter(isFloats);
  const ports = taken.map(({ name, shape }) => ({ name, type: "float32" as const, shape }));
  return {
    graph: {
      ...graph,
      inputs: [...graph.inputs, ...ports],
      constants: (graph.constants ?? []).filter((constant) => !isFloats(constant)),
    },
    weights: {
      inputs: [],
      outputs: ports,
      nodes: taken.map(({ name }): Node => ({ op: "Identity", inputs: [`${name}_kept`], outputs: [name] })),
      constants: taken.map((constant) => ({ ...constant, name: `${constant.name}_kept` })),
    },
  };
}
