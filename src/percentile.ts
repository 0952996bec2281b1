/** Percentiles of measured values. */

/** The nearest rank; null of no values. `part`: from 0 to 1. */
export const percentile = (sorted: number[], part: number): number | null =>
  sorted[Math.ceil(sorted.length * part) - 1] ?? null;
