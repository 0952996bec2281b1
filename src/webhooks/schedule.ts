/**
 * When a delivery is attempted again. Pure.
 *
 *   attempt   1   2     3      4       5    6    7     8     9     10
 *   after     0   5 s   5 min  30 min  2 h  5 h  10 h  14 h  20 h  24 h, each ±20 %
 */

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

const PAUSES_MS = [
  ...[5 * SECOND_MS, 5 * MINUTE_MS, 30 * MINUTE_MS],
  ...[2, 5, 10, 14, 20, 24].map((hours) => hours * HOUR_MS),
];
const SPREAD = 0.2;
const RETRY_AFTER_MAX_MS = 24 * HOUR_MS;

/** What an endpoint answered, or why it did not. `error` null: it took the event. `retryAfter`: the header. */
export type Met = { statusCode: number | null; error: string | null; retryAfter?: string | undefined };

/** Milliseconds from a failed attempt, counted from 1, until the next one; null after the last. `random`: from 0 to 1. */
export function pauseAfter(
  attempt: number,
  { statusCode, retryAfter }: Pick<Met, "statusCode" | "retryAfter">,
  { random, nowMs }: { random: number; nowMs: number },
): number | null {
  const pause = PAUSES_MS[attempt - 1];
  if (pause === undefined) return null;
  const spread = pause * (1 - SPREAD + 2 * SPREAD * random);
  const isBusy = statusCode === 429 || statusCode === 503;
  return Math.round(Math.max(spread, isBusy ? waitOf(retryAfter, nowMs) : 0));
}

/** Seconds or a date, up to a day; 0 where it is neither. */
function waitOf(retryAfter: string | undefined, nowMs: number): number {
  const text = retryAfter?.trim() ?? "";
  const ms = /^\d+$/.test(text) ? Number(text) * SECOND_MS : Date.parse(text) - nowMs;
  return Number.isNaN(ms) ? 0 : Math.min(Math.max(0, ms), RETRY_AFTER_MAX_MS);
}
