/**
 * Builds graphs layer by layer, with random weights that are written and never held: a layer is asked for by its sizes,
 * and comes in the precision of the file.
 *
 *   int8, uint8   products and convolutions in integers, their inputs quantized as they come, as ONNX Runtime's own
 *                 converter leaves them; embeddings and LSTMs too
 *   q4            products with blocks of 32 weights of 4 bits; everything else in full
 */

import type { PublishedGraph } from "../../../src/models/signature/signature.ts";
import type { Graph, Node, Value } from "../../../testing/onnx.ts";
import { portsOf } from "../../../testing/packages/published.ts";
import { bytesAtRandom, floatsAtRandom } from "./random-weights.ts";

export type BuiltPrecision = "fp32" | "int8" | "uint8" | "q4";
type Attributes = NonNullable<Node["attributes"]>;
type Constant = NonNullable<Graph["constants"]>[number];

/** From how many values to how many. */
type Linear = { from: number; to: number; bias?: boolean };
/** `kernel`, `stride`, `dilation`: a number for each dimension, or one for all of a single dimension. */
export type Convolution = Linear & {
  kernel: number | number[];
  stride?: number | number[];
  dilation?: number;
  pads?: number[];
  group?: number;
};
type Branch = () => string[];

const NEGLIGIBLE = 0.001;
/** Operators that are the runtime's own. */
export const MICROSOFT = "com.microsoft";
const Q4_BLOCK = 32;

export class GraphBuilder {
  readonly precision: BuiltPrecision;
  #nodes: Node[] = [];
  readonly #constants: Constant[] = [];
  readonly #known = new Map<string, string>();
  #count = 0;
  /** Names of the weights of a layer that is used again: those to be repeated, and those that are being recorded. */
  #again: string[] | null = null;
  #recorded: string[] = [];

  constructor(precision: BuiltPrecision = "fp32") {
    this.precision = precision;
  }

  /** The graph with the published ports. */
  graph(published: PublishedGraph, metadata: Record<string, string> = {}): Graph {
    const ports = portsOf(published);
    const used = new Set(this.#nodes.flatMap(({ inputs }) => inputs));
    for (const { name } of ports.inputs) if (!used.has(name)) this.op("Shape", [name]); // inputs that change nothing
    return { ...ports, nodes: this.#nodes, constants: this.#constants, metadata };
  }

  op(op: string, inputs: string[], attributes: Attributes = {}): string {
    return this.several(op, inputs, { count: 1, attributes })[0]!;
  }

  several(
    op: string,
    inputs: string[],
    { count, attributes = {}, domain }: { count: number; attributes?: Attributes; domain?: string },
  ): string[] {
    const outputs = Array.from({ length: count }, () => this.#name(op));
    this.#nodes.push({ op, inputs, outputs, attributes, ...(domain ? { domain } : {}) });
    return outputs;
  }

  /** Gives a value the name of an output of the graph. */
  output(value: string, name: string): void {
    this.#nodes.push({ op: "Identity", inputs: [value], outputs: [name] });
  }

  /** One of two branches; `outputs` are their names outside, which have the shapes. */
  choose(condition: string, outputs: Value[], branches: { ifTrue: Branch; ifFalse: Branch }): void {
    const branch = (build: Branch) => {
      const outside = this.#nodes;
      this.#nodes = [];
      const made = build();
      const ports = made.map((name, index) => ({ ...outputs[index]!, name }));
      const graph = { inputs: [], outputs: ports, nodes: this.#nodes };
      this.#nodes = outside;
      return { graph };
    };
    const [then_branch, else_branch] = [branch(branches.ifTrue), branch(branches.ifFalse)];
    const names = outputs.map(({ name }) => name);
    this.#nodes.push({
      op: "If",
      inputs: [condition],
      outputs: names,
      attributes: { then_branch, else_branch },
    });
  }

  #name(hint: string): string {
    return `${hint}_${this.#count++}`;
  }

  /** The same layer, with the same weights, so many times. */
  repeated(times: number, input: string, layer: (x: string) => string): string {
    this.#recorded = [];
    let x = layer(input);
    const recorded = this.#recorded;
    for (let time = 1; time < times; time++) {
      this.#again = [...recorded];
      x = layer(x);
    }
    this.#again = null;
    return x;
  }

  #add(hint: string, make: (name: string) => Constant): string {
    const known = this.#again?.shift();
    if (known !== undefined) return known;
    const name = this.#name(hint);
    this.#constants.push(make(name));
    this.#recorded.push(name);
    return name;
  }

