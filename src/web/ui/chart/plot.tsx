/** The drawn chart as one works with it: pointed at or stepped through, a bucket says its values and opens its rows. */
import { type KeyboardEvent, type MouseEvent, type PointerEvent, useEffect, useRef, useState } from "react";
import type uPlot from "uplot";
import { useLocation } from "wouter";
import { bucketAt, type Drawing, draw, placeOf } from "./drawing.ts";
import { type ChartBucket, type Layer, totalsOf } from "./series.ts";

type Format = (value: number) => string;
type PlotProps = Drawing & { label: string; format: Format };
/** What is looked at, and whether the keyboard led there: only then it is read out. */
type Looked = { at: number; spoken: boolean } | null;

export function Plot({ label, format, ...drawing }: PlotProps) {
  const { place, plot } = usePlot(drawing);
  const { buckets, layers } = drawing;
  const [looked, setLooked] = useState<Looked>(null);
  const [, go] = useLocation();
  const at = looked && looked.at < buckets.length ? looked.at : null;
  const open = (bucket: number) => {
    const href = buckets[bucket]?.href;
    if (href) go(href);
  };
  const keyDown = (event: KeyboardEvent) => {
    if (event.key === "Enter" && at !== null) return open(at);
    if (event.key === "Escape") return setLooked(null);
    const next = stepOf(event.key, at, buckets.length);
    if (next === null) return;
    event.preventDefault();
    setLooked({ at: next, spoken: true });
  };
  const pointed = ({ clientX }: MouseEvent) => (plot ? bucketAt(plot, clientX) : null);
  const move = (event: PointerEvent) => {
    if (event.pointerType === "touch") return;
    const bucket = pointed(event);
    setLooked(bucket === null ? null : { at: bucket, spoken: false });
  };
  /** A finger looks first, and opens what it looks at. */
  const click = (event: MouseEvent) => {
    const bucket = pointed(event);
    if (bucket === null) return;
    if (bucket === at) open(bucket);
    else setLooked({ at: bucket, spoken: false });
  };
  const bucket = at === null ? undefined : buckets[at];
  return (
    <div
      className="plot"
      role="application"
      aria-roledescription="chart"
      aria-label={`${label}. The arrow keys move along it${bucketsOpen(buckets) ? ", Enter opens the requests" : ""}.`}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the arrow keys step through it
      tabIndex={0}
      onKeyDown={keyDown}
      onPointerMove={move}
      onPointerLeave={() => setLooked(null)}
      onBlur={() => setLooked(null)}
      onClick={click}
      data-opens={bucketsOpen(buckets) || undefined}
    >
      <div ref={place} aria-hidden />
      {plot && bucket && <Tip {...{ plot, bucket, at: at!, layers, format }} />}
      <p className="unseen" aria-live="polite">
        {bucket && looked?.spoken ? spokenOf(bucket.title, layers, { at: at!, format }) : ""}
      </p>
    </div>
  );
}

const bucketsOpen = (buckets: ChartBucket[]) => buckets.some(({ href }) => href);

/** Draws, and draws again when what is drawn, the room for it or the colours change. */
function usePlot({ buckets, layers, short, steps, height }: Drawing) {
  const place = useRef<HTMLDivElement>(null);
  const [plot, setPlot] = useState<uPlot | null>(null);
  const scheme = useScheme();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the scheme changes the colours that are drawn with
  useEffect(() => {
    const element = place.current!;
    const drawn = draw(element, { buckets, layers, short, steps, height });
    const room = new ResizeObserver(() => drawn.setSize({ width: element.clientWidth, height }));
    room.observe(element);
    setPlot(drawn);
    return () => {
      room.disconnect();
      drawn.destroy();
      setPlot(null);
    };
  }, [buckets, layers, short, steps, height, scheme]);
  return { place, plot };
}

export function Swatch({ colour }: { colour: number }) {
  return <i className="swatch" style={{ background: `var(--series-${colour})` }} aria-hidden />;
}

function useScheme(): boolean {
  const [dark, setDark] = useState(() => matchMedia("(prefers-color-scheme: dark)").matches);
  useEffect(() => {
    const query = matchMedia("(prefers-color-scheme: dark)");
    const changed = () => setDark(query.matches);
    query.addEventListener("change", changed);
    return () => query.removeEventListener("change", changed);
  }, []);
  return dark;
}

/** Where a key leads, from nowhere to the newest; null for a key that leads nowhere. */
function stepOf(key: string, at: number | null, length: number): number | null {
  const last = length - 1;
  if (key === "Home") return 0;
  if (key === "End") return last;
  if (key !== "ArrowLeft" && key !== "ArrowRight") return null;
  if (at === null) return last;
  return Math.min(last, Math.max(0, at + (key === "ArrowLeft" ? -1 : 1)));
}

type Said = { at: number; format: Format };

function spokenOf(title: string, layers: Layer[], { at, format }: Said): string {
  const [total] = totalsOf(
    layers.map((layer) => ({ ...layer, values: [layer.values[at]!] })),
    1,
  );
  const groups = layers.length > 1 ? layers.filter(({ values }) => values[at]! > 0) : [];
  return [
    `${title}: ${format(total!)}`,
    ...groups.map(({ name, values }) => `${name} ${format(values[at]!)}`),
  ].join(", ");
}

type TipProps = Said & { plot: uPlot; bucket: ChartBucket; layers: Layer[] };

function Tip({ plot, bucket, at, layers, format }: TipProps) {
  const { left, width } = placeOf(plot, at);
  const centre = left + width / 2;
  const side = centre > plot.width / 2 ? { right: plot.width - left + 6 } : { left: left + width + 6 };
  const groups = layers.filter(({ values }) => values[at]! > 0);
  const total = groups.reduce((sum, { values }) => sum + values[at]!, 0);
  return (
    <>
      <div className="pointed" style={{ left, width }} aria-hidden />
      <div className="tip" style={side} aria-hidden>
        <p>{bucket.title}</p>
        {groups.toReversed().map(({ id, name, values, colour }) => (
          <p key={id}>
            <Swatch colour={colour} /> <span>{name}</span> <strong>{format(values[at]!)}</strong>
          </p>
        ))}
        {groups.length !== 1 && (
          <p>
            <span>Total</span> <strong>{format(total)}</strong>
          </p>
        )}
      </div>
    </>
  );
}
