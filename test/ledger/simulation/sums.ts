/** Sums as the reference model adds them up, of days and of budgets. */
import type { BudgetCount } from "../../../src/ledger/booking/rollup.ts";

/** Sums of periods, those that came to nothing left out. */
export function budgetsOf(counts: Omit<BudgetCount, "organizationId">[]): string[] {
  const sums = new Map<string, number>();
  for (const { subject, start, micros } of counts)
    sums.set(`${subject} ${start}`, (sums.get(`${subject} ${start}`) ?? 0) + micros);
  return [...sums].flatMap(([name, micros]) => (micros === 0 ? [] : `${name}: ${micros}`)).sort();
}

type Counted = { time: number; requests: number; quantity: number; micros: number; unmetered: number };

/** Sums of days, those that came to nothing left out. */
export function daysOf(counted: Counted[]): Counted[] {
  const days = Map.groupBy(counted, ({ time }) => time - (time % 86_400));
  return [...days]
    .map(([time, ofDay]) => {
      const sum = (name: Exclude<keyof Counted, "time">) =>
        ofDay.reduce((total, one) => total + one[name], 0);
      return {
        time,
        requests: sum("requests"),
        quantity: sum("quantity"),
        micros: sum("micros"),
        unmetered: sum("unmetered"),
      };
    })
    .filter((day) => [day.requests, day.quantity, day.micros, day.unmetered].some((one) => one !== 0))
    .sort((a, b) => a.time - b.time);
}
