/** What has been spent in this month and in the last one, day by day, and what this one is likely to come to. Pure. */
import type { Sums } from "../usage/aggregate.ts";
import { paceOf } from "../usage/pace.ts";

const DAY = 86_400;

/** Amounts in micros, each by the end of a day of its month; the last one of this month is of now. */
export type MonthCourse = {
  spent: number[];
  before: number[];
  /** At the pace of the last 7 days. */
  expected: number;
  /** Micros a day. */
  pace: number;
  /** Of this month. */
  dayCount: number;
};

/** `days`: the sums of each day from the first of the last month on, up to today. Times in Unix seconds. */
export function courseOf(
  days: readonly Sums[],
  months: { start: number; end: number },
  now: number,
): MonthCourse {
  const passed = Math.floor((now - months.start) / DAY) + 1;
  const split = days.length - passed;
  const spent = risingOf(days.slice(split));
  const pace = paceOf(days, now);
  return {
    spent,
    before: risingOf(days.slice(0, split)),
    expected: Math.round((spent.at(-1) ?? 0) + (pace * (months.end - now)) / DAY),
    pace,
    dayCount: (months.end - months.start) / DAY,
  };
}

function risingOf(days: readonly Sums[]): number[] {
  let sum = 0;
  return days.map(({ cost_micros }) => {
    sum += cost_micros;
    return sum;
  });
}

/** When an amount is used up, in Unix seconds; null where that is years away, or nothing is spent. */
export function usedUpAt(micros: number, pace: number, now: number): number | null {
  const days = pace > 0 ? micros / pace : Number.POSITIVE_INFINITY;
  return days > 730 ? null : now + Math.max(0, days) * DAY;
}
