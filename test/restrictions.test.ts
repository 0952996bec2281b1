/** Promise: a budget's periods begin at midnight, on Monday and with the month (UTC), and a budget that is set or reset begins unused. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { capsOf, restrictedTo, withUnusedBudget } from "../src/accounts/restricting.ts";
import { budgetsAt, endOf, type NewRestrictions, restrictionsRecord, startOf } from "../src/restrictions.ts";

const at = (text: string) => Date.parse(text) / 1000;
const budget = (interval: "day" | "week" | "month" | "total", since = 0) => ({
  limit_micros: 1,
  interval,
  since,
});

describe("a period", () => {
  test.each([
    ["day", "2026-01-31T23:59:59Z", "2026-01-31T00:00:00Z", "2026-02-01T00:00:00Z"],
    ["day", "2026-02-01T00:00:00Z", "2026-02-01T00:00:00Z", "2026-02-02T00:00:00Z"],
    ["week", "2026-01-04T23:59:59Z", "2025-12-29T00:00:00Z", "2026-01-05T00:00:00Z"], // a Sunday
    ["week", "2026-01-05T00:00:00Z", "2026-01-05T00:00:00Z", "2026-01-12T00:00:00Z"], // a Monday
    ["month", "2028-02-29T23:59:59Z", "2028-02-01T00:00:00Z", "2028-03-01T00:00:00Z"],
    ["month", "2026-12-31T23:59:59Z", "2026-12-01T00:00:00Z", "2027-01-01T00:00:00Z"],
    ["month", "2027-01-01T00:00:00Z", "2027-01-01T00:00:00Z", "2027-02-01T00:00:00Z"],
  ] as const)("of a %s that has %s is from %s to %s", (interval, now, from, to) => {
    expect(startOf(budget(interval), at(now))).toBe(at(from));
    expect(endOf(budget(interval), at(now))).toBe(at(to));
  });

  test("begins when its budget was set, where that is later, and a total one has no end", () => {
    const since = at("2026-01-10T12:00:00Z");
    expect(startOf(budget("month", since), since + 60)).toBe(since);
    expect(startOf(budget("month", since), at("2026-02-03T00:00:00Z"))).toBe(at("2026-02-01T00:00:00Z"));
    expect(startOf(budget("total", since), at("2036-01-01T00:00:00Z"))).toBe(since);
    expect(endOf(budget("total", since), since)).toBeNull();
  });

  test("is followed by the next without a gap, at any time", () => {
    const interval = fc.constantFrom("day", "week", "month" as const);
    fc.assert(
      fc.property(interval, fc.integer({ min: 0, max: 4e9 }), (each, now) => {
        const of = budget(each as "day");
        const [start, end] = [startOf(of, now), endOf(of, now)!];
        expect(start).toBeLessThanOrEqual(now);
        expect(end).toBeGreaterThan(now);
        expect(startOf(of, end - 1)).toBe(start);
        expect(startOf(of, end)).toBe(end);
      }),
    );
  });
});

describe("restrictions", () => {
  const monthly: NewRestrictions = { budget: { limit_micros: 5, interval: "month" } };

  test("keep a budget that stays as it was, and begin any other unused", () => {
    const first = restrictedTo(monthly, null, 100)!;
    expect(restrictedTo({ ...monthly, limits: { requests_per_minute: 3 } }, first, 200)?.budget).toEqual(
      first.budget!,
    );
    const raised = restrictedTo({ budget: { limit_micros: 6, interval: "month" } }, first, 200)!;
    expect(startOf(raised.budget!, 200)).toBe(200);
    expect(restrictedTo({ budget: { limit_micros: 5, interval: "day" } }, first, 200)?.budget?.since).toBe(
      200,
    );
  });

  test("are another period after each reset, however soon", () => {
    let set = restrictedTo(monthly, null, 0)!;
    const starts = new Set<number>();
    for (let times = 0; times < 5; times++) {
      starts.add(startOf(set.budget!, 100));
      set = withUnusedBudget(set, 100)!;
    }
    expect(starts.size).toBe(5);
  });

  test("that restrict nothing are none", () => {
    const nothing: NewRestrictions[] = [
      {},
      { budget: null },
      { limits: {} },
      { limits: { requests_per_minute: null } },
    ];
    for (const fields of nothing) expect(restrictedTo(fields, null, 0)).toBeNull();
    expect(restrictedTo(null, restrictedTo(monthly, null, 0), 0)).toBeNull();
  });

  test("are shown as they were given", () => {
    const given = { ...monthly, limits: { concurrent_requests: 2 } };
    const none = { models: null, voices: null, addresses: null };
    expect(restrictionsRecord(restrictedTo(given, null, 7))).toEqual({ ...none, ...given } as never);
    expect(restrictionsRecord(null)).toBeNull();
  });

  test("of a key come before those of its project, and budgets are of either", () => {
    const limits = restrictedTo({ limits: { requests_per_minute: 1 } }, null, 0);
    const caps = capsOf(
      { id: "key_1", restrictions: limits },
      { id: "proj_1", restrictions: restrictedTo(monthly, null, 9) },
    );
    expect(caps.map(({ subject }) => subject)).toEqual(["key_1", "proj_1"]);
    expect(budgetsAt(caps, 10).periods).toEqual([["proj_1", 9]]);
    expect(capsOf({ id: "key_1", restrictions: null }, { id: "proj_1", restrictions: null })).toEqual([]);
  });
});
