/** Requests and cost today and in the last 30 days, and how long the balance will last. */
import { lazy, Suspense, useMemo } from "react";
import { Link } from "wouter";
import { cents, count, money } from "../lib/format.ts";
import { hrefOf } from "../lib/navigation.ts";
import { useNow } from "../lib/now.ts";
import { useRead } from "../lib/queries.ts";
import { useHasRole, useOrganization } from "../lib/session.ts";
import { Card, Figure, Figures } from "../ui/page.tsx";
import { QueryBoundary } from "../ui/query-boundary.tsx";
import { emptySums, groupsOf, type Sums } from "../usage/aggregate.ts";
import { axisName, bucketsOf, presetRange, wholeName } from "../usage/date-range.ts";
import { requestsHref } from "../usage/filters.tsx";

// loads the charting library after the numbers are on the page
const Chart = lazy(async () => ({ default: (await import("../ui/chart/chart.tsx")).Chart }));

const EVERY_MS = 1000;
const DAY = 86_400;
const PACE_DAYS = 7;

/** The last 30 days by day, including today. */
function useDays() {
  const { id } = useOrganization();
  const today = Math.floor(useNow(60_000) / DAY) * DAY;
  const range = useMemo(() => presetRange("30d", today), [today]);
  const { start, end } = range;
  const read = useRead(
    "GET /api/organizations/:organization/usage",
    { ids: { organization: id }, query: { start, end, bucket: "day" } },
    { everyMs: EVERY_MS, keep: true },
  );
  const spans = useMemo(() => bucketsOf(range), [range]);
  const days = useMemo((): Sums[] => {
    const [all] = groupsOf(read.data?.data ?? [], null, spans);
    return all?.buckets ?? spans.map(emptySums);
  }, [read.data, spans]);
  return { read, spans, days };
}

export function Summary() {
  const { id, plan } = useOrganization();
  const { read, spans, days } = useDays();
  const chart = useMemo(() => {
    const buckets = spans.map((span) => ({
      name: axisName(span.start, "day"),
      title: wholeName(span.start, "day"),
      href: requestsHref(id, span),
    }));
    const values = days.map(({ cost_micros }) => cost_micros);
    return { buckets, series: [{ id: "cost", name: "Cost", values }] };
  }, [spans, days, id]);
  const today = days.at(-1)!;
  const hasCredit = useHasRole("admin") && plan === "prepaid";
  return (
    <QueryBoundary of={read}>
      {({ totals }) => (
        <>
          <div className="columns summary">
            <SumsCard title="Today (UTC)" sums={today} />
            <SumsCard title="Last 30 days" sums={totals} />
          </div>
          <div className="columns">
            <Card
              title={plan === "prepaid" ? "Cost by day" : "Cost by day, at list price"}
              actions={<Link href={`${hrefOf(id, "usage")}?metric=cost_micros`}>Usage</Link>}
            >
              <Suspense fallback={<div className="chart-room" />}>
                <Chart label="Cost by day, last 30 days" {...chart} format={money} height={170} />
              </Suspense>
            </Card>
            {hasCredit && <Credit days={days} />}
          </div>
        </>
      )}
    </QueryBoundary>
  );
}

function SumsCard({ title, sums: { requests, cost_micros, errors } }: { title: string; sums: Sums }) {
  const share = requests === 0 ? 0 : (errors / requests) * 100;
  return (
    <Card title={title}>
      <Figures>
        <Figure name="Requests" value={count(requests)} />
        <Figure name="Cost" value={cents(cost_micros)} />
        <Figure
          name="Errors"
          value={count(errors)}
          hint={errors > 0 && `${share.toLocaleString(undefined, { maximumFractionDigits: 1 })} %`}
        />
      </Figures>
    </Card>
  );
}

/** For roles that may view billing. */
function Credit({ days }: { days: Sums[] }) {
  const { id } = useOrganization();
  const now = useNow(60_000);
  const billing = useRead(
    "GET /api/organizations/:organization/billing",
    { ids: { organization: id } },
    { everyMs: EVERY_MS },
  );
  const spent = days.slice(-PACE_DAYS).reduce((sum, { cost_micros }) => sum + cost_micros, 0);
  // today counts as far as it has passed
  const pace = spent / (PACE_DAYS - 1 + (now % DAY) / DAY);
  return (
    <Card title="Credit" actions={<Link href={hrefOf(id, "billing")}>Billing</Link>}>
      <QueryBoundary of={billing}>
        {({ balance_micros, month_to_date_micros, monthly_spending_limit_micros: limit }) => (
          <Figures>
            <Figure name="Balance" value={cents(balance_micros)} hint={runwayText(balance_micros, pace)} />
            <Figure
              name="This month (UTC)"
              value={cents(month_to_date_micros)}
              hint={limit === null ? "No spending limit" : `of ${money(limit)}`}
            />
          </Figures>
        )}
      </QueryBoundary>
    </Card>
  );
}

/** `pace` in micros a day. */
function runwayText(balanceMicros: number, pace: number): string {
  if (balanceMicros <= 0) return "Out of credits";
  if (pace <= 0) return "No spending in the last 7 days";
  const days = balanceMicros / pace;
  return `${capacityText(days)} at the rate of the last 7 days`;
}

function capacityText(days: number): string {
  if (days < 1) return "Less than a day";
  if (days > 730) return "More than 2 years";
  return `About ${count(Math.floor(days))} ${days < 2 ? "day" : "days"}`;
}
