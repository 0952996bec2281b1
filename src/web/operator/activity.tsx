/** The last hour of all nodes, by minute: requests by outcome, the wait for the first audio, and live sessions. */
import { useRead } from "../api/queries.ts";
import type { Reply } from "../api/server.ts";
import { count, ms } from "../format/numbers.ts";
import { type ChartSeries, percentileSeries } from "../ui/chart/series.ts";
import { Card } from "../ui/page.tsx";
import { QueryBoundary } from "../ui/query-boundary.tsx";
import { MinuteChart } from "./minute-chart.tsx";

type Minute = Reply<"GET /api/operator/activity">["data"][number];

const EVERY_MS = 5000;

export function Activity() {
  const query = useRead("GET /api/operator/activity", {}, { everyMs: EVERY_MS });
  return (
    <QueryBoundary of={query}>
      {({ data }) => (
        <Card title="Last hour" actions={<small>By minute, in UTC</small>}>
          <div className="activity">
            <MinuteChart title="Requests" minutes={data} series={outcomesOf(data)} format={count} />
            <MinuteChart
              title="First audio or text"
              minutes={data}
              series={waitsOf(data)}
              format={ms}
              isInFront
            />
            <MinuteChart title="Live sessions" minutes={data} series={sessionsOf(data)} format={count} />
          </div>
        </Card>
      )}
    </QueryBoundary>
  );
}

/** Each outcome keeps its colour, whichever is the largest. */
const outcomesOf = (minutes: Minute[]): ChartSeries[] => [
  { id: "succeeded", name: "Succeeded", colour: 3, values: minutes.map(({ succeeded }) => succeeded) },
  { id: "refused", name: "Refused (4xx)", colour: 1, values: minutes.map(({ refused }) => refused) },
  { id: "failed", name: "Failed (5xx)", colour: 5, values: minutes.map(({ failed }) => failed) },
];
/** The legend has those of the newest minute with requests. */
const waitsOf = (minutes: Minute[]): ChartSeries[] =>
  percentileSeries(
    minutes,
    minutes.findLast(({ p95_ms }) => p95_ms !== null),
  );
const sessionsOf = (minutes: Minute[]): ChartSeries[] => [
  { id: "sessions", name: "At once", colour: 4, values: minutes.map(({ sessions }) => sessions) },
];
