/** Promise: the live transcript grows by deltas, ends with the final text, and drops utterances without words. */
import { expect, test } from "bun:test";
import { applyEvent, type LiveEvent, type Utterance } from "../../src/web/playground/live/utterances.ts";

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
