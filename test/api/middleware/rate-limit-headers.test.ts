/** Promise: bucket states become three headers each, with durations in the format that stock clients parse. */
import { expect, test } from "bun:test";
import { RATE_LIMIT_HEADERS, rateLimitHeaders } from "../../../src/api/middleware/response-headers.ts";

test.each([
  [0, "0s"],
  [-5, "0s"],
  [0.2, "1ms"],
  [20, "20ms"],
  [999, "999ms"],
  [1000, "1s"],
  [1500, "1.5s"],
  [59_999, "59.999s"],
  [60_000, "1m0s"],
  [61_500, "1m1.5s"],
  [360_000, "6m0s"],
  [3_600_000, "1h0m0s"],
])("%d ms is written as %s", (ms, written) => {
  const state = { bucket: "requests", perMinute: 1, points: 1, resetMs: ms } as const;
  expect(rateLimitHeaders([state])["x-ratelimit-reset-requests"]).toBe(written);
  expect(written).toMatch(/^(\d+h)?(\d+m)?(\d+(\.\d+)?(ms|s))$/);
});

test("each bucket has three headers, all of them exposed to web pages", () => {
  const requests = { bucket: "requests", perMinute: 20, points: 18.9, resetMs: 6000 } as const;
  const seconds = { bucket: "seconds", perMinute: 1800, points: 0, resetMs: 60_000 } as const;
  const headers = rateLimitHeaders([requests, seconds]);
  expect(headers).toEqual({
    "x-ratelimit-limit-requests": "20",
    "x-ratelimit-remaining-requests": "18",
    "x-ratelimit-reset-requests": "6s",
    "x-ratelimit-limit-seconds": "1800",
    "x-ratelimit-remaining-seconds": "0",
    "x-ratelimit-reset-seconds": "1m0s",
  });
  expect(Object.keys(headers).filter((name) => !RATE_LIMIT_HEADERS.includes(name))).toEqual([]);
});
