/**
 * A chart over time: stacked groups, a legend that toggles them, values by pointer and by arrow keys, and a table of the
 * same numbers. Activating a bucket opens the rows it sums up.
 */
import { useMemo, useState } from "react";
import { Link } from "wouter";
import { chartsTexts } from "../../language/en/charts.ts";
import { languageOf } from "../../language/texts.ts";
import { Button } from "../button.tsx";
import { type Column, Table } from "../table.tsx";
import { type Limit, ROUND } from "./drawing.ts";
import { Plot, Swatch } from "./plot.tsx";
import {
  type ChartBucket,
  type ChartSeries,
  COLOURS,
  isUnknown,
  type Layer,
  largest,
  OTHER,
  totalOf,
  totalsOf,
  type Value,
} from "./series.ts";

type ChartProps = {
  /** Read by screen readers. */
  label: string;
  buckets: ChartBucket[];
  series: ChartSeries[];
  format: (value: number) => string;
  /** For the axis, where space is limited. */
  short?: (value: number) => string;
  /** The increments the axis may use. */
  steps?: number[];
  height?: number;
  /** The bars alone: no legend, no table. */
  isBrief?: boolean;
  /** Values in front of each other, lowest first, which do not add up. */
  isInFront?: boolean;
  /** Drawn as a line, up to which the axis reaches. */
  limit?: Limit | undefined;
};

export function Chart({
  label,
  buckets,
  series,
  format,
  short = format,
  steps = ROUND,
  height = 260,
  isBrief = false,
  isInFront = false,
  limit,
}: ChartProps) {
  const t = chartsTexts();
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
  const [asTable, setAsTable] = useState(false);
  const all = useMemo(
    () =>
      (isInFront ? series : largest(series)).map((each, index) => ({
        ...each,
        colour: each.colour ?? (each.id === OTHER ? COLOURS : index + 1),
      })),
    [series, isInFront],
  );
  const layers = useMemo(() => all.filter(({ id }) => !hidden.has(id)), [all, hidden]);
  const toggle = (id: string) => setHidden(new Set(hidden.has(id) ? without(hidden, id) : [...hidden, id]));
  return (
    <div className="chart" lang={languageOf("charts")}>
      {!isBrief && (
        <div className="chart-head">
          {all.length > 1 && <Legend all={all} hidden={hidden} toggle={toggle} format={format} />}
          <Button kind="quiet" onClick={() => setAsTable(!asTable)}>
            {t(asTable ? "asChart" : "asTable")}
          </Button>
        </div>
      )}
      {asTable ? (
        <ChartTable {...{ label, buckets, layers, format, isInFront }} />
      ) : (
        <Plot {...{ label, buckets, layers, format, short, steps, height, isInFront, limit }} />
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
    <ul className="legend" aria-label={chartsTexts()("groups")}>
      {all.map(({ id, name, colour, ...series }) => (
        <li key={id}>
          <button type="button" aria-pressed={!hidden.has(id)} onClick={() => toggle(id)}>
            <Swatch colour={colour} /> <span>{name}</span> <strong>{format(totalOf(series))}</strong>
          </button>
        </li>
      ))}
    </ul>
  );
}

type ChartTableProps = Pick<ChartProps, "label" | "buckets" | "format" | "isInFront"> & { layers: Layer[] };

/** Newest first. */
function ChartTable({ label, buckets, layers, format, isInFront }: ChartTableProps) {
  const t = chartsTexts();
  const totals = totalsOf(layers, buckets.length);
  const cell = (value: Value, href: string | undefined) => {
    if (value === null) return "–";
    return href && value > 0 ? <Link href={href}>{format(value)}</Link> : format(value);
  };
  const total: Column<number> = {
    name: t("total"),
    numeric: true,
    of: (index) => cell(isUnknown(layers, index) ? null : totals[index]!, buckets[index]!.href),
  };
  const columns: Column<number>[] = [
    { name: t("time"), of: (index) => buckets[index]!.title },
    ...layers.map(({ name, values, hrefs }) => ({
      name,
      numeric: true,
      of: (index: number) => cell(values[index]!, hrefs?.[index]),
    })),
    ...(layers.length > 1 && !isInFront ? [total] : []),
  ];
  const rows = buckets.map((_bucket, index) => index).toReversed();
  return (
    <div className="chart-table">
      <Table caption={label} columns={columns} rows={rows} keyOf={String} empty={t("empty")} />
    </div>
  );
}
