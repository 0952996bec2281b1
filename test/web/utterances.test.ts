/** Promise: the live transcript grows by deltas, ends with the final text, and drops utterances without words. */
import { expect, test } from "bun:test";
import {
  applyEvent,
  awaitedSince,
  delayText,
  type LiveEvent,
  type Utterance,
} from "../../src/web/playground/live/utterances.ts";

const DELTA = "conversation.item.input_audio_transcription.delta";
const COMPLETED = "conversation.item.input_audio_transcription.completed";
const FAILED = "conversation.item.input_audio_transcription.failed";

/** Applies events 100 ms apart. */
const after = (...events: LiveEvent[]): Utterance[] =>
  events.reduce<Utterance[]>((all, event, index) => applyEvent(all, event, index * 100), []);

test("deltas are appended until the final transcript replaces them", () => {
  const deltas: LiveEvent[] = [
    { type: DELTA, item_id: "one", delta: "Good " },
    { type: DELTA, item_id: "one", delta: "morning" },
  ];
  expect(after(...deltas)).toMatchObject([{ text: "Good morning", isFinal: false }]);
  const completed = { type: COMPLETED, item_id: "one", transcript: "Good morning." };
  expect(after(...deltas, completed)).toMatchObject([
    { text: "Good morning.", isFinal: true, latencyMs: null },
  ]);
});

test("what may still change is apart from the text, until words or the end take its place", () => {
  const interim = (text: string): LiveEvent => ({
    type: "loquat.input_audio_transcription.interim",
    item_id: "one",
    text,
  });
  const delta = { type: DELTA, item_id: "one", delta: "Good" };
  expect(after(interim("could"))).toMatchObject([{ text: "", interim: "could" }]);
  expect(after(interim("could"), delta)).toMatchObject([{ text: "Good", interim: "" }]);
  expect(after(delta, interim("mourning"))).toMatchObject([{ text: "Good", interim: "mourning" }]);
  expect(after(interim("Good"), { type: COMPLETED, item_id: "one", transcript: "" })).toEqual([]);
  expect(after(interim("could"), { type: COMPLETED, item_id: "one", transcript: "Good." })).toMatchObject([
    { text: "Good.", interim: "", isFinal: true },
  ]);
});

test("latency is measured from the end of speech", () => {
  const [utterance] = after(
    { type: "input_audio_buffer.speech_stopped", item_id: "one" },
    { type: DELTA, item_id: "one", delta: "Yes" },
    { type: COMPLETED, item_id: "one", transcript: "Yes." },
  );
  expect(utterance?.latencyMs).toBe(200);
});

test("an empty transcript removes its utterance only", () => {
  const all = after(
    { type: DELTA, item_id: "one", delta: "Yes" },
    { type: "input_audio_buffer.speech_stopped", item_id: "two" },
    { type: COMPLETED, item_id: "two", transcript: "" },
  );
  expect(all.map(({ itemId }) => itemId)).toEqual(["one"]);
});

test("a failed transcription shows its error", () => {
  const error = { message: "Too noisy.", code: "transcription_failed" };
  expect(after({ type: FAILED, item_id: "one", error })).toMatchObject([
    { text: "(Too noisy.)", isFinal: true },
  ]);
});

test("events without an item change nothing", () => {
  expect(after({ type: "session.created" })).toEqual([]);
});

test("the delay of the last utterance is said, and the median of several", () => {
  const [empty] = after({ type: DELTA, item_id: "one", delta: "Good " });
  const spoken = (latencyMs: number | null): Utterance => ({ ...empty!, latencyMs });
  expect(delayText([])).toBeNull();
  expect(delayText([spoken(null)])).toBeNull();
  expect(delayText([spoken(420), spoken(null)])).toBe("Text came 420 ms after you stopped.");
  expect(delayText([spoken(400), spoken(2000), spoken(1200)])).toBe(
    "Text came 1.2 s after you stopped, 1.2 s at the median.",
  );
});

test("words are awaited from the begin of speech or the last of them, until the final text", () => {
  const events: [LiveEvent, number | null][] = [
    [{ type: DELTA, item_id: "zero", delta: "late" }, null],
    [{ type: "input_audio_buffer.speech_started", item_id: "one" }, 1],
    [{ type: "session.updated" }, 1],
    [{ type: "loquat.input_audio_transcription.interim", item_id: "one", text: "good" }, 3],
    [{ type: DELTA, item_id: "one", delta: "Good" }, 4],
    [{ type: "input_audio_buffer.speech_stopped", item_id: "one" }, 4],
    [{ type: COMPLETED, item_id: "one", transcript: "Good." }, null],
  ];
  let since: number | null = null;
  for (const [now, [event, expected]] of events.entries()) {
    since = awaitedSince(since, event, now);
    expect({ now, since }).toEqual({ now, since: expected });
  }
});
