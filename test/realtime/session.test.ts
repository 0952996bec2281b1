/** Promise: a session answers every event at once, in order, with exact fields. */
import { describe, expect, test } from "bun:test";
import { Refusal } from "../../src/errors.ts";
import { openConversation, WINDOW } from "./conversation.ts";

const SPEECH = `....${"#".repeat(20)}${".".repeat(16)}`;
const failure = new Refusal("transcription_failed", "It broke.");
const manual = { turnDetection: null };

describe("a turn", () => {
  test("has its events in the published order", () => {
    const { session, hear, say, keep, types } = openConversation();
    keep(session.start());
    hear(SPEECH);
    say("item_x_1", "hello there");
    keep(session.conclude("item_x_1", "completed"));
    expect(types()).toEqual([
      "created",
      "speech_started 1",
      "speech_stopped 1",
      "committed 1",
      "added",
      "done",
      "delta 1",
      "completed 1",
    ]);
  });

  test("begins with a session object that has every field", () => {
    const { session, hear, say, keep, events } = openConversation();
    hear(SPEECH);
    say("item_x_1", "hello");
    keep(session.conclude("item_x_1", "completed"));
    const [started, stopped, committed, added, , delta, completed] = events();
    const item_id = "item_x_1";
    expect(started).toEqual({
      type: "input_audio_buffer.speech_started",
      event_id: "event_x_1",
      audio_start_ms: 0,
      item_id,
    });
    expect(stopped).toMatchObject({ audio_end_ms: 1280, item_id, event_id: "event_x_2" });
    expect(committed).toMatchObject({ previous_item_id: null, item_id });
    const content = [{ type: "input_audio", transcript: null }];
    expect(added?.item).toEqual({
      id: item_id,
      object: "realtime.item",
      type: "message",
      status: "completed",
      role: "user",
      content,
    });
    expect(delta).toMatchObject({ item_id, content_index: 0, delta: "hello" });
    expect(completed).toMatchObject({
      item_id,
      content_index: 0,
      transcript: "hello",
      languages: [{ code: "en" }],
      usage: { type: "duration", seconds: 1.28 },
    });
  });

  test("includes the padding before it, and no more", () => {
    const { hear, events, effects } = openConversation();
    hear(`${".".repeat(50)}${"#".repeat(10)}${".".repeat(16)}`);
    expect(events()[0]).toMatchObject({ audio_start_ms: 50 * 32 - 300 });
    const pushed = effects.flatMap((effect) => (effect.do === "push" ? [effect.samples.length] : []));
    expect(pushed.reduce((sum, count) => sum + count)).toBe(0.3 * 16_000 + 26 * WINDOW);
  });

  test("can follow another at once, without overlap of its padding", () => {
    const { hear, events } = openConversation({ turnDetection: { prefix_padding_ms: 5000 } });
    hear(`${SPEECH}${SPEECH}`);
    const starts = events().flatMap(({ audio_start_ms }) => audio_start_ms ?? []);
    expect(starts).toEqual([0, 1280]);
    const previous = events().filter(({ type }) => type === "input_audio_buffer.committed");
    expect(previous.map(({ previous_item_id }) => previous_item_id)).toEqual([null, "item_x_1"]);
  });

  test("pauses before it ends, and tells the recognizer", () => {
    const { hear, effectsOf } = openConversation();
    hear(`###.........###${".".repeat(16)}`);
    const effects = effectsOf("item_x_1").filter((what) => what !== "push");
    expect(effects).toEqual(["open", "pause", "pause", "finish"]);
  });

  test("is recognized to its end where it pauses too shortly before it", () => {
    const { hear, effects } = openConversation({ turnDetection: { silence_duration_ms: 100 } });
    hear("###~~~~~~###......");
    const sent = effects.flatMap((effect) => {
      if (effect.do === "finish") return [`finish, paused: ${effect.paused}`];
      return effect.do === "pause" ? [effect.do] : [];
    });
    expect(sent).toEqual(["pause", "finish, paused: false"]);
  });

  test("a turn sends deltas while it lasts", () => {
    const { session, hear, say, keep, types } = openConversation();
    hear("....#######");
    say("item_x_1", "I am");
    hear(`####${".".repeat(16)}`);
    say("item_x_1", "still here");
    keep(session.conclude("item_x_1", "completed"));
    expect(types()).toEqual([
      "speech_started 1",
      "delta 1",
      "speech_stopped 1",
      "committed 1",
      "added",
      "done",
      "delta 1",
      "completed 1",
    ]);
  });

  test("that failed sends its error, and the next turn works", () => {
    const { session, hear, keep, events } = openConversation();
    hear(SPEECH);
    keep(session.conclude("item_x_1", failure));
    hear(SPEECH);
    keep(session.conclude("item_x_2", "completed"));
    const failed = events().find(({ type }) => type.endsWith(".failed"));
    expect(failed?.error).toEqual({ type: "api_error", code: "transcription_failed", message: "It broke." });
    expect(events().at(-1)).toMatchObject({ item_id: "item_x_2", transcript: "" });
  });

  test("has log probabilities for sessions that include them", () => {
    const { session, hear, say, keep, events } = openConversation({
      include: ["item.input_audio_transcription.logprobs"],
    });
    hear(SPEECH);
    say("item_x_1", "no");
    say("item_x_1", "one");
    keep(session.conclude("item_x_1", "completed"));
    const first = { token: "no", logprob: -0.105, bytes: [110, 111] };
    const second = { token: " one", logprob: -0.105, bytes: [32, 111, 110, 101] };
    expect(events().slice(-3)).toMatchObject([
      { delta: "no", logprobs: [first] },
      { delta: " one", logprobs: [second] },
      { transcript: "no one", logprobs: [first, second] },
    ]);
  });
});

