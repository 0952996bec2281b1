/** The data of a chart: series of values over the same buckets, ranked and stacked. Pure. */
import { chartsTexts } from "../../language/en/charts.ts";

/** `name` is the axis label, `title` the full one; `href` leads to the rows behind the bucket. */
export type ChartBucket = { name: string; title: string; href?: string };

/** Null: unknown, which is not 0. */
export type Value = number | null;

/**
 * One value per bucket; `hrefs` lead to the rows behind each value. Without a `colour`: that of its rank. `total`: what the
 * legend shows, where that is not the sum.
 */
export type ChartSeries = {
  id: string;
  name: string;
  values: Value[];
  hrefs?: string[];
  colour?: number;
  total?: number;
};

/** A series with its colour, the number of a `--series` variable. */
export type Layer = ChartSeries & { colour: number };

/** How many `--series` colours there are. */
export const COLOURS = 8;
const TOP = COLOURS - 1;
export const OTHER = "other groups";

const sumOf = (values: Value[]): number => values.reduce<number>((sum, value) => sum + (value ?? 0), 0);

/** What a series comes to. */
export const totalOf = ({ total, values }: Pick<ChartSeries, "total" | "values">): number =>
  total ?? sumOf(values);

/** Largest first; of more series than colours, the last is the sum of all others. */
export function largest(all: ChartSeries[]): ChartSeries[] {
  const sorted = all
    .map((series) => ({ series, sum: totalOf(series) }))
    .sort((a, b) => b.sum - a.sum)
    .map(({ series }) => series);
  if (sorted.length <= TOP + 1) return sorted;
  const others = sorted.slice(TOP);
  return [
    ...sorted.slice(0, TOP),
    {
      ...{
        id: OTHER,
        name: chartsTexts()("other", { count: others.length }),
        total: sumOf(others.map(totalOf)),
      },
      values: totalsOf(others, others[0]!.values.length),
    },
  ];
}

type Waits = { p50_ms: number | null; p95_ms: number | null };

/** Waits by bucket, for a chart of values in front of each other; the legend has those of `all`. */
export const percentileSeries = (waits: (Waits | undefined)[], all: Waits | undefined): ChartSeries[] =>
  (
    [
      { id: "p50", name: "median", colour: 2, of: "p50_ms" },
      { id: "p95", name: "p95", colour: 4, of: "p95_ms" },
    ] as const
  ).map(({ of, name, ...series }) => ({
    ...series,
    name: chartsTexts()(name),
    values: waits.map((each) => each?.[of] ?? 0),
    total: all?.[of] ?? 0,
  }));

/** The sum of all series, by bucket. */
export const totalsOf = (all: ChartSeries[], buckets: number): number[] =>
  Array.from({ length: buckets }, (_none, index) => sumOf(all.map(({ values }) => values[index]!)));

/** Whether no series has a value there. */
export const isUnknown = (all: ChartSeries[], index: number): boolean =>
  all.length > 0 && all.every(({ values }) => values[index] === null);

/** Each series in front of those that are higher: they do not add up. */
export const inFront = (all: ChartSeries[]): Value[][] => all.map(({ values }) => values);

/** Each series on top of the ones before it. */
export function stacked(all: ChartSeries[], buckets: number): number[][] {
  return all.map((_series, index) => totalsOf(all.slice(0, index + 1), buckets));
}
