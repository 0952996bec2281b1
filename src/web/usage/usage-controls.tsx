/** The controls of the usage page: date range, grouping and metric. */

import { useShowsMoney } from "../api/session.ts";
import { count } from "../format/numbers.ts";
import { FilterChoice, optionsOf } from "../ui/form/filter-choice.tsx";
import { Choice, Field } from "../ui/form/form.tsx";
import { Tabs } from "../ui/tabs.tsx";
import { changeOf, type Dimension, METRIC_FORMATS, METRICS, type Metric, type Sums } from "./aggregate.ts";
import {
  customRange,
  dateAt,
  dateText,
  isPreset,
  PRESETS,
  presetRange,
  type Range,
  timeIn,
} from "./date-range.ts";
import { useAddress } from "./filters.tsx";

const DAY = 86_400;

/** Those that the organization is shown. */
export function useMetrics(): readonly Metric[] {
  return useShowsMoney() ? METRICS : METRICS.filter((name) => name !== "cost_micros");
}

export const metricIn = (search: URLSearchParams): Metric =>
  METRICS.find((name) => name === search.get("metric")) ?? "requests";

/** A custom range from the address, or a preset that ends now. */
export function rangeIn(search: URLSearchParams, now: number): Range {
  const [start, end] = [timeIn(search, "start"), timeIn(search, "end")];
  if (start !== null && end !== null && end > start) return customRange({ start, end });
  const preset = search.get("range");
  return presetRange(isPreset(preset) ? preset : "30d", now);
}

export function RangeChoice({ range: { start, end } }: { range: Range }) {
  const [search, change] = useAddress();
  const custom = search.has("start");
  const preset = search.get("range");
  const selectedPreset = isPreset(preset) ? preset : "30d";
  const choose = (name: string) =>
    name === "custom"
      ? change({ range: null, start: String(start), end: String(end) })
      : change({ range: name, start: null, end: null });
  /** Whole days; moves the other end if it would be passed. */
  const setDay = (bound: "from" | "to", text: string) => {
    const day = dateAt(text);
    if (Number.isNaN(day)) return;
    const [from, to] = bound === "from" ? [day, Math.max(end, day + DAY)] : [Math.min(start, day), day + DAY];
    change({ range: null, start: String(from), end: String(to) });
  };
  return (
    <>
      <Choice
        label="Range"
        value={custom ? "custom" : selectedPreset}
        onChange={(event) => choose(event.target.value)}
      >
        {Object.entries(PRESETS).map(([id, name]) => (
          <option key={id} value={id}>
            {id === "1h" ? "1 hour" : name}
          </option>
        ))}
        <option value="custom">Custom</option>
      </Choice>
      {custom && (
        <>
          <Field
            label="From (UTC)"
            type="date"
            value={dateText(start)}
            onChange={(event) => setDay("from", event.target.value)}
          />
          <Field
            label="To (UTC)"
            type="date"
            value={dateText(end - 1)}
            onChange={(event) => setDay("to", event.target.value)}
          />
        </>
      )}
    </>
  );
}

export const GROUP_NAMES = {
  project: "Project",
  key: "API key",
  user: "Member",
  model: "Model",
  endpoint: "Endpoint",
  environment: "Environment",
  end_user: "End user",
  status: "Status",
  voice: "Voice",
  language: "Language",
  format: "Format",
  label: "Label",
} satisfies Record<Dimension, string>;

export function GroupChoice() {
  const [search, change] = useAddress();
  return (
    <FilterChoice
      label="Group by"
      value={search.get("by") ?? ""}
      options={optionsOf(GROUP_NAMES)}
      onChoose={(by) => change({ by })}
      unset="None"
    />
  );
}

/** `before`: null where there is no earlier data at all. */
type MetricTabsProps = { totals: Sums; before: Sums | null };

/** The totals of a range, compared with the previous one; selecting a metric draws its chart. */
export function MetricTabs({ totals, before }: MetricTabsProps) {
  const [search, change] = useAddress();
  const metrics = useMetrics();
  return (
    <Tabs
      id="metric"
      className="metrics"
      label="Metric"
      names={metrics}
      chosen={metricIn(search)}
      onChoose={(metric) => change({ metric })}
      panelOf={() => "metric"}
    >
      {(metric) => (
        <>
          <span>{METRIC_FORMATS[metric].name}</span>
          <strong>{METRIC_FORMATS[metric].format(totals[metric])}</strong>
          {before && <Change metric={metric} now={totals[metric]} before={before[metric]} />}
        </>
      )}
    </Tabs>
  );
}

type ChangeProps = { metric: Metric; now: number; before: number };

function Change({ metric, now, before }: ChangeProps) {
  const change = changeOf(now, before);
  if (change === null) return <small>{now === 0 ? "unchanged" : "none before"}</small>;
  if (change === 0) return <small>unchanged</small>;
  const isWorse = metric === "errors" && change > 0;
  return (
    <small className={isWorse ? "worse" : undefined}>
      {change > 0 ? "▲" : "▼"} {count(Math.abs(change))}%
    </small>
  );
}
