/**
 * Metrics of this process, for GET /metrics: the only file that uses prom-client. What is recorded here is typed by
 * `definitions.ts`, and recording never throws, so that no request fails of it.
 */
import Counter from "prom-client/lib/counter.js";
import Gauge from "prom-client/lib/gauge.js";
import Registry from "prom-client/lib/registry.js";
import { DEFINITIONS, type Labels, type MetricName, type NameOf } from "./definitions.ts";

type Observed = NameOf<"counter" | "gauge">;
/** One value of a metric with labels. */
type Sample<Name extends MetricName> = { labels: Labels<Name>; value: number };

/** No argument where a metric has no labels. */
type LabelsOf<Name extends MetricName> = keyof Labels<Name> extends never ? [] : [labels: Labels<Name>];

export type Metrics = {
  count<Name extends NameOf<"counter">>(name: Name, ...labels: LabelsOf<Name>): void;
  /** Adds a value, in the unit of the name, to a counter. One that is not a finite number above zero is left out. */
  add<Name extends NameOf<"counter">>(name: Name, value: number, ...labels: LabelsOf<Name>): void;
  /** Adds a value, in the unit of the name, to a histogram. One that is not a finite number is left out. */
  record<Name extends NameOf<"histogram">>(name: Name, value: number, ...labels: LabelsOf<Name>): void;
  /** From now on the metric is what `read` returns. */
  observe<Name extends Observed>(name: Name, read: () => number | Sample<Name>[]): void;
  /** Loquat's counters, each as the sum over its labels. */
  counters(): Partial<Record<NameOf<"counter">, number>>;
  /** In the Prometheus text format, of the type `METRICS_TYPE`. */
  text(): Promise<string>;
};

const REST_MS = 10;

export const METRICS_TYPE = Registry.PROMETHEUS_CONTENT_TYPE;

type AnySample = { labels: object; value: number };

export function openMetrics(): Metrics {
  const registry = new Registry();
  const histograms = new Map<string, Histogram>();
  const counters = new Map<string, Counter>();
  /** What was counted since the start, over all labels. */
  const counts = new Map<string, number>();
  const reads = new Map<string, () => number | AnySample[]>();
  const samplesOf = (name: string): AnySample[] => {
    const value = reads.get(name)?.() ?? counts.get(name) ?? [];
    return typeof value === "number" ? [{ labels: {}, value }] : value;
  };
  for (const [name, { type, labels: labelNames, buckets = [], help }] of DEFINITIONS) {
    const common = { name, help, labelNames, registers: [registry] };
    if (type === "histogram") {
      const histogram = openHistogram({ name, help, labelNames, buckets });
      histograms.set(name, histogram);
      registry.registerMetric(histogram.metric as never); // typed by its classes, but asked for its values only
    } else if (type === "gauge") openGauge(common, () => samplesOf(name));
    else if (labelNames.length > 0) counters.set(name, new Counter(common));
    else openCounter(common, () => samplesOf(name));
    if (type === "counter") counts.set(name, 0);
  }
  const add = (name: string, value: number, labels: object | undefined) => {
    if (!(value > 0 && Number.isFinite(value))) return;
    counters.get(name)?.inc(labels ?? {}, value);
    counts.set(name, counts.get(name)! + value);
  };
  return {
    count: (name, ...[labels]) => add(name, 1, labels),
    add: (name, value, ...[labels]) => add(name, value, labels),
    record(name, value, ...[labels]) {
      if (Number.isFinite(value)) histograms.get(name)!.observe(labels ?? {}, value);
    },
    observe: (name, read) => void reads.set(name, read),
    counters: () =>
      Object.fromEntries(
        [...counts.keys()]
          .filter((name) => name.startsWith("loquat_"))
          .map((name) => [name, samplesOf(name)[0]!.value]),
      ),
    text: inTurns(() => registry.metrics()),
  };
}

