/** Rows of sums, as the server answers them, into the buckets and groups of a page. Pure. */

import { cents, count, seconds } from "../lib/format.ts";
import type { Reply } from "../lib/server.ts";
import type { Span } from "./date-range.ts";

type UsageAnswer = Reply<"GET /api/organizations/:organization/usage">;
type UsageRow = UsageAnswer["data"][number];
export type Sums = UsageAnswer["totals"];

export const METRICS = ["requests", "errors", "characters", "audio_seconds", "cost_micros"] as const;
export type Metric = (typeof METRICS)[number];
export const DIMENSIONS = ["project", "key", "model", "endpoint", "environment"] as const;
export type Dimension = (typeof DIMENSIONS)[number];

type Look = {
  name: string;
  format: (value: number) => string;
  short: (value: number) => string;
  /** What an axis counts in, where tens are not round. */
  steps?: number[];
};

const SECONDS = [
  1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400,
];
/** Days and more are counted in hours. */
const HOURS = [36e4, 72e4, 18e5, 36e5, 72e5, 18e6, 36e6];

const compact = (value: number): string =>
  value.toLocaleString(undefined, { notation: "compact", maximumFractionDigits: 1 });

/** How a metric is called, and how its values read; `short` at an axis. */
export const LOOKS: Record<Metric, Look> = {
  requests: { name: "Requests", format: count, short: compact },
  errors: { name: "Errors", format: count, short: compact },
  characters: { name: "Characters", format: count, short: compact },
  audio_seconds: { name: "Audio", format: seconds, short: seconds, steps: [...SECONDS, ...HOURS] },
  cost_micros: { name: "Cost", format: cents, short: cents },
};

/** What one group used, in all and bucket by bucket. `id` is "" where everything is one group, or for no model. */
export type Group = { id: string; totals: Sums; buckets: Sums[] };

export const nothing = (): Sums => ({
  requests: 0,
  errors: 0,
  characters: 0,
  audio_seconds: 0,
  cost_micros: 0,
});

/** The groups, those with the most first. */
export function groupsOf(rows: UsageRow[], by: Dimension | null, buckets: Span[]): Group[] {
  const groups = new Map<string, Group>();
  for (const row of rows) {
    const id = by === null ? "" : row.groups[by];
    const at = buckets.findIndex(({ start, end }) => start <= row.start && row.start < end);
    if (id === undefined || at < 0) continue; // of an answer to what was asked before
    const group = groups.get(id) ?? { id, totals: nothing(), buckets: buckets.map(nothing) };
    groups.set(id, group);
    for (const metric of METRICS) {
      group.totals[metric] += row[metric];
      group.buckets[at]![metric] += row[metric];
    }
  }
  return [...groups.values()].sort(
    (a, b) => b.totals.cost_micros - a.totals.cost_micros || b.totals.requests - a.totals.requests,
  );
}

/** How much more than before, in per cent; null where there was nothing before. */
export const changeOf = (now: number, before: number): number | null =>
  before === 0 ? null : Math.round(((now - before) / before) * 100);
