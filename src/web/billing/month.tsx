/** This month's spending as a line, beside that of the last month, the limit, and what it is likely to come to. */
import { useRead } from "../api/queries.ts";
import { useOrganization } from "../api/session.ts";
import { useNow } from "../browser/now.ts";
import { cents } from "../format/dollars.ts";
import { LOCALE } from "../language/chosen.ts";
import { type Fact, Facts } from "../ui/facts.tsx";
import { Card } from "../ui/page.tsx";
import { sumsOf } from "../usage/aggregate.ts";
import { bucketsOf, monthStart } from "../usage/date-range.ts";
import { courseOf, type MonthCourse, usedUpAt } from "./month-course.ts";
import type { BillingState } from "./payments/billing-state.ts";

const EVERY_MS = 10_000;
const DAY = 86_400;
const [WIDTH, HEIGHT] = [600, 140];
const TOP = 6;

export function Month({ billing }: { billing: BillingState }) {
  const { id } = useOrganization();
  const now = useNow(60_000);
  const start = monthStart(now, -1);
  const end = (Math.floor(now / DAY) + 1) * DAY;
  const { data } = useRead(
    "GET /api/organizations/:organization/usage",
    { ids: { organization: id }, query: { start, end, bucket: "day" } },
    { everyMs: EVERY_MS, keep: true },
  );
  if (!data || data.totals.cost_micros === 0) return null;
  const days = sumsOf(data.data, bucketsOf({ start, end, size: "day" }));
  const course = courseOf(days, { start: monthStart(now, 0), end: monthStart(now, 1) }, now);
  const limit = billing.monthly_spending_limit_micros;
  return (
    <Card title="Spending this month" actions={<small>Days in UTC</small>}>
      <Lines course={course} limit={limit} />
      <Facts of={factsOf(course, { limit, balance: billing.balance_micros, now })} />
    </Card>
  );
}

function Lines({
  course: { spent, before, expected, dayCount },
  limit,
}: {
  course: MonthCourse;
  limit: number | null;
}) {
  const sums = [...spent, ...before, expected];
  const most = Math.max(...sums);
  const isLimitNear = limit !== null && limit < 2 * most;
  const highest = isLimitNear ? Math.max(most, limit) : most;
  const x = (day: number) => (WIDTH * day) / dayCount;
  const y = (micros: number) => HEIGHT - ((HEIGHT - TOP) * micros) / highest;
  const line = (sums: number[]) =>
    [`${x(0)},${y(0)}`, ...sums.map((sum, day) => `${x(day + 1).toFixed(1)},${y(sum).toFixed(1)}`)].join(" ");
  const today = spent.length;
  return (
    <svg className="month" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img">
      <title>{`Spent by day: ${cents(spent.at(-1) ?? 0)} so far, ${cents(before.at(-1) ?? 0)} in the last month.`}</title>
      {isLimitNear && <line className="limit" x1="0" x2={WIDTH} y1={y(limit)} y2={y(limit)} />}
      <polyline className="before" points={line(before.slice(0, dayCount))} />
      <polyline className="spent" points={line(spent)} />
      <line className="expected" x1={x(today)} y1={y(spent.at(-1) ?? 0)} x2={WIDTH} y2={y(expected)} />
    </svg>
  );
}

/** A name with its line before it. */
const Line = ({ kind, name }: { kind: "spent" | "expected" | "before"; name: string }) => (
  <>
    <svg className="month" viewBox="0 0 24 8" aria-hidden>
      <line className={kind} x1="0" x2="24" y1="4" y2="4" />
    </svg>
    {name}
  </>
);

const dayText = (time: number): string =>
  new Date(time * 1000).toLocaleDateString(LOCALE, { day: "numeric", month: "long", timeZone: "UTC" });

type Amounts = { limit: number | null; balance: number; now: number };

function factsOf({ spent, before, expected, pace }: MonthCourse, { limit, balance, now }: Amounts): Fact[] {
  const sofar = spent.at(-1) ?? 0;
  const limitAt = limit === null || expected < limit ? null : usedUpAt(limit - sofar, pace, now);
  const creditAt = balance > 0 ? usedUpAt(balance, pace, now) : null;
  return [
    [<Line key="spent" kind="spent" name="So far" />, cents(sofar)],
    [
      <Line key="expected" kind="expected" name="At the pace of the last 7 days" />,
      `${cents(expected)} by the end of the month`,
    ],
    [<Line key="before" kind="before" name="Last month" />, cents(before.at(-1) ?? 0)],
    ["The spending limit is reached", limitAt && `about ${dayText(limitAt)}`],
    ["The balance lasts until", creditAt && `about ${dayText(creditAt)}`],
  ];
}
