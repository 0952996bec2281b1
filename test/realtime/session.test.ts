/** Promise: a session answers everything it is told at once, in order, and to the field; and its books are its bytes. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { Fault } from "../../src/errors.ts";
import { LOGPROBS } from "../../src/realtime/settings.ts";
import { openConversation, WINDOW, word } from "./conversation.ts";

const SPEECH = `....${"#".repeat(20)}${".".repeat(16)}`;
const failure = new Fault("transcription_failed", "It broke.");
const wrong = new Fault("invalid_event", "No.", { param: "type" });
const manual = { turnDetection: null };

describe("a turn", () => {
  test("is told from its start to its transcript, in the published order", () => {
    const { session, hear, say, keep, types } = openConversation();
    keep(session.start());
    hear(SPEECH);
    say("item_x_1", "hello there");
    keep(session.settle("item_x_1", "completed"));
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

  test("has every field", () => {
    const { session, hear, say, keep, events } = openConversation();
    hear(SPEECH);
    say("item_x_1", "hello");
    keep(session.settle("item_x_1", "completed"));
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

  test("keeps the padding before it, and only that", () => {
    const { hear, events, effects } = openConversation();
    hear(`${".".repeat(50)}${"#".repeat(10)}${".".repeat(16)}`);
    expect(events()[0]).toMatchObject({ audio_start_ms: 50 * 32 - 300 });
    const pushed = effects.flatMap((effect) => (effect.do === "push" ? [effect.samples.length] : []));
    expect(pushed.reduce((sum, count) => sum + count)).toBe(0.3 * 16_000 + 26 * WINDOW);
  });

  test("may follow another at once, and its padding does not reach into it", () => {
    const { hear, events } = openConversation({ turnDetection: { prefix_padding_ms: 5000 } });
    hear(`${SPEECH}${SPEECH}`);
    const starts = events().flatMap(({ audio_start_ms }) => audio_start_ms ?? []);
    expect(starts).toEqual([0, 1280]);
    const previous = events().filter(({ type }) => type === "input_audio_buffer.committed");
    expect(previous.map(({ previous_item_id }) => previous_item_id)).toEqual([null, "item_x_1"]);
  });

  test("pauses before it ends, and says so to the recogniser", () => {
    const { hear, effectsOf } = openConversation();
    hear(`###.........###${".".repeat(16)}`);
    const told = effectsOf("item_x_1").filter((what) => what !== "push");
    expect(told).toEqual(["open", "pause", "pause", "finish"]);
  });

  test("is told what was said in it while it lasts", () => {
    const { session, hear, say, keep, types } = openConversation();
    hear("....#######");
    say("item_x_1", "I am");
    hear(`####${".".repeat(16)}`);
    say("item_x_1", "still here");
    keep(session.settle("item_x_1", "completed"));
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

  test("that failed is told as that, and the next goes on", () => {
    const { session, hear, keep, events } = openConversation();
    hear(SPEECH);
    keep(session.settle("item_x_1", failure));
    hear(SPEECH);
    keep(session.settle("item_x_2", "completed"));
    const failed = events().find(({ type }) => type.endsWith(".failed"));
    expect(failed?.error).toEqual({ type: "api_error", code: "transcription_failed", message: "It broke." });
    expect(events().at(-1)).toMatchObject({ item_id: "item_x_2", transcript: "" });
  });

  test("tells log probabilities to who includes them", () => {
    const { session, hear, say, keep, events } = openConversation({ include: [LOGPROBS] });
    hear(SPEECH);
    say("item_x_1", "no");
    keep(session.settle("item_x_1", "completed"));
    const logprobs = [{ token: "no", logprob: -0.105, bytes: [110, 111] }];
    expect(events().slice(-2)).toMatchObject([{ logprobs }, { logprobs }]);
  });
});

describe("transcripts", () => {
  test("come in the order of commits, whichever is known first", () => {
    const { session, hear, say, keep, types } = openConversation();
    hear(SPEECH + SPEECH);
    say("item_x_2", "second");
    keep(session.settle("item_x_2", "completed"));
    say("item_x_1", "first");
    keep(session.settle("item_x_1", "completed"));
    const told = types().filter((type) => /delta|completed/.test(type));
    expect(told).toEqual(["delta 2", "delta 1", "completed 1", "completed 2"]);
  });

  test("can be looked up, until a hundred newer ones came or it is deleted", () => {
    const { session, hear, say, keep, events } = openConversation();
    hear(SPEECH);
    say("item_x_1", "hello");
    keep(session.settle("item_x_1", "completed"));
    keep(session.retrieve("item_x_1"));
    expect(events().at(-1)).toMatchObject({
      type: "conversation.item.retrieved",
      item: { id: "item_x_1", content: [{ transcript: "hello" }] },
    });
    keep(session.delete("item_x_1"));
    expect(events().at(-1)).toMatchObject({ type: "conversation.item.deleted", item_id: "item_x_1" });
    expect(() => session.retrieve("item_x_1")).toThrow("no item item_x_1");
    hear(SPEECH.repeat(101));
    expect(() => session.retrieve("item_x_2")).toThrow();
    expect(() => session.retrieve("item_x_3")).not.toThrow();
  });
});

describe("without turn detection", () => {
  test("a commit ends an utterance, and its words wait for it", () => {
    const { session, hear, say, keep, types } = openConversation(manual);
    hear("....####");
    say("item_x_1", "one two");
    expect(types()).toEqual([]);
    keep(session.commit());
    say("item_x_1", "three");
    keep(session.settle("item_x_1", "completed"));
    expect(types()).toEqual(["committed 1", "added", "done", "delta 1", "delta 1", "completed 1"]);
  });

  test("an utterance is all that came since the last", () => {
    const { session, hear, keep, events } = openConversation(manual);
    hear(".".repeat(10));
    keep(session.commit());
    hear(".".repeat(20));
    keep(session.clear());
    hear(".".repeat(5));
    keep(session.commit());
    for (const id of ["item_x_1", "item_x_3"]) keep(session.settle(id, "completed"));
    const seconds = events().flatMap(({ usage }) => (usage as { seconds: number })?.seconds ?? []);
    expect(seconds).toEqual([0.32, expect.closeTo(0.16, 9)]);
  });

  test.each([0, 1, 3])("a commit of %d windows is empty", (count) => {
    const { session, hear } = openConversation(manual);
    hear(".".repeat(count));
    expect(() => session.commit()).toThrow("less than 100 ms");
  });

  test("ten minutes are the most", () => {
    const { session, hear, events, effects } = openConversation(manual);
    for (let at = 0; at < 601; at++) hear(".".repeat(32));
    expect(events().at(-1)).toMatchObject({ error: { code: "audio_too_long" } });
    expect(effects.at(-1)).toEqual({ do: "hangUp", code: 1008, reason: "audio_too_long" });
    expect(session.isEnding).toBe(true);
  });
});

describe("commit and clear in a turn", () => {
  test("a commit ends it without speech_stopped, and more speech is another", () => {
    const { session, hear, keep, types } = openConversation();
    hear("....########");
    keep(session.commit());
    hear("####");
    expect(types()).toEqual(["speech_started 1", "committed 1", "added", "done", "speech_started 2"]);
  });

  test("a commit of silence is empty", () => {
    const { session, hear } = openConversation();
    hear(".".repeat(100));
    expect(() => session.commit()).toThrow("less than 100 ms");
  });

  test("clear forgets it", () => {
    const { session, hear, keep, types, effectsOf } = openConversation();
    hear("....####");
    keep(session.clear());
    hear(".".repeat(50));
    expect(types()).toEqual(["speech_started 1", "cleared"]);
    expect(effectsOf("item_x_1").at(-1)).toBe("drop");
  });
});

describe("settings", () => {
  const settings = (change: object) => ({ ...openConversation(change).session.settings });

  test("a change of who ends turns does not lose what is open", () => {
    const { session, hear, keep, types } = openConversation(manual);
    hear("....####");
    keep(session.update(settings({}), "en", "session.updated"));
    hear(".".repeat(16));
    expect(types()).toEqual(["updated", "speech_stopped 1", "committed 1", "added", "done"]);
  });

  test("and the other way round waits for the client", () => {
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
  ])("the format stays while audio is buffered, %s", (_when, change) => {
    const { session, hear, keep, effects } = openConversation(change);
    hear("########");
    const next = settings({ ...change, format: { type: "audio/pcmu" } });
    expect(() => session.update(next, "en", "session.updated")).toThrow("while audio is buffered");
    keep(session.clear());
    keep(session.update(next, "en", "session.updated"));
    expect(effects.find((effect) => effect.do === "listen")).toEqual({ do: "listen", format: next.format });
  });

  test("seconds are counted in whichever format they came", () => {
    const { session, hear, keep } = openConversation();
    hear(".".repeat(100));
    keep(session.update(settings({ format: { type: "audio/pcmu" } }), "en", "session.updated"));
    session.append(8000);
    expect(session.receivedSeconds).toBe(4.2);
  });

  test("without speech for as long as was asked, an empty item says so", () => {
    const { hear, events, types } = openConversation({ turnDetection: { idle_timeout_ms: 5000 } });
    hear(".".repeat(160));
    expect(types()).toEqual(["timeout_triggered 1", "committed 1", "added", "done", "completed 1"]);
    expect(events()[0]).toMatchObject({ audio_start_ms: 0, audio_end_ms: 5024 });
    expect(events().at(-1)).toMatchObject({ transcript: "", usage: { seconds: 5.024 } });
  });

  test("eagerness decides how long a silence or a murmur may be", () => {
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

describe("the beta's shape", () => {
  const beta = (intent: boolean) => openConversation({}, { beta: true, intent });

  test("names its first event by the intent, and is flat", () => {
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

  test("tells an item in one event", () => {
    const { hear, types } = beta(true);
    hear(SPEECH);
    expect(types()).toEqual(["speech_started 1", "speech_stopped 1", "committed 1", "created"]);
  });
});

describe("an end", () => {
  test("waits for what was committed, then says why", () => {
    const { session, hear, say, keep, types, effects } = openConversation();
    hear(`${SPEECH}....####`);
    keep(session.end(wrong, "evt_1"));
    expect(effects.at(-1)).toEqual({ do: "drop", itemId: "item_x_2" });
    hear("####");
    say("item_x_1", "bye");
    keep(session.settle("item_x_1", "completed"));
    expect(types().slice(-3)).toEqual(["delta 1", "completed 1", "error"]);
    expect(effects.at(-1)).toEqual({ do: "hangUp", code: 1008, reason: "invalid_event" });
  });

  test("has the client's own event id, the request's, and the time to wait", () => {
    const { session, keep, events } = openConversation();
    keep(session.end(new Fault("rate_limit_exceeded", "Slow.", { retryAfterSeconds: 7 }), "evt_1"));
    expect(events()[0]?.error).toEqual({
      type: "rate_limit_error",
      code: "rate_limit_exceeded",
      message: "Slow.",
      param: null,
      request_id: "req_x",
      event_id: "evt_1",
      retry_after: 7,
    });
  });

  test.each([
    ["insufficient_credits", 1008],
    ["api_key_revoked", 1008],
    ["validation_error", 1008],
    ["rate_limit_exceeded", 1013],
    ["service_unavailable", 1013],
    ["inference_unavailable", 1011],
    ["internal_error", 1011],
    ["session_expired", 1001],
  ] as const)("by %s closes with %d", (code, closed) => {
    const { session, keep, effects } = openConversation();
    keep(session.end(new Fault(code, "It is over.")));
    expect(effects.at(-1)).toEqual({ do: "hangUp", code: closed, reason: code });
  });

  test("of the server has no error", () => {
    const { session, keep, types, effects } = openConversation();
    keep(session.end(null));
    expect(types()).toEqual([]);
    expect(effects).toEqual([{ do: "hangUp", code: 1001, reason: "closing" }]);
  });

  test("happens once", () => {
    const { session, hear, keep, effects } = openConversation();
    hear(SPEECH);
    keep(session.end(wrong));
    keep(session.endNow(null));
    keep(session.settle("item_x_1", "completed"));
    expect(effects.filter((effect) => effect.do === "hangUp")).toHaveLength(1);
  });

  test.each(["input_audio_buffer_commit_empty", "item_not_found"] as const)("does not come of %s", (code) => {
    const { session, keep, types } = openConversation();
    keep(session.refuse(new Fault(code, "Harmless."), null));
    expect([types(), session.isEnding]).toEqual([["error"], false]);
  });
});

describe("what costs", () => {
  test("is what came, silence and what was cleared too", () => {
    const { session, hear, keep } = openConversation();
    hear(`${".".repeat(100)}####`);
    keep(session.clear());
    expect(session.billableSeconds(false)).toBeCloseTo(104 * 0.032, 9);
  });

  test("is not what failed without a word", () => {
    const { session, hear, say, keep } = openConversation();
    hear(SPEECH + SPEECH);
    say("item_x_2", "something");
    keep(session.settle("item_x_1", failure));
    keep(session.settle("item_x_2", failure));
    expect(session.billableSeconds(true)).toBeCloseTo(1.28, 9);
  });

  test("is undecided until a word or an outcome, and decided when it is over", () => {
    const { session, hear, say } = openConversation();
    hear(`....####`);
    expect(session.billableSeconds(false)).toBe(0);
    expect(session.billableSeconds(true)).toBeCloseTo(0.256, 9);
    say("item_x_1", "oh");
    expect(session.billableSeconds(false)).toBeCloseTo(0.256, 9);
  });
});

const picture = fc.string({ unit: fc.constantFrom(".", "#", "~"), maxLength: 200 });

describe("always", () => {
  test("every start has its stop or commit, and every commit its end", () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(picture, fc.constantFrom("commit", "clear")), { maxLength: 20 }),
        (steps) => {
          const { session, hear, keep, events } = openConversation();
          let cleared = 0;
          for (const step of steps) {
            if (step === "clear") {
              const open = events().filter(({ type }) => type.endsWith("speech_started")).length;
              const closed = events().filter(({ type }) => type.endsWith(".committed")).length;
              cleared += open - cleared > closed ? 1 : 0;
              keep(session.clear());
            } else if (step === "commit") {
              try {
                keep(session.commit());
              } catch {}
            } else hear(step);
          }
          hear(".".repeat(20));
          const count = (end: string) => events().filter(({ type }) => type.endsWith(end)).length;
          expect(count("speech_started") - cleared).toBe(count(".committed"));
          for (let at = 1; at <= count("speech_started"); at++)
            keep(session.settle(`item_x_${at}`, "completed"));
          expect(count(".completed")).toBe(count(".committed"));
          const ids = events().map(({ event_id }) => event_id);
          expect(new Set(ids).size).toBe(ids.length);
        },
      ),
    );
  });

  test("deltas are the transcript, however words come", () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(fc.stringMatching(/^[a-z]{1,8}$/), { maxLength: 5 })),
        fc.nat(8),
        (batches, at) => {
          const { session, hear, keep, events } = openConversation(at % 2 ? manual : {});
          hear("####");
          for (const [index, batch] of batches.entries()) {
            keep(session.words("item_x_1", batch.map(word)));
            if (index === at) hear(".".repeat(16));
          }
          if (at % 2 || at >= batches.length) keep(session.commit());
          keep(session.settle("item_x_1", "completed"));
          const deltas = events().flatMap(({ delta }) => delta ?? []);
          expect(deltas.join("")).toBe(batches.flat().join(" "));
          expect(events().at(-1)).toMatchObject({ transcript: batches.flat().join(" ") });
        },
      ),
    );
  });

  test("any chunking of the same audio gives the same events", () => {
    fc.assert(
      fc.property(picture, fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 }), (whole, sizes) => {
        const together = openConversation();
        together.hear(whole);
        const apart = openConversation();
        for (let from = 0, turn = 0; from < whole.length; turn++) {
          const size = sizes[turn % sizes.length]!;
          apart.hear(whole.slice(from, from + size));
          from += size;
        }
        expect(apart.events()).toEqual(together.events());
        expect(apart.session.billableSeconds(true)).toBe(together.session.billableSeconds(true));
      }),
    );
  });
});
