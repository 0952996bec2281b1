/** Vectors of several utterances as one tensor and back, the choice of some of them, and transposition. */
import type { Graph, Tensor } from "./session.ts";

/** The dimensions of an LSTM's state. */
export type Shape = { layers: number; hidden: number };

export function statesOf({ session }: Graph, names: string[]): Shape[] {
  return names.map((name) => {
    const port = session.inputMetadata.find((each) => each.name === name)!;
    const [layers, , hidden] = port.isTensor ? port.shape : [];
    if (typeof layers !== "number" || typeof hidden !== "number")
      throw new Error(`this is another model: the size of input ${name} is open`);
    return { layers, hidden };
  });
}

export function stack(rows: Float32Array[]): Float32Array {
  const whole = new Float32Array(rows.length * rows[0]!.length);
  for (const [index, row] of rows.entries()) whole.set(row, index * row.length);
  return whole;
}

/** States [L, H] as one tensor [L, B, H]. */
export function stackStates({ Tensor }: Graph, { layers, hidden }: Shape, states: Float32Array[]) {
  const count = states.length;
  const whole = new Float32Array(layers * count * hidden);
  for (const [index, state] of states.entries())
    for (let layer = 0; layer < layers; layer++)
      whole.set(state.subarray(layer * hidden, (layer + 1) * hidden), (layer * count + index) * hidden);
  return new Tensor("float32", whole, [layers, count, hidden]);
}

/** Initial states. */
export const zeroStates = (shapes: Shape[]): Float32Array[] =>
  shapes.map(({ layers, hidden }) => new Float32Array(layers * hidden));

/** Copies the state [L, H] of one utterance out of [L, B, H]. */
export function copyOut(
  from: Float32Array,
  to: Float32Array,
  { layers, hidden, index, count }: Shape & { index: number; count: number },
): void {
  for (let layer = 0; layer < layers; layer++) {
    const start = (layer * count + index) * hidden;
    to.set(from.subarray(start, start + hidden), layer * hidden);
  }
}

/** What a tensor has at these indices of one axis, in their order. */
export function select({ Tensor }: Graph, tensor: Tensor, { indices, axis = 0 }: Selection): Tensor {
  const { type, dims } = tensor;
  const data = tensor.data as Float32Array; // or of integers
  const [blocks, size] = [productOf(dims.slice(0, axis)), productOf(dims.slice(axis + 1))];
  const selected = new (data.constructor as typeof Float32Array)(blocks * indices.length * size);
  for (let block = 0; block < blocks; block++)
    for (const [place, index] of indices.entries()) {
      const start = (block * dims[axis]! + index) * size;
      selected.set(data.subarray(start, start + size), (block * indices.length + place) * size);
    }
  return new Tensor(type as "float32", selected, dims.with(axis, indices.length));
}

type Selection = { indices: number[]; axis?: number };

const productOf = (sizes: readonly number[]) => sizes.reduce((product, each) => product * each, 1);

/** [rows, columns] as [columns, width], filled with zeros beyond the rows. */
export function transpose(
  values: Float32Array,
  { rows, columns, width = rows }: { rows: number; columns: number; width?: number },
): Float32Array {
  const target = new Float32Array(columns * width);
  for (let row = 0; row < rows; row++)
    for (let column = 0; column < columns; column++)
      target[column * width + row] = values[row * columns + column]!;
  return target;
}
