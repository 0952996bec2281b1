/** What several families have in common: activations, attention, shapes. Sequences are [B, T, width]. */
import type { GraphBuilder } from "./graph-builder.ts";

export const gelu = (b: GraphBuilder, x: string): string => {
  const error = b.op("Erf", [b.op("Div", [x, b.float(Math.SQRT2)])]);
  const doubled = b.op("Mul", [x, b.op("Add", [error, b.float(1)])]);
  return b.op("Mul", [doubled, b.float(0.5)]);
};

export const swish = (b: GraphBuilder, x: string): string => b.op("Mul", [x, b.op("Sigmoid", [x])]);

export const transposed = (b: GraphBuilder, x: string): string => b.op("Transpose", [x], { perm: [0, 2, 1] });

/** The size of a dimension, as a number. */
export const lengthOf = (b: GraphBuilder, x: string, dimension: number): string =>
  b.op("Gather", [b.op("Shape", [x]), b.int(dimension)]);

export const asVector = (b: GraphBuilder, x: string): string => b.op("Unsqueeze", [x, b.ints(0)]);

type Heads = { heads: number; size: number };

/** [B, T, heads · size] to [B, heads, T, size]. */
export const split = (b: GraphBuilder, x: string, { heads, size }: Heads): string =>
  b.op("Transpose", [b.op("Reshape", [x, b.ints(0, 0, heads, size)])], { perm: [0, 2, 1, 3] });

/** And back. */
export const merged = (b: GraphBuilder, x: string, { heads, size }: Heads): string =>
  b.op("Reshape", [b.op("Transpose", [x], { perm: [0, 2, 1, 3] }), b.ints(0, 0, heads * size)]);

/** Queries and keys [B, heads, T, size]: products of each with each. */
export function scoresOf(b: GraphBuilder, [queries, keys]: [string, string], { size }: Heads): string {
  const turned = b.op("Transpose", [keys], { perm: [0, 1, 3, 2] });
  return b.op("MatMul", [b.op("Mul", [queries, b.float(1 / Math.sqrt(size))]), turned]);
}

/** Attention of one sequence over another: `from` and `over` are their widths. */
export function attention(
  b: GraphBuilder,
  [x, other]: [x: string, other: string],
  { from, over = from, ...heads }: Heads & { from: number; over?: number },
): string {
  const inner = heads.heads * heads.size;
  const queries = split(b, b.linear(x, { from, to: inner }), heads);
  const keys = split(b, b.linear(other, { from: over, to: inner }), heads);
  const values = split(b, b.linear(other, { from: over, to: inner }), heads);
  const weights = b.op("Softmax", [scoresOf(b, [queries, keys], heads)], { axis: -1 });
  return b.linear(merged(b, b.op("MatMul", [weights, values]), heads), { from: inner, to: from });
}

/** As many frames as each position lasts: frame `i` of F takes position `i · T / F`. [B, C, T] to [B, C, F]. */
export function stretched(b: GraphBuilder, x: string, [positions, frames]: [string, string]): string {
  const places = b.op("Range", [b.int(0), frames, b.int(1)]);
  const taken = b.op("Div", [b.op("Mul", [places, positions]), frames]);
  return b.op("Gather", [x, taken], { axis: 2 });
}
