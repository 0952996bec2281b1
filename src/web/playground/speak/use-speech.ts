/** Speaks a text with one voice, or with several in turn, and keeps the results in the history. */

import { useEffect, useRef, useState } from "react";
import type { Client } from "../../api/public-api.ts";
import { showReady } from "../../browser/tab-icon.ts";
import { ms, oneDecimal } from "../../format/numbers.ts";
import { speakTexts } from "../../language/en/speak.ts";
import { type Message, messageOf } from "../../ui/status-line.tsx";
import type { Playback } from "../audio/playback.ts";
import { newTrackId } from "../audio/track-id.ts";
import { canStream, type Order, type Synthesis, synthesize } from "../synthesis/synthesis.ts";

type SpeechOptions = { client: Client; playback: Playback; onSynthesis: (made: Synthesis) => void };

export type Speech = {
  message: Message;
  /** Whether something is being received. */
  isBusy: boolean;
  /** Of the last call of `speak`, in its order. */
  results: Synthesis[];
  speak(orders: Order[]): Promise<void>;
  stop(): void;
  say(message: Message): void;
};

export function useSpeech({ client, playback, onSynthesis }: SpeechOptions): Speech {
  const [message, say] = useState<Message>({ text: "" });
  const [isBusy, setBusy] = useState(false);
  const [results, setResults] = useState<Synthesis[]>([]);
  const current = useRef<AbortController | null>(null);
  useEffect(() => () => current.current?.abort(), []);

  /** Only the first plays by itself. */
  async function speakOne(order: Order, isFirst: boolean, signal: AbortSignal): Promise<Synthesis> {
    const id = newTrackId();
    const streams = isFirst && canStream(order);
    if (streams) playback.stream(id);
    const progress = streams ? { signal, onSamples: playback.push } : { signal };
    const made = await synthesize(client, { ...order, id }, progress);
    signal.throwIfAborted();
    if (streams) playback.complete(made);
    else if (isFirst) playback.load(made, { autoplay: true });
    return made;
  }

  async function speak(orders: Order[]): Promise<void> {
    current.current?.abort();
    const leaving = new AbortController();
    current.current = leaving;
    playback.stop();
    setResults([]);
    setBusy(true);
    say({ text: speakTexts()("speaking") });
    try {
      for (const [index, order] of orders.entries()) {
        const made = await speakOne(order, index === 0, leaving.signal);
        setResults((all) => [...all, made]);
        say(
          orders.length === 1
            ? reportOf(made)
            : { text: speakTexts()("haveSpoken", { done: index + 1, count: orders.length }) },
        );
        onSynthesis(made);
      }
      showReady();
    } catch (error) {
      if (leaving.signal.aborted) return; // stopped by the user, or by the next call
      playback.stop();
      say(messageOf(error));
    } finally {
      if (current.current === leaving) setBusy(false);
    }
  }

  function stop(): void {
    current.current?.abort();
    playback.stop();
    if (isBusy) say({ text: speakTexts()("stopped") });
    setBusy(false);
  }

  return { speak, stop, say, message, isBusy, results };
}

function reportOf({ firstAudioMs, totalMs, durationSeconds, request }: Synthesis): Message {
  const t = speakTexts();
  if (durationSeconds === 0) return { text: t("cannotPlay", { format: request.response_format }) };
  const duration = oneDecimal(durationSeconds);
  return { text: t("report", { delay: ms(firstAudioMs), duration, time: ms(totalMs) }) };
}
