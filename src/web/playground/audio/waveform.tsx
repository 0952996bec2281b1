/** A waveform that seeks: by a click or a drag anywhere on it, and by the arrow keys. */

import { type KeyboardEvent, useLayoutEffect, useMemo, useRef, useState } from "react";
import { speakTexts } from "../../language/en/speak.ts";
import { barsOf } from "./peaks.ts";
import { clockTime } from "./time-text.ts";

const PITCH = 4; // pixels from bar to bar
const HEIGHT = 64;
const BAR_MIN = 1.5; // half the height of silence
const SEEK_SECONDS = 2;
const KEYS: Record<string, number> = {
  ArrowLeft: -1,
  ArrowRight: 1,
  ArrowDown: -1,
  ArrowUp: 1,
  PageDown: -5,
  PageUp: 5,
};

type WaveformProps = {
  peaks: readonly number[];
  durationSeconds: number;
  positionSeconds: number;
  onSeek: (seconds: number) => void;
};

export function Waveform({ peaks, durationSeconds, positionSeconds, onSeek }: WaveformProps) {
  const { element, width } = useWidth();
  const count = Math.max(1, Math.floor(width / PITCH));
  // biome-ignore lint/correctness/useExhaustiveDependencies: peaks grow in place, and the duration with them
  const bars = useMemo(() => barsOf(peaks, count), [peaks, count, durationSeconds]);
  const played = durationSeconds === 0 ? 0 : Math.round((positionSeconds / durationSeconds) * count);
  function step(event: KeyboardEvent) {
    const steps = KEYS[event.key];
    if (steps === undefined) return;
    event.preventDefault();
    onSeek(positionSeconds + steps * SEEK_SECONDS);
  }
  return (
    <div className="waveform" ref={element}>
      <svg viewBox={`0 0 ${count * PITCH} ${HEIGHT}`} aria-hidden="true">
        <path className="played" d={pathOf(bars, 0, played)} />
        <path d={pathOf(bars, played, count)} />
      </svg>
      <input
        type="range"
        aria-label={speakTexts()("position")}
        aria-valuetext={speakTexts()("positionOf", {
          time: clockTime(positionSeconds),
          duration: clockTime(durationSeconds),
        })}
        min={0}
        max={durationSeconds}
        step="any"
        value={positionSeconds}
        disabled={durationSeconds === 0}
        onChange={(event) => onSeek(Number(event.target.value))}
        onKeyDown={step}
      />
    </div>
  );
}

/** One upright line for each bar. */
function pathOf(bars: number[], from: number, to: number): string {
  const lines = bars.slice(from, to).map((bar, index) => {
    const half = Math.max(BAR_MIN, (bar * HEIGHT) / 2 - 2);
    const x = (from + index + 0.5) * PITCH;
    return `M${x} ${(HEIGHT / 2 - half).toFixed(1)}V${(HEIGHT / 2 + half).toFixed(1)}`;
  });
  return lines.join("");
}

/** The width of an element, in pixels, as it changes. */
function useWidth() {
  const element = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const observer = new ResizeObserver(([entry]) => setWidth(entry!.contentRect.width));
    observer.observe(element.current!);
    return () => observer.disconnect();
  }, []);
  return { element, width };
}
