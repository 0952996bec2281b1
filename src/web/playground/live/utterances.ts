/** The transcript of a live session: one entry an utterance, by its item id. Pure. */

/** The server events that matter here, of the transcription session. */
export type LiveEvent = {
  type: string;
  item_id?: string;
  delta?: string;
  transcript?: string;
  error?: { message: string; code: string };
};

export type Utterance = {
  itemId: string;
  text: string;
  isFinal: boolean;
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
      isFinal: true,
      latencyMs: stoppedAt === null ? null : Math.round(now - stoppedAt),
    }));
  if (type === "input_audio_buffer.speech_stopped") return change(() => ({ stoppedAt: now }));
  if (type.endsWith("transcription.delta"))
    return change(({ text }) => ({ text: text + (event.delta ?? "") }));
  if (type.endsWith("transcription.failed")) return complete(`(${event.error?.message})`);
  if (!type.endsWith("transcription.completed")) return all;
  return event.transcript ? complete(event.transcript) : all.filter((each) => each.itemId !== itemId);
}

const emptyUtterance = (itemId: string): Utterance => ({
  itemId,
  text: "",
  isFinal: false,
  stoppedAt: null,
  latencyMs: null,
});
