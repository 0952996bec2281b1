/** Many utterances' vectors as one tensor, one utterance's out of it again, and rows as columns. */
import type { Graph } from "./session.ts";

/** Of an LSTM's state. */
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
  for (const [at, row] of rows.entries()) whole.set(row, at * row.length);
  return whole;
}

/** States of [L, H] each as one of [L, B, H]. */
export function gathered({ Tensor }: Graph, { layers, hidden }: Shape, states: Float32Array[]) {
  const count = states.length;
  const whole = new Float32Array(layers * count * hidden);
  for (const [at, state] of states.entries())
    for (let layer = 0; layer < layers; layer++)
      whole.set(state.subarray(layer * hidden, (layer + 1) * hidden), (layer * count + at) * hidden);
  return new Tensor("float32", whole, [layers, count, hidden]);
}

/** Nothing remembered yet. */
export const silenceOf = (shapes: Shape[]): Float32Array[] =>
  shapes.map(({ layers, hidden }) => new Float32Array(layers * hidden));

/** One state of [L, H] out of [L, B, H]. */
export function copyOut(
  from: Float32Array,
  to: Float32Array,
  { layers, hidden, at, count }: Shape & { at: number; count: number },
): void {
  for (let layer = 0; layer < layers; layer++) {
    const start = (layer * count + at) * hidden;
    to.set(from.subarray(start, start + hidden), layer * hidden);
  }
}

/** [rows, columns] as [columns, width]: what is wider than the rows is zero. */
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
