/** An interactive plot: selected by pointer or arrow keys, a bucket shows its values; activated, it opens its rows. */
import { type KeyboardEvent, type MouseEvent, type PointerEvent, useEffect, useRef, useState } from "react";
import type uPlot from "uplot";
import { useLocation } from "wouter";
import { useScheme } from "../../browser/use-theme.ts";
import { chartsTexts } from "../../language/en/charts.ts";
import { bucketAt, type Drawing, draw, positionOf } from "./drawing.ts";
import { type ChartBucket, isUnknown, type Layer, totalsOf } from "./series.ts";

type Format = (value: number) => string;
type PlotProps = Drawing & { label: string; format: Format };
/** The selected bucket; announced to screen readers only when selected by keyboard. */
type Selection = { index: number; isAnnounced: boolean } | null;

export function Plot({ label, format, ...drawing }: PlotProps) {
  const { container, plot } = usePlot(drawing);
  const { buckets, layers } = drawing;
  const [selection, setSelection] = useState<Selection>(null);
  const [, navigate] = useLocation();
  const selected = selection && selection.index < buckets.length ? selection.index : null;
  const open = (index: number) => {
    const href = buckets[index]?.href;
    if (href) navigate(href);
  };
  const keyDown = (event: KeyboardEvent) => {
    if (event.key === "Enter" && selected !== null) return open(selected);
    if (event.key === "Escape") return setSelection(null);
    const next = nextIndex(event.key, selected, buckets.length);
    if (next === null) return;
    event.preventDefault();
    setSelection({ index: next, isAnnounced: true });
  };
  const indexAt = ({ clientX }: MouseEvent) => (plot ? bucketAt(plot, clientX) : null);
  const move = (event: PointerEvent) => {
    if (event.pointerType === "touch") return;
    const index = indexAt(event);
    setSelection(index === null ? null : { index, isAnnounced: false });
  };
  /** The first tap selects, the second opens. */
  const click = (event: MouseEvent) => {
    const index = indexAt(event);
    if (index === null) return;
    if (index === selected) open(index);
    else setSelection({ index, isAnnounced: false });
  };
  const bucket = selected === null ? undefined : buckets[selected];
  const t = chartsTexts();
  return (
    <div
      className="plot"
      role="application"
      aria-roledescription={t("chart")}
      aria-label={t(haveLinks(buckets) ? "opens" : "keys", { label })}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: operated with the arrow keys
      tabIndex={0}
      onKeyDown={keyDown}
      onPointerMove={move}
      onPointerLeave={() => setSelection(null)}
      onBlur={() => setSelection(null)}
      onClick={click}
      data-opens={haveLinks(buckets) || undefined}
    >
      <div ref={container} aria-hidden />
      {plot && bucket && (
        <Tooltip {...{ plot, bucket, index: selected!, layers, format }} hasTotal={!drawing.isInFront} />
      )}
      <p className="unseen" aria-live="polite">
        {bucket && selection?.isAnnounced
          ? announcementOf(bucket.title, layers, { index: selected!, format, hasTotal: !drawing.isInFront })
          : ""}
      </p>
    </div>
  );
}

const haveLinks = (buckets: ChartBucket[]) => buckets.some(({ href }) => href);

/** Draws, and redraws when the data, the size or the colour scheme changes. */
function usePlot({ buckets, layers, short, steps, height, isInFront = false, limit }: Drawing) {
  const container = useRef<HTMLDivElement>(null);
  const [plot, setPlot] = useState<uPlot | null>(null);
  const scheme = useScheme();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the scheme changes the colours
  useEffect(() => {
    const element = container.current!;
    const drawn = draw(element, { buckets, layers, short, steps, height, isInFront, limit });
    const observer = new ResizeObserver(() => drawn.setSize({ width: element.clientWidth, height }));
    observer.observe(element);
    setPlot(drawn);
    return () => {
      observer.disconnect();
      drawn.destroy();
      setPlot(null);
    };
  }, [buckets, layers, short, steps, height, isInFront, limit, scheme]);
  return { container, plot };
}

export function Swatch({ colour }: { colour: number }) {
  return <i className="swatch" style={{ background: `var(--series-${colour})` }} aria-hidden />;
}

/** The bucket a key moves to, at first the newest; null for other keys. */
function nextIndex(key: string, selected: number | null, length: number): number | null {
  const last = length - 1;
  if (key === "Home") return 0;
  if (key === "End") return last;
  if (key !== "ArrowLeft" && key !== "ArrowRight") return null;
  if (selected === null) return last;
  return Math.min(last, Math.max(0, selected + (key === "ArrowLeft" ? -1 : 1)));
}

/** `hasTotal`: the values add up. */
type ValueProps = { index: number; format: Format; hasTotal: boolean };

function announcementOf(title: string, layers: Layer[], { index, format, hasTotal }: ValueProps): string {
  if (isUnknown(layers, index)) return `${title}: ${chartsTexts()("noData")}`;
  const [total] = totalsOf(
    layers.map((layer) => ({ ...layer, values: [layer.values[index]!] })),
    1,
  );
  const groups = layers.length > 1 || !hasTotal ? layers.filter(({ values }) => values[index]) : [];
  const named = groups.map(({ name, values }) => `${name} ${format(values[index]!)}`);
  if (!hasTotal) return `${title}: ${named.join(", ") || chartsTexts()("none")}`;
  return [`${title}: ${format(total!)}`, ...named].join(", ");
}

type TooltipProps = ValueProps & { plot: uPlot; bucket: ChartBucket; layers: Layer[] };

function Tooltip({ plot, bucket, index, layers, format, hasTotal }: TooltipProps) {
  const { left, width } = positionOf(plot, index);
  const centre = left + width / 2;
  const position = centre > plot.width / 2 ? { right: plot.width - left + 6 } : { left: left + width + 6 };
  const groups = layers.filter(({ values }) => values[index]);
  const total = groups.reduce((sum, { values }) => sum + values[index]!, 0);
  const isKnown = !isUnknown(layers, index);
  return (
    <>
      <div className="pointed" style={{ left, width }} aria-hidden />
      <div className="tip" style={position} aria-hidden>
        <p>{bucket.title}</p>
        {groups.toReversed().map(({ id, name, values, colour }) => (
          <p key={id}>
            <Swatch colour={colour} /> <span>{name}</span> <strong>{format(values[index]!)}</strong>
          </p>
        ))}
        {!isKnown && <p>{chartsTexts()("noData")}</p>}
        {hasTotal && isKnown && groups.length !== 1 && (
          <p>
            <span>{chartsTexts()("total")}</span> <strong>{format(total)}</strong>
          </p>
        )}
      </div>
    </>
  );
}
