/** Percentiles of the time to the first audio, in all, by hour or day, and by model. Pure. */
import type { Latency } from "../../../ledger/ledger.ts";

const SECONDS = { hour: 3600, day: 86_400 };

export function latencyRecord(waits: Latency[], bucket: "hour" | "day") {
  const length = SECONDS[bucket];
  const buckets = Map.groupBy(waits, ({ createdAt }) => createdAt - (createdAt % length));
  const models = Map.groupBy(waits, ({ model }) => model);
  return {
    object: "latency" as const,
    ...waitsOf(waits),
    data: [...buckets]
      .sort(([one], [other]) => one - other)
      .map(([start, some]) => ({ start, end: start + length, ...waitsOf(some) })),
    models: [...models]
      .map(([model, some]) => ({ model, ...waitsOf(some) }))
      .sort((one, other) => other.requests - one.requests),
  };
}

function waitsOf(all: Latency[]) {
  const sorted = all.map(({ firstByteMs }) => firstByteMs).sort((one, other) => one - other);
  return { requests: all.length, p50_ms: percentile(sorted, 0.5), p95_ms: percentile(sorted, 0.95) };
}

/** The nearest rank; null of no values. `part`: from 0 to 1. */
export const percentile = (sorted: number[], part: number): number | null =>
  sorted[Math.ceil(sorted.length * part) - 1] ?? null;
