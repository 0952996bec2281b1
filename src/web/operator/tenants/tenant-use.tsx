/** What an organization used in the last 30 days: in all, and its requests by day. */
import { useMemo } from "react";
import type { Reply } from "../../api/server.ts";
import { useNow } from "../../browser/now.ts";
import { cents, money } from "../../format/dollars.ts";
import { count, share } from "../../format/numbers.ts";
import { ChartPart } from "../../ui/chart/chart-part.tsx";
import { Card, Figure, Figures } from "../../ui/page.tsx";
import { sumsOf } from "../../usage/aggregate.ts";
import { bucketsOf, namesOf, presetRange } from "../../usage/date-range.ts";

type Detail = Reply<"GET /api/operator/organizations/:tenant">;

export function Use({ tenant }: { tenant: Detail }) {
  const { totals } = tenant.usage;
  const limit = tenant.monthly_spending_limit_micros;
  return (
    <Card title="Last 30 days">
      <Figures>
        <Figure name="Requests" value={count(totals.requests)} />
        <Figure
          name="Errors"
          value={count(totals.errors)}
          hint={totals.requests > 0 && share(totals.errors / totals.requests)}
        />
        <Figure
          name={tenant.plan === "prepaid" ? "Cost" : "Cost at list price"}
          value={cents(totals.cost_micros)}
        />
        {tenant.plan === "prepaid" && (
          <>
            <Figure
              name="Balance"
              value={cents(tenant.balance_micros)}
              hint={tenant.overdraft_micros > 0 && `${money(tenant.overdraft_micros)} overdrawn`}
            />
            <Figure
              name="This month (UTC)"
              value={cents(tenant.month_to_date_micros)}
              hint={limit === null ? "No spending limit" : `of ${money(limit)}`}
            />
          </>
        )}
      </Figures>
      {totals.requests > 0 && <Course rows={tenant.usage.data} />}
    </Card>
  );
}

const DAY = 86_400;
const HEIGHT = 160;

/** Requests by day and outcome. */
function Course({ rows }: { rows: Detail["usage"]["data"] }) {
  const today = Math.floor(useNow(60_000) / DAY) * DAY;
  const chart = useMemo(() => {
    const spans = bucketsOf(presetRange("30d", today));
    const days = sumsOf(rows, spans);
    return {
      buckets: spans.map((span) => namesOf(span, "day")),
      series: [
        {
          ...{ id: "succeeded", name: "Succeeded", colour: 3 },
          values: days.map(({ requests, errors }) => requests - errors),
        },
        { id: "errors", name: "Errors", colour: 5, values: days.map(({ errors }) => errors) },
      ],
    };
  }, [rows, today]);
  return <ChartPart label="Requests by day, last 30 days" {...chart} format={count} height={HEIGHT} />;
}
