/** The values and labels of a chart's axes. Pure. */

const TICKS_MAX = 5;

/** From 0 to the first tick that nothing exceeds; without values, 0 alone. `steps`: ascending. */
export function valueTicks(max: number, steps: number[]): number[] {
  if (max <= 0) return [0];
  const step = steps.find((each) => max / each <= TICKS_MAX) ?? steps.at(-1)!;
  return Array.from({ length: Math.ceil(max / step) + 1 }, (_none, index) => index * step);
}

/** The labelled buckets: the last one always, and as many before it as fit without touching each other or the edge. */
export function labelled({
  buckets,
  width,
  room,
}: {
  buckets: number;
  width: number;
  room: number;
}): number[] {
  const bucketWidth = width / buckets;
  const stride = Math.max(1, Math.ceil(room / bucketWidth));
  const indexes: number[] = [];
  for (let index = buckets - 1; index >= 0; index -= stride)
    if ((index + 0.5) * bucketWidth >= room / 3) indexes.unshift(index);
  return indexes;
}
