/** How many requests there were over time, above their list; a bar selects its time. */
import { useMemo } from "react";
import { useRead } from "../api/queries.ts";
import { searchOf } from "../api/server.ts";
import { useOrganization } from "../api/session.ts";
import { hrefOf } from "../browser/navigation.ts";
import { count } from "../format/numbers.ts";
import { chartsTexts } from "../language/en/charts.ts";
import { Chart } from "../ui/chart/chart.tsx";
import { Card } from "../ui/page.tsx";
import { captionOf } from "../usage/captions.ts";
import { bucketsOf, customRange, namesOf } from "../usage/date-range.ts";
import { filtersOf, useAddress } from "../usage/filters.tsx";
import type { RequestQuery } from "./request-pages.ts";

const DAY = 86_400;
const HEIGHT = 110;
const EVERY_MS = 10_000;

/** `now` in Unix seconds. Nothing with filters that sums do not know: by outcome, id, end user, label or language. */
export function RequestStrip({ query, now }: { query: RequestQuery; now: number }) {
  const { status, error_code, id, end_user, label, language, ...known } = query;
  if (status || error_code || id || end_user || label || language) return null;
  return <Strip query={known} now={now} />;
}

type Sums = Omit<RequestQuery, "status" | "error_code" | "id" | "end_user" | "label" | "language">;

function Strip({ query, now }: { query: Sums; now: number }) {
  const { id } = useOrganization();
  const [search] = useAddress();
  const { start = now - DAY, end = now } = query;
  const range = useMemo(() => customRange({ start, end }), [start, end]);
  const bucket = range.size === "hour" ? ("hour" as const) : ("day" as const);
  const { data } = useRead(
    "GET /api/organizations/:organization/usage",
    { ids: { organization: id }, query: { ...query, start: range.start, end: range.end, bucket } },
    { everyMs: EVERY_MS, keep: true },
  );
  const chart = useMemo(() => {
    const spans = bucketsOf(range);
    const filters = filtersOf(search);
    const found = (from: number, to: number) =>
      (data?.data ?? []).filter((each) => each.start >= from && each.start < to);
    return {
      buckets: spans.map((span) => ({
        ...namesOf(span, range.size),
        href: hrefOf(id, "requests") + searchOf({ ...filters, ...span }),
      })),
      values: spans.map((span) =>
        found(span.start, span.end).reduce((sum, { requests }) => sum + requests, 0),
      ),
    };
  }, [data, range, search, id]);
  if (data?.totals.requests === 0) return null;
  if (!data)
    return (
      <Card title="Requests">
        <div style={{ height: HEIGHT }} />
      </Card>
    );
  const name = chartsTexts()("requests");
  const { requests } = data.totals;
  const title = requests === 1 ? "1 request" : `${count(requests)} requests`;
  return (
    <Card title={title} actions={<small>{query.start ? range.name : "Last 24 hours"}, in UTC</small>}>
      <Chart
        label={captionOf(name, range)}
        buckets={chart.buckets}
        series={[{ id: "requests", name, values: chart.values }]}
        format={count}
        height={HEIGHT}
        isBrief
      />
    </Card>
  );
}
