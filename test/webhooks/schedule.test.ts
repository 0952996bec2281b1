/** Promise: a delivery is attempted ten times within four days, and never before an endpoint that is busy asks for it. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import { pauseAfter } from "../../src/webhooks/deliveries.ts";

const HOUR_MS = 3_600_000;
const nowMs = Date.UTC(2026, 0, 2);
const failed = { statusCode: 500, error: "It answered 500." };

test("attempts follow the schedule of Standard Webhooks", () => {
  const pauses = Array.from({ length: 10 }, (_, at) => pauseAfter(at + 1, failed, { random: 0.5, nowMs }));
  const hours = [2, 5, 10, 14, 20, 24].map((count) => count * HOUR_MS);
  expect(pauses).toEqual([5000, 300_000, 1_800_000, ...hours, null]);
});

test("each pause is spread by a fifth to both sides", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 9 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (attempt, random) => {
        const middle = pauseAfter(attempt, failed, { random: 0.5, nowMs })!;
        const pause = pauseAfter(attempt, failed, { random, nowMs })!;
        expect(pause).toBeGreaterThanOrEqual(Math.floor(middle * 0.8));
        expect(pause).toBeLessThanOrEqual(Math.ceil(middle * 1.2));
      },
    ),
  );
});

test.each([
  ["seconds", "120", 120_000],
  ["a date", new Date(nowMs + 90_000).toUTCString(), 90_000],
  ["more than a day", "999999999", 24 * HOUR_MS],
  ["less than the schedule", "1", 5000],
  ["nonsense", "soon", 5000],
  ["a date that is past", new Date(nowMs - 90_000).toUTCString(), 5000],
])("a busy endpoint's retry-after of %s is honoured up to a day", (_, retryAfter, pauseMs) => {
  for (const statusCode of [429, 503])
    expect(pauseAfter(1, { statusCode, retryAfter }, { random: 0.5, nowMs })).toBe(pauseMs);
  expect(pauseAfter(1, { statusCode: 500, retryAfter }, { random: 0.5, nowMs })).toBe(5000);
});

test("no answer, however malformed, makes a pause that is not a number within a day or the schedule", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 9 }), fc.string(), (attempt, retryAfter) => {
      const pause = pauseAfter(attempt, { statusCode: 429, retryAfter }, { random: 0.5, nowMs })!;
      expect(pause).toBeGreaterThan(0);
      expect(pause).toBeLessThanOrEqual(24 * HOUR_MS * 1.2);
    }),
  );
});
