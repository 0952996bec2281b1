/** The controls of a track: play and pause, a waveform that seeks, the time and the playback speed. */
import type { ReactNode } from "react";
import { Icon } from "../../ui/icon.tsx";
import type { Playback } from "./playback.ts";
import { clockTime } from "./time-text.ts";
import { usePlaybackValue } from "./use-playback.ts";
import { Waveform } from "./waveform.tsx";

const RATES = [0.5, 0.75, 1, 1.25, 1.5, 2];
const NOTHING: readonly number[] = [];

type PlayerProps = {
  playback: Playback;
  /** What the track is. */
  title: ReactNode;
  /** Beside the playback speed. */
  actions?: ReactNode;
};

export function Player({ playback, title, actions }: PlayerProps) {
  const { track, isPlaying, positionSeconds, rate } = usePlaybackValue(playback, (all) => all);
  const durationSeconds = track?.durationSeconds ?? 0;
  return (
    <section className="player" aria-label="Player">
      <button
        type="button"
        className="round"
        aria-label={isPlaying ? "Pause" : "Play the recording"}
        disabled={!track}
        onClick={playback.toggle}
      >
        <Icon name={isPlaying ? "pause" : "play"} />
      </button>
      <Waveform
        peaks={track?.peaks ?? NOTHING}
        durationSeconds={durationSeconds}
        positionSeconds={positionSeconds}
        onSeek={playback.seek}
      />
      <div className="player-line">
        <span className="time">
          {clockTime(positionSeconds)} / {clockTime(durationSeconds)}
        </span>
        <span className="title">{title}</span>
        <span className="actions">
          <label className="rate">
            <span>Playback speed</span>
            <select
              value={rate}
              disabled={!track?.file}
              onChange={(event) => playback.setRate(Number(event.target.value))}
            >
              {RATES.map((each) => (
                <option key={each} value={each}>
                  {each}×
                </option>
              ))}
            </select>
          </label>
          {actions}
        </span>
      </div>
    </section>
  );
}
