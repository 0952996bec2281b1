/** The last 30 days: tiles with the trend of each number, and a chart of one of them. */
import { useMemo, useState } from "react";
import { useRead } from "../api/queries.ts";
import { useHasRole, useOrganization } from "../api/session.ts";
import { useMatches } from "../browser/media.ts";
import { hrefOf } from "../browser/navigation.ts";
import { useNow } from "../browser/now.ts";
import { cents } from "../format/dollars.ts";
import { count, share } from "../format/numbers.ts";
import { ChartPart } from "../ui/chart/chart-part.tsx";
import { Card } from "../ui/page.tsx";
import { QueryBoundary } from "../ui/query-boundary.tsx";
import { emptySums, groupsOf, METRIC_FORMATS, type Metric, type Sums } from "../usage/aggregate.ts";
import { axisName, bucketsOf, presetRange, wholeName } from "../usage/date-range.ts";
import { requestsHref } from "../usage/filters.tsx";
import { Balance } from "./balance-tile.tsx";
import { Tile } from "./tile.tsx";

const EVERY_MS = 1000;
const DAY = 86_400;

/** The last 30 days by day, including today. */
export function useDays() {
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
  return { read, range, spans, days };
}

type Days = ReturnType<typeof useDays>;

export function Tiles({ days: { read, range, days } }: { days: Days }) {
  const { id, plan } = useOrganization();
  const hasCredit = useHasRole("admin") && plan === "prepaid";
  const usage = (metric: Metric) => `${hrefOf(id, "usage")}?metric=${metric}`;
  const course = (metric: Metric) => days.map((day) => day[metric]);
  const today = days.at(-1)!;
  return (
    <QueryBoundary of={read}>
      {({ totals: { requests, errors, cost_micros } }) => (
        <div className="tiles">
          <Tile
            name="Requests"
            value={count(requests)}
            hint={`30 days · ${count(today.requests)} today`}
            href={usage("requests")}
            course={course("requests")}
          />
          <Tile
            name={plan === "prepaid" ? "Cost" : "Cost at list price"}
            value={cents(cost_micros)}
            hint={`30 days · ${cents(today.cost_micros)} today`}
            href={usage("cost_micros")}
            course={course("cost_micros")}
          />
          <Tile
            name="Errors"
            value={count(errors)}
            hint={requests === 0 ? "30 days" : `${share(errors / requests)} of requests in 30 days`}
            href={requestsHref(id, { start: range.start, end: range.end, status: "4xx" })}
            course={course("errors")}
            tone={errors > 0 ? "bad" : undefined}
          />
          {hasCredit && <Balance days={days} />}
        </div>
      )}
    </QueryBoundary>
  );
}

const CHOICES: Metric[] = ["requests", "cost_micros", "errors"];

export function DailyChart({ days: { spans, days } }: { days: Days }) {
  const { id, plan } = useOrganization();
  const [metric, setMetric] = useState<Metric>("requests");
  const isWide = useMatches("(min-width: 100rem)");
  const format = METRIC_FORMATS[metric];
  const chart = useMemo(() => {
    const buckets = spans.map((span) => ({
      name: axisName(span.start, "day"),
      title: wholeName(span.start, "day"),
      href: requestsHref(id, span),
    }));
    return { buckets, series: [{ id: metric, name: format.name, values: days.map((day) => day[metric]) }] };
  }, [spans, days, id, metric, format]);
  const atListPrice = metric === "cost_micros" && plan !== "prepaid" ? ", at list price" : "";
  return (
    <Card
      className="chart-card"
      title={`${format.name} by day${atListPrice}`}
      actions={
        // biome-ignore lint/a11y/useSemanticElements: not a fieldset
        <span className="segments" role="group" aria-label="Metric">
          {CHOICES.map((each) => (
            <button key={each} type="button" aria-pressed={each === metric} onClick={() => setMetric(each)}>
              {METRIC_FORMATS[each].name}
            </button>
          ))}
        </span>
      }
    >
      <ChartPart
        key={metric}
        label={`${format.name} by day, last 30 days`}
        {...chart}
        format={format.format}
        short={format.short}
        height={isWide ? 340 : 220} // beside two cards, or above them
        isBrief
      />
      <small>Days in UTC. A bar opens its requests.</small>
    </Card>
  );
}
