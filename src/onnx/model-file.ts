/**
 * What an ONNX file declares: its inputs and outputs, its metadata, and the files that hold its weights. Weights are
 * skipped, so a file of gigabytes is read in milliseconds. Field numbers are those of onnx.proto3.
 */
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { type Field, fieldsOf, HEAD_BYTES, headAt, ProtobufError, textOf, varintsIn } from "./protobuf.ts";

/** A string is a dimension that is open, under that name; null: open without a name. */
type Dimension = number | string | null;
/** `type` is null for what is no tensor. */
export type DeclaredPort = { name: string; type: string | null; shape: Dimension[] };

export type ModelFile = {
  inputs: DeclaredPort[];
  outputs: DeclaredPort[];
  metadata: Record<string, string>;
  /** Names of the files beside it that hold its weights. */
  dataFiles: string[];
  /** The dimensions of its weights, by name. */
  weights: Map<string, number[]>;
};

const DECLARED_MAX = 16 * 1024 * 1024;
const [MODEL_GRAPH, MODEL_METADATA] = [7, 14];
const [INITIALIZER, INPUT, OUTPUT] = [5, 11, 12];
const [TENSOR_DIMENSIONS, TENSOR_NAME, TENSOR_EXTERNAL] = [1, 8, 13];
const TYPES: Record<number, string> = {
  1: "float32",
  2: "uint8",
  3: "int8",
  6: "int32",
  7: "int64",
  9: "bool",
  10: "float16",
  11: "float64",
};

/** Throws `ProtobufError` where the file is not an ONNX model. */
export function readModelFile(path: string): ModelFile {
  const file = openSync(path, "r");
  try {
    return readModel({ file, start: 0, end: fstatSync(file).size });
  } finally {
    closeSync(file);
  }
}

/** A part of a file that is not read yet. */
export type Part = { file: number; start: number; end: number };

function readModel(model: Part): ModelFile {
  const metadata: ModelFile["metadata"] = {};
  const ports: Record<typeof INPUT | typeof OUTPUT, DeclaredPort[]> = { [INPUT]: [], [OUTPUT]: [] };
  const weights = new Map<string, number[]>();
  const dataFiles = new Set<string>();
  for (const { number, ...part } of partsOf(model)) {
    if (number === MODEL_METADATA) {
      const [key = "", value = ""] = textsOf(declaredIn(part), [1, 2]);
      metadata[key] = value;
    }
    if (number !== MODEL_GRAPH) continue;
    for (const { number, ...content } of partsOf(part)) {
      if (number === INPUT || number === OUTPUT) ports[number]!.push(portOf(declaredIn(content)));
      if (number !== INITIALIZER) continue;
      const { name, shape, location } = tensorOf(content);
      weights.set(name, shape);
      if (location) dataFiles.add(location);
    }
  }
  const inputs = ports[INPUT]!.filter(({ name }) => !weights.has(name)); // older files declare weights as inputs
  return { inputs, outputs: ports[OUTPUT]!, metadata, dataFiles: [...dataFiles], weights };
}

export function* partsOf({ file, start, end }: Part): Generator<Part & { number: number }> {
  for (let position = start; position < end; ) {
    const head = headAt(bytesOf({ file, start: position, end: Math.min(position + HEAD_BYTES, end) }), 0);
    if (position + head.end > end) throw new ProtobufError("the message is truncated");
    yield { file, number: head.number, start: position + head.start, end: position + head.end };
    position += head.end;
  }
}

/** Throws `ProtobufError` where they are more than what a model declares of itself can be. */
function declaredIn(part: Part): Buffer {
  if (part.end - part.start > DECLARED_MAX)
    throw new ProtobufError("a part that is no weights has too many bytes");
  return bytesOf(part);
}

export function bytesOf({ file, start, end }: Part): Buffer {
  const bytes = Buffer.alloc(end - start);
  return bytes.subarray(0, readSync(file, bytes, 0, bytes.length, start));
}

/** Its name and dimensions, and the file of its values where they are not here. */
function tensorOf(tensor: Part): { name: string; shape: number[]; location: string | null } {
  let [name, location] = ["", null as string | null];
  const shape: number[] = [];
  for (const { number, ...part } of partsOf(tensor)) {
    if (number === TENSOR_DIMENSIONS) shape.push(...varintsIn(declaredIn(part)));
    if (number === TENSOR_NAME) name = declaredIn(part).toString();
    if (number !== TENSOR_EXTERNAL) continue;
    const [key, value] = textsOf(declaredIn(part), [1, 2]);
    if (key === "location") location = value ?? null;
  }
  return { name, shape, location };
}

/** ValueInfoProto: name, and a TypeProto whose first field is a tensor's type and shape. */
function portOf(bytes: Uint8Array): DeclaredPort {
  const [name = ""] = textsOf(bytes, [1]);
  const tensor = within(within(bytes, 2), 1);
  if (!tensor) return { name, type: null, shape: [] };
  const element = fieldIn(tensor, 1);
  const shape = within(tensor, 2);
  const sizes = shape ? [...fieldsOf(shape)].filter(({ number }) => number === 1) : [];
  return { name, type: TYPES[element ? numberOf(element) : 0] ?? "another type", shape: sizes.map(sizeOf) };
}

function sizeOf({ value }: Field): Dimension {
  const fixed = fieldIn(value, 1);
  if (fixed) return numberOf(fixed);
  const named = fieldIn(value, 2);
  return named ? textOf(named) : null;
}

const fieldIn = (bytes: Uint8Array, number: number): Field | undefined =>
  [...fieldsOf(bytes)].find((field) => field.number === number);

const within = (bytes: Uint8Array | undefined, number: number): Uint8Array | undefined =>
  bytes && fieldIn(bytes, number)?.value;

const textsOf = (bytes: Uint8Array, numbers: number[]): (string | undefined)[] =>
  numbers.map((number) => {
    const field = fieldIn(bytes, number);
    return field && textOf(field);
  });

const numberOf = ({ value }: Field): number => varintsIn(value)[0] ?? 0;