  #constant(key: string, make: (name: string) => Constant): string {
    const known = this.#known.get(key);
    if (known) return known;
    const name = this.#name("constant");
    this.#constants.push(make(name));
    this.#known.set(key, name);
    return name;
  }

  /** Whole numbers as a vector. */
  ints(...values: number[]): string {
    const data = BigInt64Array.from(values, BigInt);
    return this.#constant(`ints ${values}`, (name) => ({ name, shape: [values.length], values: data }));
  }

  int(value: number): string {
    return this.#constant(`int ${value}`, (name) => ({
      name,
      shape: [],
      values: BigInt64Array.of(BigInt(value)),
    }));
  }

  float(value: number): string {
    return this.#constant(`float ${value}`, (name) => ({ name, shape: [], values: Float32Array.of(value) }));
  }

  /** Values that are the same in every file. */
  table(shape: number[], values: Float32Array | BigInt64Array | Int8Array): string {
    return this.#add("table", (name) => ({ name, shape, values }));
  }

  /** Random weights, at most `reach` from zero. */
  weights(shape: number[], reach: number): string {
    const parts = () => floatsAtRandom(sizeOf(shape), reach);
    return this.#add("weights", (name) => ({ name, shape, type: "float32", parts }));
  }

  /** Weights in bytes, and the scale and the zero that make numbers of them. */
  quantized(shape: number[], reach: number, type = this.precision as "int8" | "uint8") {
    const name = this.#bytes(shape, type);
    const zeros = type === "int8" ? Int8Array.of(0) : Uint8Array.of(128);
    const zero = this.#constant(`zero ${type}`, (name) => ({ name, shape: [], values: zeros }));
    return { name, scale: this.float(reach / 127), zero };
  }

  #bytes(shape: number[], type: "int8" | "uint8"): string {
    const parts = () => bytesAtRandom(sizeOf(shape));
    return this.#add("bytes", (name) => ({ name, shape, type, parts }));
  }

  /** [..., from] to [..., to]. */
  linear(x: string, { from, to, bias = true }: Linear): string {
    const product = this.#product(x, { from, to });
    return bias ? this.op("Add", [product, this.weights([to], NEGLIGIBLE)]) : product;
  }

  #product(x: string, { from, to }: Linear): string {
    const reach = Math.sqrt(3 / from); // sums are as large as their inputs
    if (this.precision === "fp32") return this.op("MatMul", [x, this.weights([from, to], reach)]);
    if (this.precision === "q4") return this.#blocks(x, { from, to });
    return this.integers("MatMulInteger", [x], this.quantized([from, to], reach));
  }

  #blocks(x: string, { from, to }: Linear): string {
    const count = from / Q4_BLOCK;
    const packed = this.#bytes([to, count, Q4_BLOCK / 2], "uint8");
    const scales = this.weights([to * count], Math.sqrt(3 / from) / 8);
    const attributes = { K: from, N: to, bits: 4, block_size: Q4_BLOCK };
    return this.several("MatMulNBits", [x, packed, scales], { count: 1, attributes, domain: MICROSOFT })[0]!;
  }

  /** A product in integers, as numbers again. */
  integers(
    op: "MatMulInteger" | "ConvInteger",
    [x, attributes]: [x: string, attributes?: Attributes],
    { name, scale, zero }: ReturnType<GraphBuilder["quantized"]>,
  ): string {
    const [bytes, bytesScale, bytesZero] = this.several("DynamicQuantizeLinear", [x], { count: 3 });
    const sums = this.op(op, [bytes!, name, bytesZero!, zero], attributes);
    const factor = this.op("Mul", [bytesScale!, scale]);
    return this.op("Mul", [this.op("Cast", [sums], { to: 1 }), factor]);
  }

  /** [B, from, …] to [B, to, …]. */
  conv(
    x: string,
    { from, to, kernel, stride = 1, dilation = 1, pads, group = 1, bias = true }: Convolution,
  ): string {
    const sizes = [kernel].flat();
    const each = (value: number | number[]) => (Array.isArray(value) ? value : sizes.map(() => value));
    const same = sizes.map((size) => ((size - 1) * dilation) >> 1);
    const attributes: Attributes = {
      kernel_shape: sizes,
      strides: each(stride),
      dilations: each(dilation),
      pads: pads ?? [...same, ...same],
      group,
    };
    const shape = [to, from / group, ...sizes];
    const reach = Math.sqrt((3 * group) / (from * sizeOf(sizes)));
    const column = [1, to, ...sizes.map(() => 1)];
    if (this.precision === "fp32" || this.precision === "q4") {
      const biases = bias ? [this.weights([to], NEGLIGIBLE)] : [];
      return this.op("Conv", [x, this.weights(shape, reach), ...biases], attributes);
    }
    const sums = this.integers("ConvInteger", [x, attributes], this.quantized(shape, reach));
    return bias ? this.op("Add", [sums, this.weights(column, NEGLIGIBLE)]) : sums;
  }

  /** Upsampling by a convolution, which no converter quantizes. */
  upsample(
    x: string,
    { from, to, kernel, stride = 1, pads, group = 1 }: Convolution & { kernel: number },
  ): string {
    const pad = (kernel - Number(stride)) >> 1;
    const attributes = { kernel_shape: [kernel], strides: [stride].flat(), pads: pads ?? [pad, pad], group };
    const reach = Math.sqrt((3 * Number(stride) * group) / (from * kernel));
    return this.op("ConvTranspose", [x, this.weights([from, to / group, kernel], reach)], attributes);
  }

  norm(x: string, width: number): string {
    const scale = this.table([width], new Float32Array(width).fill(1));
    return this.op("LayerNormalization", [x, scale, this.weights([width], NEGLIGIBLE)], { axis: -1 });
  }
}

const sizeOf = (shape: number[]) => shape.reduce((all, size) => all * size, 1);
