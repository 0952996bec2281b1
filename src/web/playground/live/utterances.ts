/** The transcript of a live session: one entry an utterance, by its item id. Pure. */

import { ms } from "../../format/numbers.ts";
import { liveTexts } from "../../language/en/live.ts";

/** The server events that matter here, of the transcription session. */
export type LiveEvent = {
  type: string;
  item_id?: string;
  /** Positions in the session's audio. */
  audio_start_ms?: number;
  audio_end_ms?: number;
  delta?: string;
  /** What may still change, behind the deltas. */
  text?: string;
  transcript?: string;
  error?: { message: string; code: string };
};

export type Utterance = {
  itemId: string;
  text: string;
  /** What was heard last behind the text, and may still change. */
  interim: string;
  isFinal: boolean;
  /** Where it was spoken in the session's audio, in milliseconds; null while that is unknown. */
  startMs: number | null;
  endMs: number | null;
  /** When the end of speech was detected, in milliseconds. */
  stoppedAt: number | null;
  /** From the end of speech to the final transcript. */
  latencyMs: number | null;
};

/** Applies one event at the time `now`; utterances that turn out to be empty are removed. */
export function applyEvent(all: Utterance[], event: LiveEvent, now: number): Utterance[] {
  const { type, item_id: itemId } = event;
  if (!itemId) return all;
  const change = (edit: (utterance: Utterance) => Partial<Utterance>): Utterance[] => {
    const known = all.some((each) => each.itemId === itemId) ? all : [...all, emptyUtterance(itemId)];
    return known.map((each) => (each.itemId === itemId ? { ...each, ...edit(each) } : each));
  };
  const complete = (text: string) =>
    change(({ stoppedAt }) => ({
      text,
      interim: "",
      isFinal: true,
      latencyMs: stoppedAt === null ? null : Math.round(now - stoppedAt),
    }));
  if (type === "input_audio_buffer.speech_started")
    return change(() => ({ startMs: event.audio_start_ms ?? null }));
  if (type === "input_audio_buffer.speech_stopped")
    return change(() => ({ stoppedAt: now, endMs: event.audio_end_ms ?? null }));
  if (type.endsWith("transcription.delta"))
    return change(({ text }) => ({ text: text + (event.delta ?? ""), interim: "" }));
  if (type.endsWith("transcription.interim")) return change(() => ({ interim: event.text ?? "" }));
  if (type.endsWith("transcription.failed")) return complete(`(${event.error?.message})`);
  if (!type.endsWith("transcription.completed")) return all;
  return event.transcript ? complete(event.transcript) : all.filter((each) => each.itemId !== itemId);
}

/** Since when nothing new came of what is being said, in milliseconds; null while nothing is awaited. */
export function awaitedSince(before: number | null, { type }: LiveEvent, now: number): number | null {
  if (type === "input_audio_buffer.speech_started") return now;
  if (/transcription\.(completed|failed)$/.test(type)) return null;
  if (/transcription\.(delta|interim)$/.test(type)) return before === null ? null : now;
  return before;
}

const emptyUtterance = (itemId: string): Utterance => ({
  itemId,
  text: "",
  interim: "",
  isFinal: false,
  startMs: null,
  endMs: null,
  stoppedAt: null,
  latencyMs: null,
});

/** Whether it has something to show. */
export const isVisible = ({ text, interim }: Utterance): boolean => text !== "" || interim !== "";

const WORD_SECONDS = 0.4;

/** The finished utterances as subtitles; one without an end, because it was cut by the last commit, gets a usual one. */
export function cuesOf(all: Utterance[]): { start: number; end: number; text: string }[] {
  return all.flatMap(({ text, isFinal, startMs, endMs }) => {
    if (!isFinal || text === "" || startMs === null) return [];
    const start = startMs / 1000;
    const end = endMs === null ? start + WORD_SECONDS * text.split(" ").length : endMs / 1000;
    return [{ start, end, text }];
  });
}

/** How long after the end of what was said its text came: of the last utterance, and of the one in the middle. */
export function delayText(utterances: Utterance[]): string | null {
  const delays = utterances.flatMap(({ latencyMs }) => (latencyMs === null ? [] : [latencyMs]));
  const last = delays.at(-1);
  if (last === undefined) return null;
  const median = delays.toSorted((a, b) => a - b)[Math.floor((delays.length - 1) / 2)]!;
  const t = liveTexts();
  const delay = ms(last);
  return delays.length > 1 ? t("cameAfterMedian", { delay, median: ms(median) }) : t("cameAfter", { delay });
}
