/** The usage page: totals, a chart and groups. The address holds the whole state; all numbers link to their requests. */
import { useMemo } from "react";
import { useRead } from "../api/queries.ts";
import { useOrganization } from "../api/session.ts";
import { useNow } from "../browser/now.ts";
import { isoOf } from "../format/times.ts";
import { chartsTexts } from "../language/en/charts.ts";
import { Button } from "../ui/button.tsx";
import { Chart } from "../ui/chart/chart.tsx";
import { ExportButtons } from "../ui/export-buttons.tsx";
import { Card, Page } from "../ui/page.tsx";
import { QueryBoundary } from "../ui/query-boundary.tsx";
import {
  cumulative,
  DIMENSIONS,
  type Dimension,
  emptySums,
  type Group,
  groupsOf,
  isOfLog,
  METRIC_FORMATS,
} from "./aggregate.ts";
import { captionOf } from "./captions.ts";
import { bucketsOf, byDays, namesOf, type Range } from "./date-range.ts";
import { FilteredCaps } from "./filtered-caps.tsx";
import { FilterBar, filterQuery, filtersOf, filterTo, requestsHref, useAddress } from "./filters.tsx";
import { Latency } from "./latency.tsx";
import { useNames } from "./names.ts";
import { GroupChoice, MetricTabs, metricIn, RangeChoice, rangeIn } from "./usage-controls.tsx";
import { Groups, type GroupsProps } from "./usage-groups.tsx";

const EVERY_MS = 1000;
const LONG_EVERY_MS = 10_000; // long hourly ranges have thousands of rows, and minutes are read from requests
const LONG_HOURS = 48;

export function Usage() {
  const [search] = useAddress();
  const minute = Math.floor(useNow(60_000) / 60) * 60;
  const by = groupIn(search);
  const names = useNames(by);
  const { id } = useOrganization();
  const { end_user, ...filters } = filterQuery(filtersOf(search));
  const range = useMemo(() => {
    const chosen = rangeIn(search, minute);
    return by === "end_user" ? byDays(chosen) : chosen;
  }, [search, minute, by]);
  const input = { ids: { organization: id } };
  const bucket = range.size === "month" ? ("day" as const) : range.size;
  const { before, start, end } = range;
  // what end users used is added up by day alone
  const asked = by === "end_user" ? { group_by: by, ...(end_user && { end_user }) } : filters;
  const query = { ...(by ? { group_by: by } : {}), ...asked, start, end, bucket };
  const usage = useRead(
    "GET /api/organizations/:organization/usage",
    { ...input, query },
    { everyMs: isLong(range) || isOfLog(by) ? LONG_EVERY_MS : EVERY_MS, keep: true },
  );
  const earlier = useRead("GET /api/organizations/:organization/usage", {
    ...input,
    query: { ...asked, ...before, bucket },
  });
  const groups = useMemo(
    () => groupsOf(usage.data?.data ?? [], by, bucketsOf(range)),
    [usage.data, by, range],
  );
  return (
    <Page
      title="Usage"
      actions={
        <ExportButtons
          name="usage"
          isEmpty={groups.length === 0}
          rows={() => exportedRows({ groups, by, range, names })}
        />
      }
    >
      <div className="filters">
        <RangeChoice range={range} />
        <GroupChoice />
        <FilterBar names={names} />
      </div>
      {by === "end_user" && (
        <p className="hint">
          What end users used is added up by day, without other filters, and kept as long as requests are. A
          day has 1,000 names at most; the rest are “others”.
        </p>
      )}
      {isOfLog(by) && (
        <p className="hint">
          This is read from the log of requests, as long as that is kept. A range has 100,000 requests at
          most.
        </p>
      )}
      <FilteredCaps keyId={filters.key_id} projectId={filters.project_id} />
      <QueryBoundary of={usage}>
        {({ totals }) => (
          <>
            <MetricTabs totals={totals} before={earlier.data?.totals.requests ? earlier.data.totals : null} />
            {earlier.data && (
              <p className="hint">
                {earlier.data.totals.requests > 0
                  ? `Compared with the previous ${range.name}.`
                  : `No requests in the previous ${range.name} to compare with.`}
              </p>
            )}
            <MetricPanel {...{ groups, by, range, names }} />
            {by !== "end_user" && range.size !== "minute" && <Latency range={range} />}
          </>
        )}
      </QueryBoundary>
    </Page>
  );
}

const isLong = ({ size, start, end }: Range): boolean =>
  size === "minute" || (size === "hour" && end - start > LONG_HOURS * 3600);

/** Of one end user, there are no other groups. */
const groupIn = (search: URLSearchParams): Dimension | null =>
  search.has("end_user") ? "end_user" : (DIMENSIONS.find((name) => name === search.get("by")) ?? null);

/** The chart of the selected metric and the table of groups. */
function MetricPanel({ groups, by, range, names }: GroupsProps) {
  const [search, change] = useAddress();
  const { id } = useOrganization();
  const metric = metricIn(search);
  const format = METRIC_FORMATS[metric];
  const isCumulative = search.has("cumulative");
  const chart = useMemo(() => {
    const valuesOf = search.has("cumulative") ? cumulative : (values: number[]) => values;
    const filters = filtersOf(search);
    const spans = bucketsOf(range);
    const buckets = spans.map((span) => ({
      ...namesOf(span, range.size),
      href: requestsHref(id, { ...filters, ...span }),
    }));
    const series = (groups.length > 0 ? groups : [NO_GROUP]).map((group) => ({
      id: group.id,
      name: by ? names.nameOf(by, group.id) : chartsTexts()(metric),
      total: group.totals[metric],
      values: valuesOf(spans.map((_span, index) => group.buckets[index]?.[metric] ?? 0)),
      hrefs: spans.map((span) =>
        requestsHref(id, { ...filters, ...(by ? filterTo(by, group.id) : null), ...span }),
      ),
    }));
    return { buckets, series };
  }, [groups, by, range, names, metric, search, id]);
  const t = chartsTexts();
  const caption = captionOf(t(metric), range, isCumulative);
  const title = `${format.name} by ${range.size}${isCumulative ? ", cumulative" : ""}`;
  return (
    <div role="tabpanel" id="metric" aria-labelledby={`metric-${metric}`} className="panel">
      <Card
        title={title}
        actions={
          <>
            <small>{UTC[range.size]} in UTC</small>
            <Button
              role="switch"
              aria-checked={isCumulative}
              onClick={() => change({ cumulative: isCumulative ? null : "1" })}
            >
              Cumulative
            </Button>
          </>
        }
      >
        <Chart
          key={by ?? ""}
          label={by ? t("byGroup", { caption, group: by }) : caption}
          {...chart}
          format={format.format}
          short={format.short}
          {...(format.steps ? { steps: format.steps } : {})}
        />
      </Card>
      {by && <Groups {...{ groups, by, range, names }} />}
    </div>
  );
}

const NO_GROUP: Group = { id: "", totals: emptySums(), buckets: [] };
const UTC = { minute: "Minutes", hour: "Hours", day: "Days", month: "Months" };

/** The groups on the page by bucket. */
const exportedRows = ({ groups, by, range, names }: GroupsProps) => {
  const spans = bucketsOf(range);
  return groups.flatMap((group) =>
    spans.map(({ start, end }, index) => ({
      start: isoOf(start),
      end: isoOf(end),
      ...(by ? { [by]: group.id, [`${by}_name`]: names.nameOf(by, group.id) } : {}),
      ...group.buckets[index]!,
    })),
  );
};