/**
 * All who ask while one text is being made share the next one. Each is followed by a rest, so that a flood of readers leaves
 * time for other work; a reader who comes after it does not wait.
 */
function inTurns(make: () => Promise<string>): () => Promise<string> {
  let next: Promise<string> | null = null;
  let last: Promise<unknown> = Promise.resolve();
  const rested = async (text: Promise<string>) => {
    await text.catch(() => {}); // its readers hear of it
    await Bun.sleep(REST_MS);
  };
  return () => {
    next ??= last.then(() => {
      next = null;
      const text = make();
      last = rested(text);
      return text;
    });
    return next;
  };
}

type Common = { name: string; help: string; labelNames: readonly string[]; registers: Registry[] };

/** A gauge that is read when it is asked for. */
function openGauge(common: Common, read: () => AnySample[]): void {
  const gauge: Gauge = new Gauge({
    ...common,
    collect() {
      gauge.reset();
      for (const { labels, value } of read()) gauge.set(labels, value);
    },
  });
}

function openCounter(common: Common, read: () => AnySample[]): void {
  const counter: Counter = new Counter({
    ...common,
    collect() {
      counter.reset();
      for (const { labels, value } of read()) counter.inc(labels, value);
    },
  });
}

/** The values of labels, by name. */
type Values = Record<string, string>;
/** `counts` is by bucket; the last one has no bound. */
type Series = { labels: Values; counts: number[]; sum: number };
/** By the value of the next label; `series` after the last one. */
type Level = { next: Map<string, Level>; series: Series | null };

type Histogram = {
  observe(labels: Values, value: number): void;
  /** As prom-client's registry asks a metric. */
  metric: { name: string; get(): Promise<object> };
};

type HistogramOptions = {
  name: string;
  help: string;
  labelNames: readonly string[];
  buckets: readonly number[];
};

/**
 * A histogram that the registry writes. One is observed for every request, where finding the series costs a look-up a label
 * and makes no text; prom-client's own validates and sorts the labels, which takes a microsecond. `buckets` are upper bounds,
 * ascending. Without labels, the series is there before its first value.
 */
function openHistogram({ name, help, labelNames, buckets }: HistogramOptions): Histogram {
  const all: Series[] = [];
  const root: Level = { next: new Map(), series: null };
  const seriesOf = (labels: Values): Series => {
    let level = root;
    for (const label of labelNames) {
      const value = labels[label]!;
      let found = level.next.get(value);
      if (!found) {
        found = { next: new Map(), series: null };
        level.next.set(value, found);
      }
      level = found;
    }
    if (level.series === null) {
      level.series = { labels: { ...labels }, counts: new Array(buckets.length + 1).fill(0), sum: 0 };
      all.push(level.series);
    }
    return level.series;
  };
  if (labelNames.length === 0) seriesOf({});
  return {
    observe(labels, value) {
      const series = seriesOf(labels);
      const bucket = buckets.findIndex((bound) => value <= bound);
      series.counts[bucket === -1 ? buckets.length : bucket]!++;
      series.sum += value;
    },
    metric: {
      name,
      get: async () => ({
        name,
        help,
        type: "histogram",
        values: all.flatMap((each) => textSamplesOf(each, { name, buckets })),
      }),
    },
  };
}

/** Buckets are cumulative in the text format. */
function textSamplesOf(
  { labels, counts, sum }: Series,
  { name, buckets }: Pick<HistogramOptions, "name" | "buckets">,
) {
  let total = 0;
  const bucketSamples = counts.map((count, at) => {
    total += count;
    const le = at < buckets.length ? buckets[at]! : "+Inf";
    return { metricName: `${name}_bucket`, labels: { le, ...labels }, value: total };
  });
  return [
    ...bucketSamples,
    { metricName: `${name}_sum`, labels, value: sum },
    { metricName: `${name}_count`, labels, value: total },
  ];
}
