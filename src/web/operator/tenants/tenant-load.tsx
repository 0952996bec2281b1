/** How hard an organization pressed against its limits in the last 30 days: what was refused and why, and the most requests at once. */
import { useMemo } from "react";
import { useRead } from "../../api/queries.ts";
import type { Reply } from "../../api/server.ts";
import { count } from "../../format/numbers.ts";
import { ChartPart } from "../../ui/chart/chart-part.tsx";
import { Badge, Card } from "../../ui/page.tsx";
import { QueryBoundary } from "../../ui/query-boundary.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { namesOf } from "../../usage/date-range.ts";

type LoadState = Reply<"GET /api/operator/organizations/:tenant/load">;
type Day = LoadState["data"][number];
type Reason = Day["refused"][number];

export function Load({ tenant }: { tenant: string }) {
  const query = useRead("GET /api/operator/organizations/:tenant/load", { ids: { tenant } });
  return (
    <Card title="Refusals and concurrency, last 30 days">
      <QueryBoundary of={query}>{(load) => <Pressure load={load} />}</QueryBoundary>
    </Card>
  );
}

function Pressure({ load: { data, concurrency_limit } }: { load: LoadState }) {
  const reasons = useMemo(() => reasonsOf(data), [data]);
  const isPartial = data.some(({ peak_concurrency }) => peak_concurrency === null);
  return (
    <>
      <div className="activity">
        <Refused days={data} />
        <AtOnce days={data} />
      </div>
      <Table
        caption="Refused requests"
        columns={REASONS}
        rows={reasons}
        keyOf={({ status, error_code }) => `${status} ${error_code}`}
        empty="No request was refused."
      />
      <p className="hint">
        The organization may have {count(concurrency_limit)} requests at once. Of many refusals in a minute,
        60 are logged and counted.
        {isPartial && " Days before the newest 100,000 requests show no concurrency."}
      </p>
    </>
  );
}

const STATUSES = [
  { status: 429, name: "429: too many", colour: 4 },
  { status: 402, name: "402: credit or budget used up", colour: 5 },
  { status: 403, name: "403: not allowed", colour: 2 },
];
const HEIGHT = 180;

const bucketsOf = (days: Day[]) => days.map((day) => namesOf(day, "day"));
const sumOf = (reasons: Reason[]) => reasons.reduce((sum, { requests }) => sum + requests, 0);

function Refused({ days }: { days: Day[] }) {
  const chart = useMemo(
    () => ({
      buckets: bucketsOf(days),
      series: STATUSES.map(({ status, ...series }) => ({
        ...{ ...series, id: String(status) },
        values: days.map(({ refused }) => sumOf(refused.filter((each) => each.status === status))),
      })),
    }),
    [days],
  );
  return (
    <section>
      <h3>Refused requests</h3>
      <ChartPart label="Refused requests by day" {...chart} format={count} height={HEIGHT} isBrief />
    </section>
  );
}

function AtOnce({ days }: { days: Day[] }) {
  const chart = useMemo(
    () => ({
      buckets: bucketsOf(days),
      series: [
        {
          ...{ id: "peak", name: "Most at once", colour: 1 },
          values: days.map(({ peak_concurrency }) => peak_concurrency ?? 0),
        },
      ],
    }),
    [days],
  );
  return (
    <section>
      <h3>Most requests at once</h3>
      <ChartPart label="Most requests at once by day" {...chart} format={count} height={HEIGHT} isBrief />
    </section>
  );
}

/** Of all days, most first. */
function reasonsOf(days: Day[]): Reason[] {
  const all = Map.groupBy(
    days.flatMap(({ refused }) => refused),
    ({ status, error_code }) => `${status} ${error_code}`,
  );
  return [...all.values()]
    .map((each) => ({ ...each[0]!, requests: sumOf(each) }))
    .toSorted((one, other) => other.requests - one.requests);
}

const REASONS: Column<Reason>[] = [
  { name: "Status", phone: "side", of: ({ status }) => <Badge tone="warn">{status}</Badge> },
  { name: "Reason", of: ({ error_code }) => <code>{error_code ?? "none"}</code> },
  { name: "Requests", numeric: true, of: ({ requests }) => count(requests) },
];
