/** A component's own playback, which ends with the component, and what others follow of its state. */
import { useEffect, useState, useSyncExternalStore } from "react";
import { Playback, type PlaybackState } from "./playback.ts";

export function usePlayback(): Playback {
  const [playback] = useState(() => new Playback());
  useEffect(() => playback.stop, [playback]);
  return playback;
}

/** Renders again when the selected value changes, not with every step of the position. */
export const usePlaybackValue = <T>(playback: Playback, select: (state: PlaybackState) => T): T =>
  useSyncExternalStore(playback.subscribe, () => select(playback.state()));
