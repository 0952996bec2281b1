/** A component's own playback, which ends with the component. */
import { useEffect, useState, useSyncExternalStore } from "react";
import { Playback, type PlaybackState } from "./playback.ts";

export function usePlayback(): { playback: Playback; state: PlaybackState } {
  const [playback] = useState(() => new Playback());
  useEffect(() => playback.stop, [playback]);
  return { playback, state: useSyncExternalStore(playback.subscribe, playback.state) };
}
