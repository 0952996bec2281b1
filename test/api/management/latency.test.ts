/** Promise: latency is the nearest-rank percentile of the time to the first audio, in all, by hour or day, and by model. */
import { expect, test } from "bun:test";
import { latencyRecord } from "../../../src/api/management/handlers/latency.ts";

const DAY = 86_400;
const wait = (createdAt: number, firstByteMs: number, model = "one") => ({ createdAt, firstByteMs, model });

test("of a hundred requests, half waited at most p50, and 95 at most p95", () => {
  const waits = Array.from({ length: 100 }, (_none, index) => wait(index, 100 - index));
  expect(latencyRecord(waits, "day")).toMatchObject({ requests: 100, p50_ms: 50, p95_ms: 95 });
});

test("days are in order, each with its own percentiles, and days without requests are left out", () => {
  const waits = [wait(2 * DAY + 5, 30), wait(10, 10), wait(20, 20)];
  expect(latencyRecord(waits, "day").data).toEqual([
    { start: 0, end: DAY, requests: 2, p50_ms: 10, p95_ms: 20 },
    { start: 2 * DAY, end: 3 * DAY, requests: 1, p50_ms: 30, p95_ms: 30 },
  ]);
});

test("without requests there is no percentile", () => {
  expect(latencyRecord([], "hour")).toEqual({
    ...{ object: "latency", requests: 0, p50_ms: null, p95_ms: null },
    data: [],
    models: [],
  });
});

test("models have their own percentiles, those with the most requests first", () => {
  const waits = [wait(1, 90, "two"), wait(2, 10), wait(3, 30)];
  expect(latencyRecord(waits, "day").models).toEqual([
    { model: "one", requests: 2, p50_ms: 10, p95_ms: 30 },
    { model: "two", requests: 1, p50_ms: 90, p95_ms: 90 },
  ]);
});
