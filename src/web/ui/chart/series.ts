/** What a chart draws: series of values over the same buckets, the greatest of them, stacked. Pure. */

/** `name` stands at the axis, `title` says the whole of it; `href` is where its rows are. */
export type ChartBucket = { name: string; title: string; href?: string };

/** One value a bucket. `hrefs` are where the rows of each of its values are. */
export type ChartSeries = { id: string; name: string; values: number[]; hrefs?: string[] };

/** A series as it is drawn: `colour` is the number of a `--series` variable. */
export type Layer = ChartSeries & { colour: number };

const TOP = 7;
export const OTHER = "other groups";

export const sumOf = (values: number[]): number => values.reduce((sum, value) => sum + value, 0);

/** The greatest first; where there are more than eight, the eighth is what all others are together. */
export function greatest(all: ChartSeries[]): ChartSeries[] {
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

/** All series together, bucket by bucket. */
export const totalsOf = (all: ChartSeries[], buckets: number): number[] =>
  Array.from({ length: buckets }, (_none, at) => sumOf(all.map(({ values }) => values[at]!)));

/** Each series upon those before it. */
export function stacked(all: ChartSeries[], buckets: number): number[][] {
  return all.map((_series, at) => totalsOf(all.slice(0, at + 1), buckets));
}
