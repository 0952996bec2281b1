/** A conversation for components: it ends when the page is left. */
import { useEffect, useState, useSyncExternalStore } from "react";
import { Talk, type TalkState } from "./talk.ts";
import type { TalkSettings } from "./talk-settings.ts";

export function useTalk(settings: TalkSettings): { talk: Talk; state: TalkState } {
  const [talk] = useState(() => new Talk(settings));
  useEffect(() => talk.end, [talk]);
  useEffect(() => talk.configure(settings), [talk, settings]);
  return { talk, state: useSyncExternalStore(talk.subscribe, talk.state) };
}
