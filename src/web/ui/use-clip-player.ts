/** Plays one clip at a time: fetched when it is first asked for, stopped when the page is left. */
import { useEffect, useRef, useState } from "react";
import { type Message, messageOf } from "./status-line.tsx";

export type ClipPlayer = {
  /** The id of the clip that is fetched or played. */
  active: { id: string; isLoading: boolean } | null;
  message: Message;
  /** Plays a clip, or stops it. */
  toggle(id: string, fetch: (signal: AbortSignal) => Promise<Blob>): void;
  stop(): void;
};

export function useClipPlayer(onStart: () => void = () => {}): ClipPlayer {
  const [active, setActive] = useState<ClipPlayer["active"]>(null);
  const [message, setMessage] = useState<Message>({ text: "" });
  const [audio] = useState(() => new Audio());
  const current = useRef<AbortController | null>(null);

  function stop() {
    current.current?.abort();
    audio.pause();
    setActive(null);
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: when the page is left
  useEffect(() => stop, []);

  const play: ClipPlayer["toggle"] = async (id, fetch) => {
    const leaving = new AbortController();
    current.current = leaving;
    onStart();
    setMessage({ text: "" });
    setActive({ id, isLoading: true });
    try {
      const file = await fetch(leaving.signal);
      if (leaving.signal.aborted) return;
      if (audio.src) URL.revokeObjectURL(audio.src);
      audio.src = URL.createObjectURL(file);
      audio.onended = () => setActive(null);
      await audio.play();
      setActive({ id, isLoading: false });
    } catch (error) {
      if (leaving.signal.aborted) return;
      setActive(null);
      setMessage(messageOf(error));
    }
  };

  return {
    ...{ active, message, stop },
    toggle(id, fetch) {
      const wasActive = active?.id === id;
      stop();
      if (!wasActive) void play(id, fetch);
    },
  };
}
