/**
 * The business of a server by calendar month (UTC): what came in, was given, used and expired, and which organizations used most.
 * Pure; money is micros.
 */
import type { BusinessQuery, BusinessRows, BusinessSum } from "../db/queries/business-reads.ts";
import { monthOf, spanOf } from "./booking/burn-down.ts";

const MONTHS = 12;

/** `income`: bought, less what was refunded or disputed in the month; without tax. */
export type BusinessMonth = Record<BusinessSum | "income", number> & { month: number };

export type Business = {
  /** The oldest first; the last is the month that was asked for. */
  months: BusinessMonth[];
  most: BusinessRows["most"];
  load: BusinessRows["load"];
  /** Unix seconds, exclusive: of the month, and of the part of the month before that it is compared with. */
  end: number;
  comparedUntil: number;
};

/** The month before, as 202611. */
const before = (month: number): number => monthOf(spanOf(month).from - 1);

/** A month that has not ended is compared with as many days of the month before. */
export function businessQuery(month: number, now: number): BusinessQuery {
  const span = spanOf(month);
  const last = spanOf(before(month));
  let first = month;
  for (let each = 1; each < MONTHS; each++) first = before(first);
  const isOver = now >= span.to;
  const elapsed = Math.min(now, span.to) - span.from;
  const compared = isOver ? last.to : Math.min(last.from + wholeDays(elapsed), last.to);
  return {
    from: spanOf(first).from,
    to: span.to,
    now,
    month: span,
    before: { from: last.from, to: compared },
  };
}

const DAY = 86_400;
/** Including the day that has begun. */
const wholeDays = (seconds: number): number => (Math.floor(seconds / DAY) + 1) * DAY;

export function businessOf({ days, most, load }: BusinessRows, asked: BusinessQuery): Business {
  const months = new Map<number, BusinessMonth>();
  for (let month = monthOf(asked.from); month <= monthOf(asked.month.from); month = monthOf(spanOf(month).to))
    months.set(month, { month, ...NOTHING });
  for (const { start, what, micros } of days) {
    const month = months.get(monthOf(start))!;
    month[what] += micros;
    if (what === "bought") month.income += micros;
    if (what === "refunded") month.income -= micros;
  }
  const { month, before, now } = asked;
  return {
    months: [...months.values()],
    most,
    load,
    end: Math.min(month.to, now + 1),
    comparedUntil: before.to,
  };
}

const NOTHING = {
  ...{ bought: 0, given: 0, refunded: 0, corrected: 0, expired: 0, tax: 0, used: 0, cost: 0, income: 0 },
};
