/** The weights of an ONNX graph that are bytes, with the value that stands for zero in them. */
import { type Field, fieldsOf, textOf, varintsIn } from "../../src/onnx/protobuf.ts";

export type Weights = {
  name: string;
  /** The initializer. */
  field: Field;
  shape: number[];
  values: Uint8Array | Int8Array;
  zero: number;
};

const [UINT8, INT8] = [2, 3];

type Bytes = Omit<Weights, "zero">;

/**
 * Of a graph's initializers: finds weights by the names of their values and of their zero, which is 0 where it has no
 * name. Null where they are not in the file, or have zeros of their own for each channel.
 */
export function quantizedWeights(
  initializers: readonly Field[],
): (name: string, zero: string) => Weights | null {
  const tensors = new Map(
    initializers.flatMap((field) => bytesOf(field) ?? []).map((each) => [each.name, each]),
  );
  return (name, zero) => {
    const weights = tensors.get(name);
    const scalar = zero === "" ? [0] : (tensors.get(zero)?.values ?? []);
    return weights && scalar.length === 1 ? { ...weights, zero: scalar[0]! } : null;
  };
}

/** Null for another type, for values beside the file, and where there are more or fewer than the shape says. */
function bytesOf(field: Field): Bytes | null {
  let [name, type] = ["", 0];
  let values: Uint8Array = new Uint8Array(0);
  const [shape, single]: [number[], number[]] = [[], []];
  for (const part of fieldsOf(field.value)) {
    if (part.number === 1) shape.push(...varintsIn(part.value));
    if (part.number === 2) type = varintsIn(part.value)[0] ?? 0;
    if (part.number === 5 && part.value.length <= 10) single.push(...varintsIn(part.value));
    if (part.number === 8) name = textOf(part);
    if (part.number === 9) values = part.value;
  }
  if (type !== UINT8 && type !== INT8) return null;
  if (single.some((value) => value > 255)) return null; // a negative number, in more digits than are read exactly
  if (values.length === 0) values = Uint8Array.from(single);
  if (values.length !== shape.reduce((product, size) => product * size, 1)) return null;
  const bytes = type === UINT8 ? values : new Int8Array(values.buffer, values.byteOffset, values.length);
  return { name, field, shape, values: bytes };
}
