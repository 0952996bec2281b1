/** Percentiles of how long requests waited, in all, by hour or day, and by model. Pure. */
import type { Latency, LatencyMeasure } from "../../../ledger/ledger.ts";

const SECONDS = { hour: 3600, day: 86_400 };

type Of = { endpoint: string; measure: LatencyMeasure; bucket: "hour" | "day" };

export function latencyRecord(waits: Latency[], { endpoint, measure, bucket }: Of) {
  const length = SECONDS[bucket];
  const buckets = Map.groupBy(waits, ({ createdAt }) => createdAt - (createdAt % length));
  const models = Map.groupBy(waits, ({ model }) => model);
  const summed = (some: Latency[]) => ({ ...waitsOf(some), ...factorsOf(measure === "answer" ? some : []) });
  return {
    ...{ object: "latency" as const, endpoint, measure },
    ...summed(waits),
    data: [...buckets]
      .sort(([one], [other]) => one - other)
      .map(([start, some]) => ({ start, end: start + length, ...summed(some) })),
    models: [...models]
      .map(([model, some]) => ({ model, ...summed(some) }))
      .sort((one, other) => other.requests - one.requests),
  };
}

function waitsOf(all: Latency[]) {
  const sorted = ascending(all.map(({ waitMs }) => waitMs));
  return { requests: all.length, p50_ms: percentile(sorted, 0.5), p95_ms: percentile(sorted, 0.95) };
}

/** How long the answers took as parts of the length of their audio. */
function factorsOf(all: Latency[]) {
  const timed = all.filter(({ audioSeconds }) => audioSeconds > 0);
  const sorted = ascending(timed.map(({ waitMs, audioSeconds }) => waitMs / 1000 / audioSeconds));
  return { p50_realtime_factor: factorAt(sorted, 0.5), p95_realtime_factor: factorAt(sorted, 0.95) };
}

const ascending = (values: number[]): number[] => values.sort((one, other) => one - other);

/** With as many digits as one can tell apart. */
const factorAt = (sorted: number[], part: number): number | null => {
  const factor = percentile(sorted, part);
  return factor === null ? null : Number(factor.toPrecision(3));
};

/** The nearest rank; null of no values. `part`: from 0 to 1. */
export const percentile = (sorted: number[], part: number): number | null =>
  sorted[Math.ceil(sorted.length * part) - 1] ?? null;
