/** How close the organization came to its limits in the last 24 hours, with each limit as a line, and what was refused for one. */
import { useMemo } from "react";
import { Link } from "wouter";
import { useRead } from "../api/queries.ts";
import type { Reply } from "../api/server.ts";
import { useOrganization } from "../api/session.ts";
import { hrefOf } from "../browser/navigation.ts";
import { count, seconds } from "../format/numbers.ts";
import { minuteInUtc } from "../format/times.ts";
import { ChartPart } from "../ui/chart/chart-part.tsx";
import type { ChartBucket, ChartSeries } from "../ui/chart/series.ts";
import { Card } from "../ui/page.tsx";
import { QueryBoundary } from "../ui/query-boundary.tsx";

type Quarter = Reply<"GET /api/organizations/:organization/limits/day">["data"][number];
type Gauges = Pick<
  Reply<"GET /api/organizations/:organization/limits">,
  "requests" | "characters" | "seconds" | "concurrency"
>;
type Figure = Exclude<keyof Quarter, "start" | "end">;

const EVERY_MS = 300_000;
const HEIGHT = 160;

export function LastDay({ gauges }: { gauges: Gauges }) {
  const { id } = useOrganization();
  const day = useRead(
    "GET /api/organizations/:organization/limits/day",
    { ids: { organization: id } },
    { everyMs: EVERY_MS },
  );
  return (
    <Card title="Last 24 hours" actions={<small>By quarter of an hour, in UTC</small>}>
      <QueryBoundary of={day}>{({ data }) => <Day quarters={data} gauges={gauges} />}</QueryBoundary>
    </Card>
  );
}

/** What an axis of durations may count by. */
const SECONDS = [1, 5, 15, 30, 60, 300, 600, 900, 1800, 3600, 7200, 14_400, 36_000];

const OF_A_MINUTE = [
  { figure: "requests", title: "Requests per minute", colour: 1, format: count },
  { figure: "concurrency", title: "Concurrent requests", colour: 2, format: count },
  { figure: "characters", title: "Characters synthesized per minute", colour: 3, format: count },
  { figure: "seconds", title: "Audio transcribed per minute", colour: 4, format: seconds, steps: SECONDS },
] as const;

function Day({ quarters, gauges }: { quarters: Quarter[]; gauges: Gauges }) {
  const { id } = useOrganization();
  const buckets = useMemo(() => quarters.map((quarter) => bucketOf(quarter, id)), [quarters, id]);
  const refused = quarters.reduce((sum, quarter) => sum + (quarter.refused ?? 0), 0);
  const isPartial = quarters.some(({ requests }) => requests === null);
  return (
    <>
      <div className="activity">
        {OF_A_MINUTE.map(({ figure, ...plot }) => (
          <Use key={figure} {...{ ...plot, figure, quarters, buckets }} limit={gauges[figure].limit} />
        ))}
        {refused > 0 && (
          <Use
            {...{ figure: "refused", title: "Refused because of a limit", colour: 5, format: count }}
            {...{ quarters, buckets, limit: null }}
          />
        )}
      </div>
      <p className="hint">
        Bars show the highest minute of a quarter of an hour. A limit refills continuously, so a minute may
        use the whole of it and what refills meanwhile: a bar can be above its line. Audio of a live session
        is divided over its duration.
        {isPartial && " The newest 100,000 requests are counted; quarters before them show no data."}
      </p>
      <p>
        {refused === 0 ? (
          "No request was refused because of a limit."
        ) : (
          <Link href={`${hrefOf(id, "requests")}?status=429`}>Requests refused with status 429</Link>
        )}
      </p>
    </>
  );
}

function bucketOf({ start, end }: Quarter, organization: string): ChartBucket {
  const name = minuteInUtc(start);
  const href = `${hrefOf(organization, "requests")}?start=${start}&end=${end}`;
  return { name, title: `${name} to ${minuteInUtc(end)}`, href };
}

type UseProps = {
  figure: Figure;
  title: string;
  colour: number;
  format: (value: number) => string;
  quarters: Quarter[];
  buckets: ChartBucket[];
  /** Null: there is no limit of it. */
  limit: number | null;
  /** The increments the axis may use. */
  steps?: number[];
};

function Use({ figure, title, colour, format, quarters, buckets, limit, steps }: UseProps) {
  const series = useMemo<ChartSeries[]>(
    () => [{ id: figure, name: title, colour, values: quarters.map((quarter) => quarter[figure]) }],
    [figure, title, colour, quarters],
  );
  const line = useMemo(
    () => (limit === null ? undefined : { value: limit, text: `limit: ${format(limit)}` }),
    [limit, format],
  );
  const values = quarters.map((quarter) => quarter[figure] ?? 0);
  const told =
    limit === null
      ? count(values.reduce((sum, value) => sum + value, 0))
      : `at most ${format(Math.max(0, ...values))} of ${format(limit)}`;
  return (
    <section>
      <h3>
        {title} <span className="second-line">{told}</span>
      </h3>
      <ChartPart
        label={`${title}${line ? `, ${line.text}` : ""}, last 24 hours`}
        {...{ buckets, series, format, limit: line }}
        height={HEIGHT}
        isBrief
        isInFront
        {...(steps && { steps })}
      />
    </section>
  );
}
