/** Draws a chart with uPlot, as stacked bars or, where those would be too thin, as areas. Interaction is in plot.tsx. */
import uPlot from "uplot";
import { labelled, valueTicks } from "./axis.ts";
import { type ChartBucket, inFront, type Layer, stacked } from "./series.ts";

export type Drawing = {
  buckets: ChartBucket[];
  /** Bottom to top. */
  layers: Layer[];
  /** Formats a value for the axis. */
  short: (value: number) => string;
  /** The increments the axis may use. */
  steps: number[];
  height: number;
  /** Whether values are in front of each other, lowest first, such as percentiles: they do not add up. */
  isInFront?: boolean;
  limit?: Limit | undefined;
};

/** What values stay below, with the text beside its line. */
export type Limit = { value: number; text: string };

const MAX_BARS = 100;
const LABEL_PX = 64;
const VALUES_PX = 50; // about what the axis of values takes
export const ROUND = Array.from({ length: 16 }, (_none, power) =>
  [1, 2, 5].map((digit) => digit * 10 ** power),
).flat();

export function draw(container: HTMLElement, drawing: Drawing): uPlot {
  const { buckets, layers, height } = drawing;
  const stacks = drawing.isInFront ? inFront(layers) : stacked(layers, buckets.length);
  // highest first: uPlot draws each over the last
  const data = [buckets.map((_bucket, index) => index), ...stacks.toReversed()] as uPlot.AlignedData;
  const colours = readColours(container);
  const values = [0, drawing.limit?.value ?? 0, ...stacks.flat().map((value) => value ?? 0)];
  const ticks = valueTicks({ min: Math.min(...values), max: Math.max(...values) }, drawing.steps);
  const options: uPlot.Options = {
    width: container.clientWidth,
    height,
    legend: { show: false },
    cursor: { show: false },
    scales: {
      x: { time: false, range: [-0.5, buckets.length - 0.5] },
      y: { range: () => (ticks.length > 1 ? [ticks[0]!, ticks.at(-1)!] : [0, 1]) },
    },
    axes: axesOf(drawing, ticks, colours),
    hooks: { draw: drawing.limit ? [(plot) => drawLimit(plot, drawing.limit!, colours)] : [] },
    series: [{}, ...layers.toReversed().map(({ colour }) => layerOf(colours(`--series-${colour}`), buckets))],
  };
  return new uPlot(options, data, container);
}

function layerOf(colour: string, { length }: ChartBucket[]): uPlot.Series {
  const bars = uPlot.paths.bars!({ size: [0.72, 64], radius: [0.08, 0] });
  const areas = uPlot.paths.linear!();
  return {
    fill: colour,
    stroke: colour,
    width: 0,
    points: { show: false },
    paths: length > MAX_BARS ? areas : bars,
  };
}

/** Dashed, so that it is told from the values without its colour; its text stands on it where there is room, else below. */
function drawLimit({ ctx, bbox, valToPos, over }: uPlot, { value, text }: Limit, colours: Colours): void {
  const ratio = bbox.width / over.clientWidth; // the canvas has the pixels of the screen
  const y = Math.round(valToPos(value, "y", true));
  const isAtTop = y - bbox.top < 16 * ratio;
  ctx.save();
  ctx.strokeStyle = ctx.fillStyle = colours("--ink");
  ctx.lineWidth = 1.5 * ratio;
  ctx.setLineDash([6 * ratio, 4 * ratio]);
  ctx.beginPath();
  ctx.moveTo(bbox.left, y);
  ctx.lineTo(bbox.left + bbox.width, y);
  ctx.stroke();
  ctx.font = `${12 * ratio}px Inter, system-ui, sans-serif`;
  ctx.textAlign = "right";
  ctx.textBaseline = isAtTop ? "top" : "bottom";
  const [right, textWidth] = [bbox.left + bbox.width - 4 * ratio, ctx.measureText(text).width];
  ctx.fillStyle = colours("--card"); // bars may be behind it
  ctx.fillRect(
    right - textWidth - 3 * ratio,
    y + (isAtTop ? 3 : -18) * ratio,
    textWidth + 6 * ratio,
    15 * ratio,
  );
  ctx.fillStyle = colours("--ink");
  ctx.fillText(text, right, y + (isAtTop ? 4 : -3) * ratio);
  ctx.restore();
}

function axesOf({ buckets, short }: Drawing, ticks: number[], colours: Colours): uPlot.Axis[] {
  const common = {
    stroke: colours("--quiet"),
    font: "12px Inter, system-ui, sans-serif",
    ticks: { show: false },
  };
  return [
    {
      ...common,
      grid: { show: false },
      size: 28,
      splits: ({ width }) => labelled({ buckets: buckets.length, width: width - VALUES_PX, room: LABEL_PX }),
      values: (_plot, splits) => splits.map((index) => buckets[index]?.name ?? ""),
    },
    {
      ...common,
      grid: { stroke: colours("--line"), width: 1 },
      splits: () => ticks,
      size: (_plot, values) => 18 + 7 * Math.max(1, ...(values ?? []).map((value) => value.length)),
      values: (_plot, splits) => splits.map(short),
    },
  ];
}

type Colours = (name: string) => string;

function readColours(element: HTMLElement): Colours {
  const style = getComputedStyle(element);
  return (name) => style.getPropertyValue(name).trim();
}

/** The index of the bucket at a screen position; null outside the chart. */
export function bucketAt(plot: uPlot, clientX: number): number | null {
  const { left, width } = plot.over.getBoundingClientRect();
  if (clientX < left || clientX > left + width) return null;
  return Math.min(Math.round(plot.posToVal(clientX - left, "x")), plot.data[0].length - 1);
}

/** The position of a bucket, in pixels from the left of the chart. */
export function positionOf(plot: uPlot, bucket: number): { left: number; width: number } {
  const left = plot.valToPos(bucket - 0.5, "x");
  return { left: plot.over.offsetLeft + left, width: plot.valToPos(bucket + 0.5, "x") - left };
}
