/** The rows that benchmarks report, and the statistics that they share. */

/** A figure; `target` is the floor or ceiling it is held to, where there is one. */
export type Row = { name: string; value: number; unit: string; target?: string };

export const median = (values: number[]): number => quantile(values, 0.5);

/** The value below which the share `q` of the values lies: the nearest rank, no interpolation. */
export function quantile(values: number[], q: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? Number.NaN;
}

/** Milliseconds. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}

/** `count` callers, each doing its work one call after another until `turns` are done in all. */
export async function inParallel(count: number, turns: number, work: (turn: number) => Promise<void>) {
  let next = 0;
  const caller = async () => {
    while (next < turns) await work(next++);
  };
  await Promise.all(Array.from({ length: count }, caller));
}
