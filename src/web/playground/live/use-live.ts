/** The state of live transcription: idle, opening, listening, finishing. */

import { useEffect, useRef, useState } from "react";
import type { Client } from "../../api/public-api.ts";
import { liveTexts } from "../../language/en/live.ts";
import { type Message, messageOf } from "../../ui/status-line.tsx";
import { type LiveSession, type LiveSettings, openLiveSession } from "./live-session.ts";
import { applyEvent, awaitedSince, type LiveEvent, type Utterance } from "./utterances.ts";

const MESSAGES = new Map([
  ["session.created", "listening"],
  ["input_audio_buffer.speech_started", "youSpeak"],
  ["input_audio_buffer.speech_stopped", "listeningOn"],
] as const);

export type Phase = "idle" | "opening" | "listening" | "finishing";

export function useLive(client: Client, settings: LiveSettings) {
  const t = liveTexts();
  const [phase, setPhase] = useState<Phase>("idle");
  const [level, setLevel] = useState(0);
  const [message, setMessage] = useState<Message>({ text: "" });
  const [utterances, setUtterances] = useState<Utterance[]>([]);
  const [startedAt, setStartedAt] = useState(0);
  const [awaited, setAwaited] = useState<number | null>(null);
  const session = useRef<LiveSession | null>(null);
  useEffect(() => () => session.current?.close(), []);

  function onEvent(event: LiveEvent) {
    const said = (MESSAGES as ReadonlyMap<string, "listening" | "youSpeak" | "listeningOn">).get(event.type);
    if (said && session.current) setMessage((before) => (before.isError ? before : { text: t(said) }));
    if (event.type === "error")
      setMessage({ text: `${event.error?.message} (${event.error?.code})`, isError: true });
    setUtterances((all) => applyEvent(all, event, performance.now()));
    setAwaited((before) => awaitedSince(before, event, performance.now()));
  }

  function onClose(problem: string | null) {
    session.current = null;
    setPhase("idle");
    setLevel(0);
    setAwaited(null);
    setMessage((before) => {
      if (before.isError) return before; // it says more than the reason of the close
      return problem ? { text: problem, isError: true } : { text: t("stopped") };
    });
  }

  async function start() {
    setPhase("opening");
    setUtterances([]);
    setMessage({ text: t("opening") });
    try {
      session.current = await openLiveSession({ client, settings, onEvent, onLevel: setLevel, onClose });
      setStartedAt(performance.now());
      setPhase("listening");
    } catch (error) {
      setPhase("idle");
      setMessage(messageOf(error));
    }
  }

  async function stop() {
    setPhase("finishing");
    setLevel(0);
    setMessage({ text: t("finishingLast") });
    const ending = session.current;
    session.current = null; // later events about speech no longer matter
    await ending?.finish();
  }

  return {
    phase,
    level,
    message,
    utterances,
    startedAt,
    awaitedSince: awaited,
    start,
    stop,
    clear: () => setUtterances([]),
  };
}
