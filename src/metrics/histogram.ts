/**
 * A histogram that prom-client's registry writes. One is observed for every request, where finding the series costs a
 * look-up a label and makes no text; prom-client's own validates and sorts the labels, which takes a microsecond.
 */

type Labels = Record<string, string>;
/** `counts` is by bucket; the last one has no bound. */
type Series = { labels: Labels; counts: number[]; sum: number };
/** By the value of the next label; `series` after the last one. */
type Level = { next: Map<string, Level>; series: Series | null };

export type Histogram = {
  observe(labels: Labels, value: number): void;
  /** As prom-client's registry asks a metric. */
  metric: { name: string; get(): Promise<object> };
};

type Definition = { name: string; help: string; labelNames: readonly string[]; buckets: readonly number[] };

/** `buckets` are upper bounds, ascending. Without labels, the series is there before its first value. */
export function openHistogram({ name, help, labelNames, buckets }: Definition): Histogram {
  const all: Series[] = [];
  const root: Level = { next: new Map(), series: null };
  const seriesOf = (labels: Labels): Series => {
    let level = root;
    for (const label of labelNames) {
      const value = labels[label]!;
      let found = level.next.get(value);
      if (!found) {
        found = { next: new Map(), series: null };
        level.next.set(value, found);
      }
      level = found;
    }
    if (level.series === null) {
      level.series = { labels: { ...labels }, counts: new Array(buckets.length + 1).fill(0), sum: 0 };
      all.push(level.series);
    }
    return level.series;
  };
  if (labelNames.length === 0) seriesOf({});
  return {
    observe(labels, value) {
      const series = seriesOf(labels);
      const bucket = buckets.findIndex((bound) => value <= bound);
      series.counts[bucket === -1 ? buckets.length : bucket]!++;
      series.sum += value;
    },
    metric: {
      name,
      get: async () => ({
        name,
        help,
        type: "histogram",
        values: all.flatMap((each) => samplesOf(each, { name, buckets })),
      }),
    },
  };
}

/** Buckets are cumulative in the text format. */
function samplesOf({ labels, counts, sum }: Series, { name, buckets }: Pick<Definition, "name" | "buckets">) {
  let total = 0;
  const bucketSamples = counts.map((count, at) => {
    total += count;
    const le = at < buckets.length ? buckets[at]! : "+Inf";
    return { metricName: `${name}_bucket`, labels: { le, ...labels }, value: total };
  });
  return [
    ...bucketSamples,
    { metricName: `${name}_sum`, labels, value: sum },
    { metricName: `${name}_count`, labels, value: total },
  ];
}
