/** Promise: charts and tables of usage match the server's sums, divided into hours, days and months in UTC. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { type ChartSeries, largest, OTHER, stacked, totalsOf } from "../../src/web/ui/chart/series.ts";
import { changeOf, cumulative, emptySums, groupsOf, METRICS } from "../../src/web/usage/aggregate.ts";
import {
  bucketsOf,
  byDays,
  customRange,
  dateAt,
  dateText,
  presetRange,
} from "../../src/web/usage/date-range.ts";

const HOUR = 3600;
const DAY = 24 * HOUR;
const NOW = Date.UTC(2026, 10, 21, 18, 45, 30) / 1000;
const lengths = (buckets: { start: number; end: number }[]) =>
  buckets.map(({ start, end }) => (end - start) / DAY);

describe("ranges", () => {
  test.each([
    ["1h", "minute", 60, "2026-11-21T17:46:00.000Z", "2026-11-21T18:46:00.000Z"],
    ["24h", "hour", 24, "2026-11-20T19:00:00.000Z", "2026-11-21T19:00:00.000Z"],
    ["7d", "day", 7, "2026-11-15T00:00:00.000Z", "2026-11-22T00:00:00.000Z"],
    ["30d", "day", 30, "2026-10-23T00:00:00.000Z", "2026-11-22T00:00:00.000Z"],
    ["90d", "day", 90, "2026-08-24T00:00:00.000Z", "2026-11-22T00:00:00.000Z"],
    ["12m", "month", 12, "2025-12-01T00:00:00.000Z", "2026-12-01T00:00:00.000Z"],
  ] as const)("%s by %s is %d buckets that end with the current one", (preset, size, count, start, end) => {
    const range = presetRange(preset, NOW);
    expect(range.size).toBe(size);
    expect([range.start, range.end].map((time) => new Date(time * 1000).toISOString())).toEqual([start, end]);
    expect(bucketsOf(range)).toHaveLength(count);
    expect(range.before).toEqual({ start: 2 * range.start - range.end, end: range.start });
  });

  test("months have their calendar lengths, and the range cuts the first and the last", () => {
    const [start, end] = [Date.UTC(2026, 0, 30) / 1000, Date.UTC(2026, 3, 2) / 1000];
    expect(lengths(bucketsOf({ start, end, size: "month" }))).toEqual([2, 28, 31, 1]);
  });

  test("any range is divided without gaps, covers the requested time, and is never longer than the server sums", () => {
    const time = fc.integer({ min: 1_700_000_000, max: 1_800_000_000 });
    fc.assert(
      fc.property(time, fc.integer({ min: 1, max: 500 * DAY }), (start, length) => {
        const range = customRange({ start, end: start + length });
        const buckets = bucketsOf(range);
        expect(range.start).toBeLessThanOrEqual(start);
        expect(range.end).toBeGreaterThanOrEqual(Math.min(start + length, start + 399 * DAY));
        expect(range.end - range.start).toBeLessThanOrEqual((range.size === "hour" ? 31 : 400) * DAY);
        expect(buckets[0]!.start).toBe(range.start);
        expect(buckets.at(-1)!.end).toBe(range.end);
        for (const [index, { start }] of buckets.slice(1).entries()) expect(start).toBe(buckets[index]!.end);
      }),
    );
  });

  test("hours become the whole days that they are in, and days and months stay", () => {
    const range = byDays(presetRange("24h", NOW));
    expect([range.start, range.end].map((time) => new Date(time * 1000).toISOString())).toEqual([
      "2026-11-20T00:00:00.000Z",
      "2026-11-22T00:00:00.000Z",
    ]);
    expect(range).toMatchObject({ size: "day", name: "2 days", before: { end: range.start } });
    for (const preset of ["30d", "12m"] as const)
      expect(byDays(presetRange(preset, NOW))).toEqual(presetRange(preset, NOW));
  });

  test("a date input holds a day in UTC", () => {
    expect(dateText(dateAt("2026-02-28"))).toBe("2026-02-28");
    expect(dateAt("")).toBeNaN();
  });
});

const row = (start: number, model: string, requests: number) => ({
  ...emptySums(),
  ...{ start, end: start + DAY, groups: { model }, requests, cost_micros: requests * 10 },
});

describe("groups", () => {
  const first = Date.UTC(2026, 5, 1) / 1000;
  const buckets = bucketsOf({ start: first, end: first + 3 * DAY, size: "day" });
  const rows = [
    row(first, "one", 1),
    row(first, "two", 5),
    row(first + 2 * DAY, "one", 2),
    row(first, "", 1),
  ];

  test("each has sums by bucket and in total, the most expensive first", () => {
    const groups = groupsOf(rows, "model", buckets);
    expect(
      groups.map(({ id, totals, buckets }) => [id, totals.requests, buckets.map(({ requests }) => requests)]),
    ).toEqual([
      ["two", 5, [5, 0, 0]],
      ["one", 3, [1, 0, 2]],
      ["", 1, [1, 0, 0]],
    ]);
  });

  test("without a dimension there is one group", () => {
    const [all, ...others] = groupsOf(rows, null, buckets);
    expect(others).toEqual([]);
    expect(METRICS.map((metric) => all!.totals[metric])).toEqual([9, 0, 0, 0, 0, 90]);
  });

  test("days are summed into months", () => {
    const months = bucketsOf({ start: first - DAY, end: first + 3 * DAY, size: "month" });
    const [all] = groupsOf([row(first - DAY, "one", 4), ...rows], null, months);
    expect(all!.buckets.map(({ requests }) => requests)).toEqual([4, 9]);
  });

  test.each([
    [110, 100, 10],
    [50, 100, -50],
    [5, 0, null],
    [0, 0, null],
  ])("%d after %d is a change of %p per cent", (now, before, change) => {
    expect(changeOf(now, before)).toBe(change);
  });
});

describe("series", () => {
  const series = fc
    .array(fc.array(fc.nat(1000), { minLength: 3, maxLength: 3 }), { maxLength: 20 })
    .map((all): ChartSeries[] =>
      all.map((values, index) => ({ id: String(index), name: `group ${index}`, values })),
    );

  test("at most eight series remain, with the same total", () => {
    fc.assert(
      fc.property(series, (all) => {
        const drawn = largest(all);
        const sums = drawn
          .filter(({ id }) => id !== OTHER)
          .map(({ values }) => values.reduce<number>((sum, value) => sum + value!, 0));
        expect(drawn.length).toBe(Math.min(all.length, 8));
        expect(sums).toEqual(sums.toSorted((a, b) => b - a));
        expect(totalsOf(drawn, 3)).toEqual(totalsOf(all, 3));
      }),
    );
  });

  test("values that add up keep the total that the series has", () => {
    expect(cumulative([3, 0, 4])).toEqual([3, 3, 7]);
    expect(cumulative([])).toEqual([]);
    const all = Array.from({ length: 9 }, (_, index) => ({
      ...{ id: String(index), name: "", total: 9 - index },
      values: cumulative([1, 8 - index]),
    }));
    expect(largest(all).at(-1)).toMatchObject({ id: OTHER, total: 2 + 1, values: [2, 3] });
  });

  test("each series is stacked on the ones before it, up to the total", () => {
    fc.assert(
      fc.property(series, (all) => {
        const stacks = stacked(all, 3);
        for (const [index, { values }] of all.entries()) {
          expect(values.map((value, bucket) => value! + (stacks[index - 1]?.[bucket] ?? 0))).toEqual(
            stacks[index]!,
          );
        }
        expect(stacks.at(-1) ?? [0, 0, 0]).toEqual(totalsOf(all, 3));
      }),
    );
  });
});
