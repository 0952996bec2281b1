/** The load of a month: what all organizations had each model speak and hear, by day. */
import { useMemo } from "react";
import type { Reply } from "../../api/server.ts";
import { count, seconds } from "../../format/numbers.ts";
import { isoOf } from "../../format/times.ts";
import { ChartPart } from "../../ui/chart/chart-part.tsx";
import { ExportButtons } from "../../ui/export-buttons.tsx";
import { Card } from "../../ui/page.tsx";
import { bucketsOf, namesOf } from "../../usage/date-range.ts";

type BusinessState = Reply<"GET /api/operator/business">;
type Day = BusinessState["load"][number];
type Measure = "requests" | "characters" | "audio_seconds" | "tokens";

const MEASURES: { name: string; of: Measure; format: (value: number) => string }[] = [
  { name: "Characters spoken", of: "characters", format: count },
  { name: "Audio heard", of: "audio_seconds", format: seconds },
  { name: "Tokens of language models", of: "tokens", format: count },
  { name: "Requests", of: "requests", format: count },
];
const HEIGHT = 180;
const LONGEST_MONTH = 31 * 86_400;

/** Nothing in a month without requests. */
export function ModelLoad({ of: { month, load } }: { of: BusinessState }) {
  const used = MEASURES.filter(({ of }) => load.some((day) => day[of] > 0));
  if (used.length === 0) return null;
  return (
    <Card
      title={`Load in ${month}`}
      actions={
        <ExportButtons
          name={`load-${month}`}
          isEmpty={false}
          rows={() => load.map(({ start, ...day }) => ({ day: isoOf(start).slice(0, 10), ...day }))}
        />
      }
    >
      <div className="activity">
        {used.map(({ name, of, format }) => (
          <section key={of}>
            <h3>{name}</h3>
            <ByModel name={name} month={month} load={load} of={of} format={format} />
          </section>
        ))}
      </div>
      <p className="hint">
        By model and day (UTC), of all organizations. Which engine ran is not recorded. Upstreams count too;
        what they cost you is not known here.
      </p>
    </Card>
  );
}

type ByModelProps = { name: string; month: string; load: Day[]; of: Measure; format(value: number): string };

function ByModel({ name, month, load, of, format }: ByModelProps) {
  const chart = useMemo(() => {
    const start = Date.parse(month) / 1000;
    const days = bucketsOf({ start, end: start + LONGEST_MONTH, size: "day" }).filter(
      (day) => isoOf(day.start).slice(0, 7) === month,
    );
    const models = Map.groupBy(
      load.filter((day) => day[of] > 0),
      ({ model }) => model,
    );
    return {
      buckets: days.map((day) => namesOf(day, "day")),
      series: [...models].map(([model, some]) => {
        const found = new Map(some.map((day) => [day.start, day[of]]));
        return { id: model, name: model || "No model", values: days.map((day) => found.get(day.start) ?? 0) };
      }),
    };
  }, [month, load, of]);
  return (
    <ChartPart label={`${name} by day, ${month}`} {...chart} format={format} short={format} height={HEIGHT} />
  );
}