describe("transcripts", () => {
  test("are sent in the order of commits, in whatever order they are ready", () => {
    const { session, hear, say, keep, types } = openConversation();
    hear(SPEECH + SPEECH);
    say("item_x_2", "second");
    keep(session.conclude("item_x_2", "completed"));
    say("item_x_1", "first");
    keep(session.conclude("item_x_1", "completed"));
    const events = types().filter((type) => /delta|completed/.test(type));
    expect(events).toEqual(["delta 2", "delta 1", "completed 1", "completed 2"]);
  });

  test("can be retrieved until a hundred newer ones exist, or until deleted", () => {
    const { session, front, hear, say, keep, events } = openConversation();
    hear(SPEECH);
    say("item_x_1", "hello");
    keep(session.conclude("item_x_1", "completed"));
    front.retrieve("item_x_1");
    keep(session.advance());
    expect(events().at(-1)).toMatchObject({
      type: "conversation.item.retrieved",
      item: { id: "item_x_1", content: [{ transcript: "hello" }] },
    });
    front.delete("item_x_1");
    keep(session.advance());
    expect(events().at(-1)).toMatchObject({ type: "conversation.item.deleted", item_id: "item_x_1" });
    expect(() => front.retrieve("item_x_1")).toThrow("no item item_x_1");
    hear(SPEECH.repeat(101));
    expect(() => front.retrieve("item_x_2")).toThrow();
    expect(() => front.retrieve("item_x_3")).not.toThrow();
  });
});

describe("without turn detection", () => {
  test("a commit ends an utterance, and its words are sent after it", () => {
    const { session, hear, say, keep, types } = openConversation(manual);
    hear("....####");
    say("item_x_1", "one two");
    expect(types()).toEqual([]);
    keep(session.commit());
    say("item_x_1", "three");
    keep(session.conclude("item_x_1", "completed"));
    expect(types()).toEqual(["committed 1", "added", "done", "delta 1", "delta 1", "completed 1"]);
  });

  test("an utterance is all audio since the last commit", () => {
    const { session, hear, keep, events } = openConversation(manual);
    hear(".".repeat(10));
    keep(session.commit());
    hear(".".repeat(20));
    keep(session.clear());
    hear(".".repeat(5));
    keep(session.commit());
    for (const id of ["item_x_1", "item_x_3"]) keep(session.conclude(id, "completed"));
    const seconds = events().flatMap(({ usage }) => (usage as { seconds: number })?.seconds ?? []);
    expect(seconds).toEqual([0.32, expect.closeTo(0.16, 9)]);
  });

  test.each([0, 1, 3])("a commit of %d windows is refused as empty", (count) => {
    const { session, hear } = openConversation(manual);
    hear(".".repeat(count));
    expect(() => session.commit()).toThrow("less than 100 ms");
  });

  test("an utterance is at most ten minutes", () => {
    const { session, hear, events, effects } = openConversation(manual);
    for (let index = 0; index < 601; index++) hear(".".repeat(32));
    expect(events().at(-1)).toMatchObject({ error: { code: "audio_too_long" } });
    expect(effects.at(-1)).toMatchObject({ do: "hangUp", refusal: { code: "audio_too_long" } });
    expect(session.isEnding).toBe(true);
  });

  test("where silence does not count, an utterance of it goes on, and what belongs to none of it is billed", () => {
    const { session, hear, say, keep, events } = openConversation(manual, { countsSilence: false });
    const hearMinutes = (minutes: number) => {
      for (let index = 0; index < minutes * 60; index++) hear(".".repeat(32));
    };
    hearMinutes(25);
    expect(session.isEnding).toBe(false);
    expect(session.billableSeconds(false)).toBeGreaterThan(900);
    say("item_x_1", "hello");
    keep(session.commit());
    keep(session.conclude("item_x_1", "completed"));
    const { transcript, usage } = events().at(-1) as { transcript?: string; usage?: { seconds: number } };
    expect(transcript).toBe("hello");
    expect(usage!.seconds).toBeLessThan(601);
    expect(session.billableSeconds(true)).toBeCloseTo(session.receivedSeconds, 6);
    hear("#".repeat(32));
    say("item_x_2", "and on");
    hearMinutes(11);
    expect(events().at(-1)).toMatchObject({ error: { code: "audio_too_long" } });
  });
});

describe("commit and clear in a turn", () => {
  test("commit it without speech_stopped, and further speech is a new turn", () => {
    const { session, hear, keep, types } = openConversation();
    hear("....########");
    keep(session.commit());
    hear("####");
    expect(types()).toEqual(["speech_started 1", "committed 1", "added", "done", "speech_started 2"]);
  });

  test("refuse a commit of silence as empty", () => {
    const { session, hear } = openConversation();
    hear(".".repeat(100));
    expect(() => session.commit()).toThrow("less than 100 ms");
  });

  test("clear discards the turn", () => {
    const { session, hear, keep, types, effectsOf } = openConversation();
    hear("....####");
    keep(session.clear());
    hear(".".repeat(50));
    expect(types()).toEqual(["speech_started 1", "cleared"]);
    expect(effectsOf("item_x_1").at(-1)).toBe("drop");
  });
});
