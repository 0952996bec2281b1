/**
 * Writes ONNX graphs, so that engines meet their families' signatures where no weights are: the protobuf of onnx.proto3,
 * as far as tests need it.
 */
type Bytes = Uint8Array;

const BYTES = { float32: 4, uint8: 1, int8: 1, int32: 4, int64: 8, bool: 1, float16: 2 } as const;
const TYPES = { float32: 1, uint8: 2, int8: 3, int32: 6, int64: 7, bool: 9, float16: 10 } as const;
type Type = keyof typeof TYPES;

/** A string is a dimension that is left open, under that name. */
export type Value = { name: string; type: Type; shape: (number | string)[] };
export type Node = {
  op: string;
  inputs: string[];
  outputs: string[];
  attributes?: Record<string, Attribute>;
  /** Of operators that are the runtime's own. */
  domain?: string;
};
/** A graph may name what is outside of it. */
type Attribute = number | number[] | string | { float: number } | { graph: Omit<Graph, "metadata"> };
/** Halves come as their bits. */
type Values = Float32Array | BigInt64Array | Int32Array | Uint8Array | Int8Array | Uint16Array;
type Inside = { name: string; shape: number[]; values: Values };
/** Floats that lie in a file beside the graph; without a place, they are all of it. */
type Beside = { name: string; shape: number[]; file: string; offset?: number; length?: number };
/** Values that are made when the file is written, a part at a time. */
type Streamed = { name: string; shape: number[]; type: Type; parts: () => Iterable<Uint8Array> };
type Constant = Inside | Beside | Streamed;

export type Graph = {
  inputs: Value[];
  outputs: Value[];
  nodes: Node[];
  constants?: Constant[];
  metadata?: Record<string, string>;
};

const IR_VERSION = 8;
const OPSET = 17;

export const writeOnnx = (graph: Graph): Uint8Array => Buffer.concat([...onnxParts(graph)]);

/** The file, a part at a time: it may be larger than memory. */
export function* onnxParts({ metadata = {}, ...graph }: Graph): Generator<Uint8Array> {
  const constants = graph.constants ?? [];
  const streamed = constants.filter((constant) => "parts" in constant);
  const inside = graphOf({ ...graph, constants: constants.filter((constant) => !("parts" in constant)) });
  const tensors = streamed.map((constant) => ({ ...constant, ...headOf(constant) }));
  const length = tensors.reduce((sum, { head, bytes }) => sum + head.length + bytes, inside.length);
  yield message(number(1, IR_VERSION), begun(7, length), inside);
  for (const { head, parts } of tensors) {
    yield head;
    yield* parts();
  }
  const domains = [...new Set(graph.nodes.flatMap(({ domain }) => domain ?? []))];
  yield message(
    part(8, message(number(2, OPSET))),
    ...domains.map((domain) => part(8, message(part(1, text(domain)), number(2, 1)))),
    ...Object.entries(metadata).map(([key, value]) =>
      part(14, message(part(1, text(key)), part(2, text(value)))),
    ),
  );
}

/** What precedes the values of a tensor in a graph, and how many bytes they have. */
function headOf({ name, shape, type }: Streamed): { head: Bytes; bytes: number } {
  const bytes = shape.reduce((all, size) => all * size, BYTES[type]);
  const declared = message(
    ...shape.map((size) => number(1, size)),
    number(2, TYPES[type]),
    part(8, text(name)),
  );
  const raw = begun(9, bytes);
  return { head: message(begun(5, declared.length + raw.length + bytes), declared, raw), bytes };
}

const graphOf = ({ inputs, outputs, nodes, constants = [] }: Omit<Graph, "metadata">): Bytes =>
  message(
    ...nodes.map((node) => part(1, nodeOf(node))),
    part(2, text("test")),
    ...constants.map((constant) => part(5, tensorOf(constant as Inside | Beside))),
    ...inputs.map((value) => part(11, portOf(value))),
    ...outputs.map((value) => part(12, portOf(value))),
  );

const nodeOf = ({ op, inputs, outputs, attributes = {}, domain }: Node): Bytes =>
  message(
    ...inputs.map((name) => part(1, text(name))),
    ...outputs.map((name) => part(2, text(name))),
    part(4, text(op)),
    ...(domain ? [part(7, text(domain))] : []),
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

function tensorOf(constant: Inside | Beside): Bytes {
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
const part = (field: number, bytes: Bytes): Bytes => Buffer.concat([begun(field, bytes.length), bytes]);
/** A field of so many bytes, which follow. */
const begun = (field: number, length: number): Bytes =>
  Buffer.concat([varint(field * 8 + 2), varint(length)]);
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
