/**
 * A chart over time: stacked groups, a legend that hides them, values by pointer and by arrow keys, a table with the
 * same figures. A bucket opens the rows behind it.
 */
import { useMemo, useState } from "react";
import { Link } from "wouter";
import "../../style/chart.css";
import { Button } from "../button.tsx";
import { type Column, Table } from "../table.tsx";
import { ROUND } from "./drawing.ts";
import { Plot, Swatch } from "./plot.tsx";
import {
  type ChartBucket,
  type ChartSeries,
  greatest,
  type Layer,
  OTHER,
  sumOf,
  totalsOf,
} from "./series.ts";

type ChartProps = {
  /** What is drawn, for those who do not see it. */
  label: string;
  buckets: ChartBucket[];
  series: ChartSeries[];
  format: (value: number) => string;
  /** At the axis, where there is little room. */
  short?: (value: number) => string;
  /** What the axis may count in. */
  steps?: number[];
  height?: number;
};

const COLOURS = 8;

export function Chart({
  label,
  buckets,
  series,
  format,
  short = format,
  steps = ROUND,
  height = 260,
}: ChartProps) {
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
  const [asTable, setAsTable] = useState(false);
  const all = useMemo(
    () => greatest(series).map((each, at) => ({ ...each, colour: each.id === OTHER ? COLOURS : at + 1 })),
    [series],
  );
  const layers = useMemo(() => all.filter(({ id }) => !hidden.has(id)), [all, hidden]);
  const toggle = (id: string) => setHidden(new Set(hidden.has(id) ? without(hidden, id) : [...hidden, id]));
  return (
    <div className="chart">
      <div className="chart-head">
        <Legend all={all} hidden={hidden} toggle={toggle} format={format} />
        <Button kind="quiet" aria-pressed={asTable} onClick={() => setAsTable(!asTable)}>
          Show as table
        </Button>
      </div>
      {asTable ? (
        <ChartTable label={label} buckets={buckets} layers={layers} format={format} />
      ) : (
        <Plot {...{ label, buckets, layers, format, short, steps, height }} />
      )}
    </div>
  );
}

const without = (all: ReadonlySet<string>, id: string) => [...all].filter((each) => each !== id);

type LegendProps = {
  all: Layer[];
  hidden: ReadonlySet<string>;
  toggle: (id: string) => void;
  format: (value: number) => string;
};

function Legend({ all, hidden, toggle, format }: LegendProps) {
  return (
    <ul className="legend" aria-label="Groups">
      {all.map(({ id, name, values, colour }) => (
        <li key={id}>
          <button
            type="button"
            aria-pressed={!hidden.has(id)}
            disabled={all.length === 1}
            onClick={() => toggle(id)}
          >
            <Swatch colour={colour} /> <span>{name}</span> <strong>{format(sumOf(values))}</strong>
          </button>
        </li>
      ))}
    </ul>
  );
}

type ChartTableProps = Pick<ChartProps, "label" | "buckets" | "format"> & { layers: Layer[] };

/** The newest first. */
function ChartTable({ label, buckets, layers, format }: ChartTableProps) {
  const totals = totalsOf(layers, buckets.length);
  const cell = (value: number, href: string | undefined) =>
    href && value > 0 ? <Link href={href}>{format(value)}</Link> : format(value);
  const columns: Column<number>[] = [
    { name: "Time (UTC)", of: (at) => buckets[at]!.title },
    ...layers.map(({ name, values, hrefs }) => ({
      name,
      numeric: true,
      of: (at: number) => cell(values[at]!, hrefs?.[at]),
    })),
    { name: "Total", numeric: true, of: (at) => cell(totals[at]!, buckets[at]!.href) },
  ];
  const rows = buckets.map((_bucket, at) => at).toReversed();
  return (
    <div className="chart-table">
      <Table caption={label} columns={columns} rows={rows} keyOf={String} empty="Nothing in this time." />
    </div>
  );
}
