/** The values and labels of a chart's axes. Pure. */

const TICKS_MAX = 5;

type Extent = { min?: number; max: number };

/** With 0, from the last tick that nothing is below to the first that nothing exceeds; without values, 0 alone. `steps`: ascending. */
export function valueTicks({ min = 0, max }: Extent, steps: number[]): number[] {
  const [lowest, highest] = [Math.min(0, min), Math.max(0, max)];
  if (lowest === highest) return [0];
  const ticksAt = (step: number) => Math.ceil(highest / step) + Math.ceil(-lowest / step);
  const step = steps.find((each) => ticksAt(each) <= TICKS_MAX) ?? steps.at(-1)!;
  const below = Math.ceil(-lowest / step);
  return Array.from({ length: ticksAt(step) + 1 }, (_none, index) => (index - below) * step);
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
