/**
 * Writes small ONNX graphs, so that engines meet their families' signatures where no weights are: the protobuf of
 * onnx.proto3, as far as tests need it.
 */
type Bytes = Uint8Array;

const TYPES = { float32: 1, uint8: 2, int8: 3, int32: 6, int64: 7, bool: 9, float16: 10 } as const;
type Type = keyof typeof TYPES;

/** A string is a dimension that is left open, under that name. */
export type Value = { name: string; type: Type; shape: (number | string)[] };
type Node = {
  op: string;
  inputs: string[];
  outputs: string[];
  attributes?: Record<string, Attribute>;
};
/** A graph may name what is outside of it. */
type Attribute = number | number[] | string | { float: number } | { graph: Omit<Graph, "metadata"> };
/** Halves come as their bits. */
type Values = Float32Array | BigInt64Array | Int32Array | Uint8Array | Int8Array | Uint16Array;
type Inside = { name: string; shape: number[]; values: Values };
/** Floats that lie in a file beside the graph; without a place, they are all of it. */
type Beside = { name: string; shape: number[]; file: string; offset?: number; length?: number };
type Constant = Inside | Beside;

export type Graph = {
  inputs: Value[];
  outputs: Value[];
  nodes: Node[];
  constants?: Constant[];
  metadata?: Record<string, string>;
};

const IR_VERSION = 8;
const OPSET = 17;

export function writeOnnx({ metadata = {}, ...graph }: Graph): Uint8Array {
  const properties = Object.entries(metadata).map(([key, value]) =>
    part(14, message(part(1, text(key)), part(2, text(value)))),
  );
  return message(
    number(1, IR_VERSION),
    part(7, graphOf(graph)),
    part(8, message(number(2, OPSET))),
    ...properties,
  );
}

const graphOf = ({ inputs, outputs, nodes, constants = [] }: Omit<Graph, "metadata">): Bytes =>
  message(
    ...nodes.map((node) => part(1, nodeOf(node))),
    part(2, text("test")),
    ...constants.map((constant) => part(5, tensorOf(constant))),
    ...inputs.map((value) => part(11, portOf(value))),
    ...outputs.map((value) => part(12, portOf(value))),
  );

const nodeOf = ({ op, inputs, outputs, attributes = {} }: Node): Bytes =>
  message(
    ...inputs.map((name) => part(1, text(name))),
    ...outputs.map((name) => part(2, text(name))),
    part(4, text(op)),
    ...Object.entries(attributes).map(([name, value]) => part(5, attributeOf(name, value))),
  );

const KINDS = { float: 1, integer: 2, text: 3, graph: 5, integers: 7 };

function attributeOf(name: string, value: Attribute): Bytes {
  const named = part(1, text(name));
  if (typeof value === "number") return message(named, number(3, value), number(20, KINDS.integer));
  if (typeof value === "string") return message(named, part(4, text(value)), number(20, KINDS.text));
  if (Array.isArray(value))
    return message(named, ...value.map((each) => number(8, each)), number(20, KINDS.integers));
  if ("graph" in value) return message(named, part(6, graphOf(value.graph)), number(20, KINDS.graph));
  const single = new Uint8Array(Float32Array.of(value.float).buffer);
  return message(named, varint(2 * 8 + 5), single, number(20, KINDS.float));
}

const EXTERNAL = 1;

function tensorOf(constant: Constant): Bytes {
  const { name, shape } = constant;
  const sizes = shape.map((size) => number(1, size));
  if ("file" in constant) {
    const { file, offset, length } = constant;
    const entries = Object.entries({ location: file, offset, length }).flatMap(([key, value]) =>
      value === undefined ? [] : [part(13, message(part(1, text(key)), part(2, text(String(value)))))],
    );
    return message(...sizes, number(2, TYPES.float32), part(8, text(name)), ...entries, number(14, EXTERNAL));
  }
  const { values } = constant;
  const type = TYPES[typeOf(values)];
  const raw = new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
  return message(...sizes, number(2, type), part(8, text(name)), part(9, raw));
}

function typeOf(values: Values): Type {
  if (values instanceof Float32Array) return "float32";
  if (values instanceof Int32Array) return "int32";
  if (values instanceof BigInt64Array) return "int64";
  if (values instanceof Uint16Array) return "float16";
  return values instanceof Int8Array ? "int8" : "uint8";
}

function portOf({ name, type, shape }: Value): Bytes {
  const sizes = shape.map((size) =>
    part(1, message(typeof size === "number" ? number(1, size) : part(2, text(size)))),
  );
  const tensor = message(number(1, TYPES[type]), part(2, message(...sizes)));
  return message(part(1, text(name)), part(2, message(part(1, tensor))));
}

const message = (...fields: Bytes[]): Bytes => Buffer.concat(fields);
const text = (value: string): Bytes => Buffer.from(value);
const part = (field: number, bytes: Bytes): Bytes =>
  Buffer.concat([varint(field * 8 + 2), varint(bytes.length), bytes]);
const number = (field: number, value: number): Bytes => Buffer.concat([varint(field * 8), varint(value)]);

function varint(value: number): Bytes {
  let rest = BigInt.asUintN(64, BigInt(value));
  const bytes: number[] = [];
  do {
    bytes.push(Number(rest & 127n) | (rest > 127n ? 128 : 0));
    rest >>= 7n;
  } while (rest > 0n);
  return Uint8Array.from(bytes);
}
