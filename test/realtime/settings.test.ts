/** Promise: settings can change during a session without losing audio, in the current and the beta protocol. */
import { describe, expect, test } from "bun:test";
import { openConversation } from "./conversation.ts";

const SPEECH = `....${"#".repeat(20)}${".".repeat(16)}`;
const manual = { turnDetection: null };

describe("changed settings", () => {
  const settings = (change: object) => ({ ...openConversation(change).session.settings });

  test("keep the open turn when turn detection is switched off", () => {
    const { session, hear, keep, types } = openConversation(manual);
    hear("....####");
    keep(session.update(settings({}), "en", "session.updated"));
    hear(".".repeat(16));
    expect(types()).toEqual(["updated", "speech_stopped 1", "committed 1", "added", "done"]);
  });

  test("keep the open turn when turn detection is switched on", () => {
    const { session, hear, keep, types } = openConversation();
    hear("....####");
    keep(session.update(settings(manual), "en", "session.updated"));
    hear(".".repeat(50));
    keep(session.commit());
    expect(types()).toEqual(["speech_started 1", "updated", "committed 1", "added", "done"]);
  });

  test.each([
    ["without turn detection", manual],
    ["in a turn", {}],
  ])("cannot change the format while audio is buffered, %s", (_when, change) => {
    const { session, hear, keep, effects } = openConversation(change);
    hear("########");
    const next = settings({ ...change, format: { type: "audio/pcmu" } });
    expect(() => session.update(next, "en", "session.updated")).toThrow("while audio is buffered");
    keep(session.clear());
    keep(session.update(next, "en", "session.updated"));
    expect(effects.find((effect) => effect.do === "listen")).toEqual({ do: "listen", format: next.format });
  });

  test("count seconds in the format in which they came", () => {
    const { session, hear, keep } = openConversation();
    hear(".".repeat(100));
    keep(session.update(settings({ format: { type: "audio/pcmu" } }), "en", "session.updated"));
    session.append(8000);
    expect(session.receivedSeconds).toBe(4.2);
  });

  test("of the idle timeout send an empty item without speech", () => {
    const { hear, events, types } = openConversation({ turnDetection: { idle_timeout_ms: 5000 } });
    hear(".".repeat(160));
    expect(types()).toEqual(["timeout_triggered 1", "committed 1", "added", "done", "completed 1"]);
    expect(events()[0]).toMatchObject({ audio_start_ms: 0, audio_end_ms: 5024 });
    expect(events().at(-1)).toMatchObject({ transcript: "", usage: { seconds: 5.024 } });
  });

  test("of eagerness bound a silence or a murmur", () => {
    const ends = (eagerness: string, after: string) => {
      const { hear, types } = openConversation({
        turnDetection: { type: "semantic_vad", eagerness } as never,
      });
      hear(`####${after}`);
      return types().includes("speech_stopped 1");
    };
    expect(ends("high", ".".repeat(13))).toBe(true);
    expect(ends("low", ".".repeat(13))).toBe(false);
    expect(ends("low", ".".repeat(47))).toBe(true);
    expect(ends("high", "~".repeat(62))).toBe(false);
    expect(ends("high", "~".repeat(63))).toBe(true);
  });
});

describe("the beta protocol", () => {
  const beta = (intent: boolean) => openConversation({}, { shape: { beta: true, intent } });

  test("has a flat session, and a first event named by the intent", () => {
    const { session, keep, events } = beta(true);
    keep(session.start());
    expect(events()[0]).toMatchObject({
      type: "transcription_session.created",
      session: { object: "realtime.transcription_session", input_audio_format: "pcm16", include: [] },
    });
    const other = beta(false);
    other.keep(other.session.start());
    expect(other.events()[0]).toMatchObject({
      type: "session.created",
      session: { object: "realtime.session" },
    });
  });

  test("announces an item in one event", () => {
    const { hear, types } = beta(true);
    hear(SPEECH);
    expect(types()).toEqual(["speech_started 1", "speech_stopped 1", "committed 1", "created"]);
  });
});
