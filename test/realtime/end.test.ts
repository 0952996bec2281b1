/** Promise: a session ends once, after its committed audio, with the right code, and is billed for its bytes. */
import { describe, expect, test } from "bun:test";
import { Refusal } from "../../src/errors.ts";
import { openConversation } from "./conversation.ts";

const SPEECH = `....${"#".repeat(20)}${".".repeat(16)}`;
const failure = new Refusal("transcription_failed", "It broke.");
const wrong = new Refusal("invalid_event", "No.", { param: "type" });

describe("the end of a session", () => {
  test("waits for the transcripts of committed audio, then sends the reason", () => {
    const { session, hear, say, keep, types, effects } = openConversation();
    hear(`${SPEECH}....####`);
    keep(session.end(wrong, "evt_1"));
    expect(effects.at(-1)).toEqual({ do: "drop", itemId: "item_x_2" });
    hear("####");
    say("item_x_1", "bye");
    keep(session.conclude("item_x_1", "completed"));
    expect(types().slice(-3)).toEqual(["delta 1", "completed 1", "error"]);
    expect(effects.at(-1)).toEqual({ do: "hangUp", refusal: wrong });
  });

  test("by an error carries the client's event id, the request id and the retry time", () => {
    const { session, keep, events } = openConversation();
    keep(session.end(new Refusal("rate_limit_exceeded", "Slow.", { retryAfterSeconds: 7 }), "evt_1"));
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

  test("a session that the server ends sends no error", () => {
    const { session, keep, types, effects } = openConversation();
    keep(session.end(null));
    expect(types()).toEqual([]);
    expect(effects).toEqual([{ do: "hangUp", refusal: null }]);
  });

  test("a session ends once", () => {
    const { session, hear, keep, effects } = openConversation();
    hear(SPEECH);
    keep(session.end(wrong));
    keep(session.endNow(null));
    keep(session.conclude("item_x_1", "completed"));
    expect(effects.filter((effect) => effect.do === "hangUp")).toHaveLength(1);
  });

  test.each(["input_audio_buffer_commit_empty", "item_not_found"] as const)("is not caused by %s", (code) => {
    const { session, keep, types } = openConversation();
    keep(session.refuse(new Refusal(code, "Harmless."), null, true));
    expect([types(), session.isEnding]).toEqual([["error"], false]);
  });
});

describe("billed audio", () => {
  test("is all received audio, including silence and cleared audio", () => {
    const { session, hear, keep } = openConversation();
    hear(`${".".repeat(100)}####`);
    keep(session.clear());
    expect(session.billableSeconds(false)).toBeCloseTo(104 * 0.032, 9);
  });

  test("excludes what follows the last word of audio that failed", () => {
    const { session, hear, say, keep } = openConversation();
    hear(SPEECH + SPEECH);
    say("item_x_2", "something");
    keep(session.conclude("item_x_1", failure));
    keep(session.conclude("item_x_2", failure));
    expect(session.billableSeconds(true)).toBeCloseTo(1, 9);
  });

  test("of an utterance is open until its first word or its outcome", () => {
    const { session, hear, say } = openConversation();
    hear(`....####`);
    expect(session.billableSeconds(false)).toBe(0);
    expect(session.billableSeconds(true)).toBeCloseTo(0.256, 9);
    say("item_x_1", "oh");
    expect(session.billableSeconds(false)).toBeCloseTo(0.256, 9);
  });
});
