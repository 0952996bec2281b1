/**
 * The rate-limit headers of a response, three for each bucket that a request took from, with durations in the format
 * that stock clients parse.
 *
 *   x-ratelimit-limit-requests: 20     x-ratelimit-remaining-requests: 19     x-ratelimit-reset-requests: 3s
 */
import type { BucketState } from "../../usage/admission.ts";

/** All of them, for CORS. */
export const RATE_LIMIT_HEADERS = ["requests", "characters", "seconds"].flatMap((bucket) => [
  `x-ratelimit-limit-${bucket}`,
  `x-ratelimit-remaining-${bucket}`,
  `x-ratelimit-reset-${bucket}`,
]);

export const rateLimitHeaders = (states: BucketState[]): Record<string, string> =>
  Object.assign({}, ...states.map(headersOf));

const headersOf = ({ bucket, perMinute, points, resetMs }: BucketState) => ({
  [`x-ratelimit-limit-${bucket}`]: String(perMinute),
  [`x-ratelimit-remaining-${bucket}`]: String(Math.floor(points)),
  [`x-ratelimit-reset-${bucket}`]: durationText(resetMs),
});

/** 20ms, 1.5s, 6m0s, 0s. */
function durationText(ms: number): string {
  const whole = Math.max(0, Math.ceil(ms));
  if (whole === 0) return "0s";
  if (whole < 1000) return `${whole}ms`;
  const seconds = (whole % 60_000) / 1000;
  const minutes = Math.floor(whole / 60_000) % 60;
  const hours = Math.floor(whole / 3_600_000);
  if (hours > 0) return `${hours}h${minutes}m${seconds}s`;
  return minutes > 0 ? `${minutes}m${seconds}s` : `${seconds}s`;
}
