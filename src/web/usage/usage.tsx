/** Usage: how much of what, when, by whom. The address says what is shown, and everything leads to its requests. */
import { useMemo } from "react";
import { download } from "../lib/export.ts";
import { useNow } from "../lib/now.ts";
import { useRead } from "../lib/queries.ts";
import { useOrganization } from "../lib/session.ts";
import { Button } from "../ui/button.tsx";
import { Chart } from "../ui/chart/chart.tsx";
import { Card, Page } from "../ui/page.tsx";
import { QueryBoundary } from "../ui/query-boundary.tsx";
import "../style/usage.css";
import { DIMENSIONS, type Group, groupsOf, LOOKS, nothing } from "./aggregate.ts";
import { axisName, bucketsOf, wholeName } from "./date-range.ts";
import { FilterBar, filterQuery, filtersIn, filterTo, requestsHref, useAddress } from "./filters.tsx";
import { useNames } from "./names.ts";
import { GroupChoice, MetricTabs, metricIn, RangeChoice, rangeIn } from "./usage-controls.tsx";
import { Groups, type GroupsProps } from "./usage-groups.tsx";

const EVERY_MS = 1000;
const LONG_EVERY_MS = 10_000; // a month by the hour is thousands of rows
const LONG_HOURS = 48;

export function Usage() {
  const [search] = useAddress();
  const minute = Math.floor(useNow(60_000) / 60) * 60;
  const names = useNames();
  const { id } = useOrganization();
  const filters = filterQuery(filtersIn(search));
  const range = useMemo(() => rangeIn(search, minute), [search, minute]);
  const by = DIMENSIONS.find((name) => name === search.get("by")) ?? null;
  const given = { ids: { organization: id } };
  const bucket = range.size === "hour" ? ("hour" as const) : ("day" as const);
  const { before, start, end } = range;
  const query = { ...filters, start, end, bucket, ...(by ? { group_by: by } : {}) };
  const usage = useRead(
    "GET /api/organizations/:organization/usage",
    { ...given, query },
    { everyMs: bucket === "hour" && end - start > LONG_HOURS * 3600 ? LONG_EVERY_MS : EVERY_MS, keep: true },
  );
  const earlier = useRead("GET /api/organizations/:organization/usage", {
    ...given,
    query: { ...filters, ...before, bucket },
  });
  const groups = useMemo(
    () => groupsOf(usage.data?.data ?? [], by, bucketsOf(range)),
    [usage.data, by, range],
  );
  return (
    <Page title="Usage" actions={<Exports groups={groups} {...{ by, range, names }} />}>
      <div className="filters">
        <RangeChoice range={range} />
        <GroupChoice />
        <FilterBar names={names} />
      </div>
      <QueryBoundary of={usage}>
        {({ totals }) => (
          <>
            <MetricTabs totals={totals} before={earlier.data?.totals ?? null} than={range.name} />
            <Shown {...{ groups, by, range, names }} />
          </>
        )}
      </QueryBoundary>
    </Page>
  );
}

/** The chart of a metric, and what stands behind it. */
function Shown({ groups, by, range, names }: GroupsProps) {
  const [search] = useAddress();
  const { id } = useOrganization();
  const metric = metricIn(search);
  const look = LOOKS[metric];
  const drawn = useMemo(() => {
    const filters = filtersIn(search);
    const spans = bucketsOf(range);
    const buckets = spans.map((span) => ({
      name: axisName(span.start, range.size),
      title: wholeName(span.start, range.size),
      href: requestsHref(id, { ...filters, ...span }),
    }));
    const series = (groups.length > 0 ? groups : [NO_GROUP]).map((group) => ({
      id: group.id,
      name: by ? names.nameOf(by, group.id) : LOOKS[metric].name,
      values: spans.map((_span, at) => group.buckets[at]?.[metric] ?? 0),
      hrefs: spans.map((span) =>
        requestsHref(id, { ...filters, ...(by ? filterTo(by, group.id) : {}), ...span }),
      ),
    }));
    return { buckets, series };
  }, [groups, by, range, names, metric, search, id]);
  const title = `${look.name} by ${range.size}`;
  return (
    <div role="tabpanel" id="metric" aria-labelledby={`metric-${metric}`} className="panel">
      <Card title={title} actions={<small>{UTC[range.size]} are UTC.</small>}>
        <Chart
          key={by ?? ""}
          label={`${title}, ${range.name}${by ? `, by ${by}` : ""}`}
          {...drawn}
          format={look.format}
          short={look.short}
          {...(look.steps ? { steps: look.steps } : {})}
        />
      </Card>
      <Groups {...{ groups, by, range, names }} />
    </div>
  );
}

const NO_GROUP: Group = { id: "", totals: nothing(), buckets: [] };
const UTC = { hour: "Hours", day: "Days", month: "Months" };

/** Exactly what is shown: the groups, bucket by bucket. */
function Exports({ groups, by, range, names }: GroupsProps) {
  const save = (format: "csv" | "json") => {
    const spans = bucketsOf(range);
    const rows = groups.flatMap((group) =>
      spans.map(({ start, end }, at) => ({
        start: new Date(start * 1000).toISOString(),
        end: new Date(end * 1000).toISOString(),
        ...(by ? { [by]: group.id, [`${by}_name`]: names.nameOf(by, group.id) } : {}),
        ...group.buckets[at]!,
      })),
    );
    download("usage", format, rows);
  };
  return (
    <>
      <Button disabled={groups.length === 0} onClick={() => save("csv")}>
        Export CSV
      </Button>
      <Button disabled={groups.length === 0} onClick={() => save("json")}>
        Export JSON
      </Button>
    </>
  );
}
