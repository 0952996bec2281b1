/** What the graphs of the small Moonshine have in common. */
import { portsOf, published, type Sizes } from "../published.ts";

export type Model = { seed: number; sizes: Sizes };

export const portsFor = (role: string, sizes: Sizes) =>
  portsOf(published("moonshine", "", sizes).graph(role)!);
export const integers = (name: string, ...values: number[]) => ({
  name,
  shape: [values.length],
  values: BigInt64Array.from(values, BigInt),
});
export const scalar = (name: string, value: number) => ({
  name,
  shape: [],
  values: BigInt64Array.of(BigInt(value)),
});
export const float = (name: string, value: number) => ({ name, shape: [1], values: Float32Array.of(value) });
export const rows = (name: string, shape: [number, number], values: Float32Array) => ({
  name,
  shape,
  values,
});

/** A row of the memory in which one number of each head is one. */
export const marked = ({ decoder_dim, head_dim }: Sizes, at: number) =>
  Float32Array.from({ length: decoder_dim! }, (_, index) => Number(index % head_dim! === at));
