/** How long requests to an endpoint waited, by hour or day, and by model. */

import { useMemo } from "react";
import { Link } from "wouter";
import { useRead } from "../api/queries.ts";
import type { Reply } from "../api/server.ts";
import { useOrganization } from "../api/session.ts";
import { count, ms, share } from "../format/numbers.ts";
import { chartsTexts } from "../language/en/charts.ts";
import { Chart } from "../ui/chart/chart.tsx";
import { percentileSeries } from "../ui/chart/series.ts";
import { Choice } from "../ui/form/form.tsx";
import { Card } from "../ui/page.tsx";
import { type Column, Table } from "../ui/table.tsx";
import { captionOf } from "./captions.ts";
import { bucketsOf, namesOf, type Range } from "./date-range.ts";
import { filterQuery, filtersOf, filterTo, requestsHref, useAddress } from "./filters.tsx";
import { LatencyHeat } from "./latency-heat.tsx";
import { WAITED_FOR, type Waited, waitedOf } from "./waited.ts";

type Waits = Reply<"GET /api/organizations/:organization/latency">;

const EVERY_MS = 10_000;
const HEIGHT = 200;
/** A row a day: longer ranges would fill pages. */
const MAPPED_MAX = 31 * 86_400;

/** Nothing where no endpoint was used that has waits. An endpoint that the page is filtered by is the one that is told of. */
export function Latency({ range }: { range: Range }) {
  const { id } = useOrganization();
  const [search] = useAddress();
  const { endpoint: only, end_user: _, ...filters } = filterQuery(filtersOf(search));
  const { start, end } = range;
  const { data } = useRead(
    "GET /api/organizations/:organization/usage",
    { ids: { organization: id }, query: { ...filters, start, end, bucket: "day", group_by: "endpoint" } },
    { everyMs: EVERY_MS, keep: true },
  );
  const asked = search.get("waits");
  const used = (data?.data ?? []).map(({ groups }) => groups.endpoint ?? "");
  const waited = waitedOf(used, asked).filter(({ endpoint }) => only === undefined || endpoint === only);
  const chosen = waited.find(({ id }) => id === asked) ?? waited[0];
  return chosen ? <WaitsOf chosen={chosen} waited={waited} range={range} /> : null;
}

type WaitsOfProps = { chosen: Waited; waited: Waited[]; range: Range };

function WaitsOf({ chosen, waited, range }: WaitsOfProps) {
  const { id } = useOrganization();
  const [search] = useAddress();
  const { endpoint: _, end_user: __, ...filters } = filterQuery(filtersOf(search));
  const { start, end, size } = range;
  const { endpoint, measure } = chosen;
  const bucket = size === "hour" ? ("hour" as const) : ("day" as const);
  const query = { ...filters, endpoint, measure, start, end };
  const { data } = useRead(
    "GET /api/organizations/:organization/latency",
    { ids: { organization: id }, query: { ...query, bucket } },
    { everyMs: EVERY_MS, keep: true },
  );
  const isMapped = bucket === "day" && end - start <= MAPPED_MAX;
  const hours = useRead(
    "GET /api/organizations/:organization/latency",
    { ids: { organization: id }, query: { ...query, bucket: "hour" } },
    { everyMs: EVERY_MS, keep: true, enabled: isMapped },
  );
  if (!data) return null;
  const { title, hint } = WAITED_FOR[measure];
  const isCurrent = data.endpoint === endpoint && data.measure === measure; // else of the choice before
  const isEmpty = data.requests === 0;
  return (
    <Card
      title={title}
      actions={
        <>
          <small>By {bucket}, in UTC</small>
          <EndpointChoice chosen={chosen} waited={waited} />
        </>
      }
    >
      {isEmpty && <p className="hint">No request to this endpoint waited for it in this period.</p>}
      {!isEmpty && isCurrent && (
        <>
          <Waiting waits={data} chosen={chosen} range={{ ...range, size: bucket }} />
          {hint && <p className="hint">{hint}</p>}
          {(data.models.length > 1 || measure === "answer") && (
            <ByModel waits={data.models} chosen={chosen} range={range} />
          )}
          {isMapped && hours.data && <LatencyHeat waits={hours.data.data} chosen={chosen} range={range} />}
        </>
      )}
    </Card>
  );
}

function EndpointChoice({ chosen, waited }: Omit<WaitsOfProps, "range">) {
  const [, change] = useAddress();
  return (
    <Choice
      name="waits"
      label="Endpoint"
      value={chosen.id}
      onChange={({ target }) => change({ waits: target.value }, { replace: true })}
    >
      {waited.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </Choice>
  );
}

/** Half of the requests were as fast as the median, 95 of 100 as the 95th percentile. Times without requests have no bar. */
function Waiting({ waits, chosen, range }: { waits: Waits; chosen: Waited; range: Range }) {
  const { id } = useOrganization();
  const [search] = useAddress();
  const chart = useMemo(() => {
    const filters = { ...filtersOf(search), endpoint: chosen.endpoint };
    const spans = bucketsOf(range);
    const found = new Map(waits.data.map((each) => [each.start, each]));
    return {
      buckets: spans.map((span) => ({
        ...namesOf(span, range.size),
        href: requestsHref(id, { ...filters, ...span }),
      })),
      series: percentileSeries(
        spans.map(({ start }) => found.get(start)),
        waits,
      ),
    };
  }, [waits, chosen, range, search, id]);
  return (
    <Chart
      label={captionOf(chartsTexts()(chosen.measure), range)}
      {...chart}
      format={ms}
      height={HEIGHT}
      isInFront
    />
  );
}

type ByModelProps = { waits: Waits["models"]; chosen: Waited; range: Range };

/** Which model makes callers wait; each leads to its requests. */
function ByModel({ waits, chosen, range: { start, end } }: ByModelProps) {
  const { id } = useOrganization();
  const [search] = useAddress();
  const { endpoint, measure } = chosen;
  const href = (model: string) =>
    requestsHref(id, { ...filtersOf(search), ...filterTo("model", model), endpoint, start, end });
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
    ...(measure === "answer" ? FACTORS : []),
  ];
  return (
    <Table
      caption={chartsTexts()("byModel", { what: chartsTexts()(measure) })}
      columns={columns}
      rows={waits}
      keyOf={({ model }) => model}
      empty=""
      isLinked
    />
  );
}

const factor = (value: number | null) => (value === null ? "" : share(value));

const FACTORS: Column<Waits["models"][number]>[] = [
  { name: "Share of audio, median", numeric: true, of: (waits) => factor(waits.p50_realtime_factor) },
  { name: "Share of audio, 95th", numeric: true, of: (waits) => factor(waits.p95_realtime_factor) },
];
