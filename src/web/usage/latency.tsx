/** How long requests for speech waited for their first audio, by hour or day, and by model. */

import { useMemo } from "react";
import { Link } from "wouter";
import { useRead } from "../api/queries.ts";
import type { Reply } from "../api/server.ts";
import { useOrganization } from "../api/session.ts";
import { count, ms } from "../format/numbers.ts";
import { Chart } from "../ui/chart/chart.tsx";
import { percentileSeries } from "../ui/chart/series.ts";
import { Card } from "../ui/page.tsx";
import { type Column, Table } from "../ui/table.tsx";
import { bucketsOf, namesOf, type Range } from "./date-range.ts";
import { filterQuery, filtersOf, filterTo, requestsHref, useAddress } from "./filters.tsx";
import { LatencyHeat } from "./latency-heat.tsx";

type Waits = Reply<"GET /api/organizations/:organization/latency">;

const EVERY_MS = 10_000;
const HEIGHT = 200;
/** A row a day: longer ranges would fill pages. */
const MAPPED_MAX = 31 * 86_400;
const SPEECH = "/v1/audio/speech";

export function Latency({ range }: { range: Range }) {
  const { id } = useOrganization();
  const [search] = useAddress();
  const { endpoint: _, end_user: __, ...filters } = filterQuery(filtersOf(search));
  const { start, end, size } = range;
  const bucket = size === "hour" ? ("hour" as const) : ("day" as const);
  const { data } = useRead(
    "GET /api/organizations/:organization/latency",
    { ids: { organization: id }, query: { ...filters, start, end, bucket } },
    { everyMs: EVERY_MS, keep: true },
  );
  const isMapped = bucket === "day" && end - start <= MAPPED_MAX;
  const hours = useRead(
    "GET /api/organizations/:organization/latency",
    { ids: { organization: id }, query: { ...filters, start, end, bucket: "hour" } },
    { everyMs: EVERY_MS, keep: true, enabled: isMapped },
  );
  if (!data || data.requests === 0) return null;
  return (
    <Card title="First audio" actions={<small>Speech, by {bucket}, in UTC</small>}>
      <Waiting waits={data} range={{ ...range, size: bucket }} />
      {data.models.length > 1 && <ByModel waits={data.models} range={range} />}
      {isMapped && hours.data && <LatencyHeat waits={hours.data.data} range={range} />}
    </Card>
  );
}

/** Half of the requests were as fast as the median, 95 of 100 as the 95th percentile. Times without speech have no bar. */
function Waiting({ waits, range }: { waits: Waits; range: Range }) {
  const { id } = useOrganization();
  const [search] = useAddress();
  const chart = useMemo(() => {
    const { endpoint: _, ...filters } = filtersOf(search);
    const spans = bucketsOf(range);
    const found = new Map(waits.data.map((each) => [each.start, each]));
    return {
      buckets: spans.map((span) => ({
        ...namesOf(span, range.size),
        href: requestsHref(id, { ...filters, ...span, endpoint: SPEECH }),
      })),
      series: percentileSeries(
        spans.map(({ start }) => found.get(start)),
        waits,
      ),
    };
  }, [waits, range, search, id]);
  return (
    <Chart
      label={`Wait for the first audio by ${range.size}, ${range.name}`}
      {...chart}
      format={ms}
      height={HEIGHT}
      isInFront
    />
  );
}

/** Which model makes callers wait; each leads to its requests. */
function ByModel({ waits, range: { start, end } }: { waits: Waits["models"]; range: Range }) {
  const { id } = useOrganization();
  const [search] = useAddress();
  const href = (model: string) =>
    requestsHref(id, { ...filtersOf(search), ...filterTo("model", model), endpoint: SPEECH, start, end });
  const columns: Column<Waits["models"][number]>[] = [
    {
      name: "Model",
      of: ({ model }) => (
        <Link href={href(model)} className="row-link">
          {model || "No model"}
        </Link>
      ),
    },
    { name: "Requests", numeric: true, of: ({ requests }) => count(requests) },
    { name: "Median", numeric: true, of: ({ p50_ms }) => ms(p50_ms ?? 0) },
    { name: "95th percentile", numeric: true, of: ({ p95_ms }) => ms(p95_ms ?? 0) },
  ];
  return (
    <Table
      caption="First audio by model"
      columns={columns}
      rows={waits}
      keyOf={({ model }) => model}
      empty=""
      isLinked
    />
  );
}
