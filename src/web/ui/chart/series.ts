/** The data of a chart: series of values over the same buckets, ranked and stacked. Pure. */

/** `name` is the axis label, `title` the full one; `href` leads to the rows behind the bucket. */
export type ChartBucket = { name: string; title: string; href?: string };

/** One value per bucket; `hrefs` lead to the rows behind each value. Without a `colour`: that of its rank. */
export type ChartSeries = { id: string; name: string; values: number[]; hrefs?: string[]; colour?: number };

/** A series with its colour, the number of a `--series` variable. */
export type Layer = ChartSeries & { colour: number };

const TOP = 7;
export const OTHER = "other groups";

export const sumOf = (values: number[]): number => values.reduce((sum, value) => sum + value, 0);

/** Largest first; of more than eight series, the eighth is the sum of all others. */
export function largest(all: ChartSeries[]): ChartSeries[] {
  const sorted = all
    .map((series) => ({ series, sum: sumOf(series.values) }))
    .sort((a, b) => b.sum - a.sum)
    .map(({ series }) => series);
  if (sorted.length <= TOP + 1) return sorted;
  const others = sorted.slice(TOP);
  return [
    ...sorted.slice(0, TOP),
    { id: OTHER, name: `Other (${others.length})`, values: totalsOf(others, others[0]!.values.length) },
  ];
}

/** The sum of all series, by bucket. */
export const totalsOf = (all: ChartSeries[], buckets: number): number[] =>
  Array.from({ length: buckets }, (_none, index) => sumOf(all.map(({ values }) => values[index]!)));

/** Each series on top of the ones before it. */
export function stacked(all: ChartSeries[], buckets: number): number[][] {
  return all.map((_series, index) => totalsOf(all.slice(0, index + 1), buckets));
}
