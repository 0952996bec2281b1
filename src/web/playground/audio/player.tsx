/** The controls of a track: play and pause, a waveform that seeks, the time and the playback speed. */

import type { ReactNode } from "react";
import { count } from "../../format/numbers.ts";
import { speakTexts } from "../../language/en/speak.ts";
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
  const t = speakTexts();
  const durationSeconds = track?.durationSeconds ?? 0;
  return (
    <section className="player" aria-label={t("player")}>
      <button
        type="button"
        className="round"
        aria-label={t(isPlaying ? "pause" : "playRecording")}
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
        <span className="title" dir="auto">
          {title}
        </span>
        <span className="actions">
          <label className="rate">
            <span>{t("playbackSpeed")}</span>
            <select
              value={rate}
              disabled={!track?.file}
              onChange={(event) => playback.setRate(Number(event.target.value))}
            >
              {RATES.map((each) => (
                <option key={each} value={each}>
                  {count(each)}×
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
