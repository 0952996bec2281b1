/**
 * The waveform of a recording with its words at their times, which scrolls along while it plays. A click plays from there.
 * Only what is in view is drawn: a recording of ten minutes is as wide as fifty screens.
 *
 *    ▁▃▆█▅▂ ▂▅█▇▃▁    ▁▄▇█▆▃▁ │ ▂▅▇▅▂
 *    Good   morning   everybody   the position
 */

import { type MouseEvent, memo, useCallback, useEffect, useMemo, useRef, useState } from "react";
import { transcribeTexts } from "../../language/en/transcribe.ts";
import type { Playback } from "../audio/playback.ts";
import { usePlaybackValue } from "../audio/use-playback.ts";
import { coloursOf, type PlacedWord, placedWords } from "./placed-words.ts";
import { heardAt, type Transcription } from "./transcription.ts";

const PX = 160; // pixels a second: as wide as words need that are spoken so fast
const HEIGHT = 56;
const BAR_MIN = 1; // half the height of silence
const STEP = 400; // the part that is drawn moves in such steps
const FOLLOWS_WITHIN = 0.85; // of the width in view
const RETURNS_TO = 0.15;

type TimelineProps = { result: Transcription; playback: Playback };

/** Nothing for a file that the browser cannot play. */
export function Timeline(props: TimelineProps) {
  const track = usePlaybackValue(props.playback, (state) => state.track);
  if (!track || track.durationSeconds === 0) return null;
  return <Track {...props} peaks={track.peaks} durationSeconds={track.durationSeconds} />;
}

type TrackProps = TimelineProps & { peaks: readonly number[]; durationSeconds: number };

function Track({ result, playback, peaks, durationSeconds }: TrackProps) {
  const words = useMemo(() => placedWords(result), [result]);
  const colours = useMemo(() => coloursOf(result.segments), [result]);
  const element = useRef<HTMLDivElement>(null);
  const { view, look } = useView(element);
  useFollow(element, playback);
  const current = usePlaybackValue(playback, ({ positionSeconds }) => heardAt(words, positionSeconds));
  function play({ clientX, currentTarget }: MouseEvent<HTMLDivElement>) {
    const { left } = currentTarget.getBoundingClientRect();
    const seconds = (clientX - left + currentTarget.scrollLeft) / PX;
    if (seconds > durationSeconds) return;
    playback.playFrom(heardAt(words, seconds)?.start ?? seconds);
  }
  const isInView = ({ start, end }: PlacedWord) => end * PX >= view.from && start * PX <= view.to;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the words of the transcript below play as well, and the waveform above seeks
    // biome-ignore lint/a11y/useSemanticElements: not a fieldset
    <div
      className="timeline"
      ref={element}
      role="group"
      aria-label={transcribeTexts()("waveform")}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: scrolls with the keyboard
      tabIndex={0}
      onScroll={look}
      onClick={play}
    >
      <div className="timeline-track" style={{ width: `${Math.ceil(durationSeconds * PX)}px` }} aria-hidden>
        <Wave peaks={peaks} {...{ durationSeconds, ...view }} />
        {words.map(
          (word, index) =>
            isInView(word) && (
              <TrackWord
                // biome-ignore lint/suspicious/noArrayIndexKey: words repeat, and are replaced together
                key={index}
                word={word}
                width={((words[index + 1]?.start ?? durationSeconds) - word.start) * PX}
                colour={colours.get(word.speaker ?? "")}
                isCurrent={word === current}
              />
            ),
        )}
        <Position playback={playback} />
      </div>
    </div>
  );
}

type TrackWordProps = { word: PlacedWord; width: number; colour: number | undefined; isCurrent: boolean };

/** Cut where the next word begins; the one that is heard is whole. */
const TrackWord = ({ word: { word, start, opacity }, width, colour, isCurrent }: TrackWordProps) => (
  <span
    className={isCurrent ? "current" : undefined}
    style={{
      left: `${start * PX}px`,
      ...(isCurrent ? {} : { maxWidth: `${Math.max(0, width)}px` }),
      opacity: isCurrent ? 1 : opacity,
      ...(colour === undefined ? {} : { borderColor: `var(--series-${colour})` }),
    }}
  >
    {word}
  </span>
);

type View = { from: number; to: number };

/** What is in view and a step on both sides, in pixels from the start; it changes once a step. */
function useView(element: { current: HTMLDivElement | null }) {
  const [view, setView] = useState<View>({ from: 0, to: 0 });
  const look = useCallback(() => {
    const { scrollLeft, clientWidth } = element.current!;
    const from = Math.floor(scrollLeft / STEP) * STEP - STEP;
    const to = Math.ceil((scrollLeft + clientWidth) / STEP) * STEP + STEP;
    setView((before) => (before.from === from && before.to === to ? before : { from, to }));
  }, [element]);
  useEffect(() => {
    const observer = new ResizeObserver(look);
    observer.observe(element.current!);
    return () => observer.disconnect();
  }, [element, look]);
  return { view, look };
}

/** While it plays, the position stays in view. */
function useFollow(element: { current: HTMLDivElement | null }, playback: Playback): void {
  useEffect(
    () =>
      playback.subscribe(() => {
        const { isPlaying, positionSeconds } = playback.state();
        const view = element.current;
        if (!isPlaying || !view) return;
        const at = positionSeconds * PX - view.scrollLeft;
        if (at >= 0 && at <= view.clientWidth * FOLLOWS_WITHIN) return;
        view.scrollLeft = positionSeconds * PX - view.clientWidth * RETURNS_TO;
      }),
    [element, playback],
  );
}

/** Moves by itself, so that nothing else is rendered with each step. */
function Position({ playback }: { playback: Playback }) {
  const position = usePlaybackValue(playback, ({ positionSeconds }) => positionSeconds);
  return <i className="position" style={{ transform: `translateX(${position * PX}px)` }} />;
}

type WaveProps = View & { peaks: readonly number[]; durationSeconds: number };

const Wave = memo(function Wave({ peaks, durationSeconds, from, to }: WaveProps) {
  const path = pathOf(peaks, { durationSeconds, from, to });
  const left = Math.max(0, from);
  return (
    <svg
      aria-hidden
      style={{ left: `${left}px` }}
      width={Math.max(0, to - left)}
      height={HEIGHT}
      viewBox={`${left} 0 ${Math.max(1, to - left)} ${HEIGHT}`}
    >
      <path d={path} />
    </svg>
  );
});

/** One upright line for each peak between two positions; the loudest of all is as high as the drawing. */
function pathOf(peaks: readonly number[], { durationSeconds, from, to }: Omit<WaveProps, "peaks">): string {
  if (peaks.length === 0 || durationSeconds === 0) return "";
  const pitch = (durationSeconds * PX) / peaks.length;
  const loudest = peaks.reduce((most, each) => Math.max(most, each), 0) || 1;
  const first = Math.max(0, Math.floor(from / pitch));
  return peaks
    .slice(first, Math.ceil(to / pitch))
    .map((peak, index) => {
      const half = Math.max(BAR_MIN, (peak / loudest) * (HEIGHT / 2 - 2));
      const x = ((first + index + 0.5) * pitch).toFixed(1);
      return `M${x} ${(HEIGHT / 2 - half).toFixed(1)}V${(HEIGHT / 2 + half).toFixed(1)}`;
    })
    .join("");
}
