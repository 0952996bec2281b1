/** Percentiles of the time to the first audio, in all and by hour or day. Pure. */
import type { Latency } from "../../../ledger/ledger.ts";

const SECONDS = { hour: 3600, day: 86_400 };

export function latencyRecord(waits: Latency[], bucket: "hour" | "day") {
  const length = SECONDS[bucket];
  const buckets = new Map<number, number[]>();
  for (const { createdAt, firstByteMs } of waits) {
    const start = createdAt - (createdAt % length);
    const waitsMs = buckets.get(start);
    if (waitsMs) waitsMs.push(firstByteMs);
    else buckets.set(start, [firstByteMs]);
  }
  return {
    object: "latency" as const,
    ...waitsOf(waits.map(({ firstByteMs }) => firstByteMs)),
    data: [...buckets]
      .sort(([one], [other]) => one - other)
      .map(([start, waitsMs]) => ({ start, end: start + length, ...waitsOf(waitsMs) })),
  };
}

function waitsOf(all: number[]) {
  const sorted = all.toSorted((one, other) => one - other);
  return { requests: all.length, p50_ms: percentile(sorted, 0.5), p95_ms: percentile(sorted, 0.95) };
}

/** The nearest rank; null of no values. `part`: from 0 to 1. */
export const percentile = (sorted: number[], part: number): number | null =>
  sorted[Math.ceil(sorted.length * part) - 1] ?? null;
