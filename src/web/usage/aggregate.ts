/** Sums usage rows of the management API by bucket and group. Pure. */

import type { Reply } from "../api/server.ts";
import { amount, cents } from "../format/dollars.ts";
import { count, seconds } from "../format/numbers.ts";
import { LOCALE } from "../language/chosen.ts";
import type { Span } from "./date-range.ts";

type UsageReply = Reply<"GET /api/organizations/:organization/usage">;
type UsageRow = UsageReply["data"][number];
export type Sums = UsageReply["totals"];

export const METRICS = [
  "requests",
  "errors",
  "characters",
  "audio_seconds",
  "tokens",
  "cost_micros",
] as const;
export type Metric = (typeof METRICS)[number];
/** Of which no sums are kept: requests are read, and are grouped by one of them alone. */
const LOG_DIMENSIONS = ["status", "voice", "language", "format", "label"] as const;
type LogDimension = (typeof LOG_DIMENSIONS)[number];
export const isOfLog = (by: Dimension | null): by is LogDimension =>
  LOG_DIMENSIONS.some((name) => name === by);
/** `user`: who created the key. */
export const DIMENSIONS = [
  ...(["project", "key", "user", "model", "endpoint", "environment", "end_user"] as const),
  ...LOG_DIMENSIONS,
] as const;
export type Dimension = (typeof DIMENSIONS)[number];

type MetricFormat = {
  name: string;
  format: (value: number) => string;
  /** In rows, if it is not the same. */
  row?: (value: number) => string;
  short: (value: number) => string;
  /** Axis increments, if powers of ten are not round numbers. */
  steps?: number[];
};

const SECONDS = [
  1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400,
];
/** For days and longer. */
const HOURS = [36e4, 72e4, 18e5, 36e5, 72e5, 18e6, 36e6];

const compact = (value: number): string =>
  value.toLocaleString(LOCALE, { notation: "compact", maximumFractionDigits: 1 });

/** Whole dollars without cents. */
const axisMoney = (micros: number): string =>
  micros % 1e6 === 0
    ? (micros / 1e6).toLocaleString(LOCALE, { style: "currency", currency: "USD", maximumFractionDigits: 0 })
    : amount(micros);

/** The name of each metric and the format of its values; `short` is for axes. */
export const METRIC_FORMATS: Record<Metric, MetricFormat> = {
  requests: { name: "Requests", format: count, short: compact },
  errors: { name: "Errors", format: count, short: compact },
  characters: { name: "Characters", format: count, short: compact },
  audio_seconds: { name: "Audio", format: seconds, short: seconds, steps: [...SECONDS, ...HOURS] },
  tokens: { name: "Tokens", format: count, short: compact },
  cost_micros: { name: "Cost", format: cents, row: amount, short: axisMoney },
};

/** The usage of one group, in total and by bucket. `id` is "" for an ungrouped query, and for requests without a model. */
export type Group = { id: string; totals: Sums; buckets: Sums[] };

export const emptySums = (): Sums => ({
  requests: 0,
  errors: 0,
  characters: 0,
  audio_seconds: 0,
  tokens: 0,
  cost_micros: 0,
});

/** The groups, the most expensive first. */
export function groupsOf(rows: UsageRow[], by: Dimension | null, buckets: Span[]): Group[] {
  const groups = new Map<string, Group>();
  for (const row of rows) {
    const id = by === null ? "" : row.groups[by];
    const index = buckets.findIndex(({ start, end }) => start <= row.start && row.start < end);
    if (id === undefined || index < 0) continue; // the reply to a previous query
    const group = groups.get(id) ?? { id, totals: emptySums(), buckets: buckets.map(emptySums) };
    groups.set(id, group);
    for (const metric of METRICS) {
      group.totals[metric] += row[metric];
      group.buckets[index]![metric] += row[metric];
    }
  }
  return [...groups.values()].sort(
    (a, b) => b.totals.cost_micros - a.totals.cost_micros || b.totals.requests - a.totals.requests,
  );
}

/** Of everything, by bucket. */
export const sumsOf = (rows: UsageRow[], buckets: Span[]): Sums[] =>
  groupsOf(rows, null, buckets)[0]?.buckets ?? buckets.map(emptySums);

/** Each value with all before it. */
export function cumulative(values: number[]): number[] {
  let sum = 0;
  return values.map((value) => {
    sum += value;
    return sum;
  });
}

/** The change from before, in per cent; null if there was nothing before. */
export const changeOf = (now: number, before: number): number | null =>
  before === 0 ? null : Math.round(((now - before) / before) * 100);
