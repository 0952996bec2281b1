/** Promise: a session ends once, after what was committed, with the right code; and its books are its bytes. */
import { describe, expect, test } from "bun:test";
import { Refusal } from "../../src/errors.ts";
import { openConversation } from "./conversation.ts";

const SPEECH = `....${"#".repeat(20)}${".".repeat(16)}`;
const failure = new Refusal("transcription_failed", "It broke.");
const wrong = new Refusal("invalid_event", "No.", { param: "type" });

describe("an end", () => {
  test("waits for what was committed, then says why", () => {
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

  test("an error carries the client's event id, the request id and the retry time", () => {
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

  test("an end by the server sends no error", () => {
    const { session, keep, types, effects } = openConversation();
    keep(session.end(null));
    expect(types()).toEqual([]);
    expect(effects).toEqual([{ do: "hangUp", refusal: null }]);
  });

  test("happens once", () => {
    const { session, hear, keep, effects } = openConversation();
    hear(SPEECH);
    keep(session.end(wrong));
    keep(session.endNow(null));
    keep(session.conclude("item_x_1", "completed"));
    expect(effects.filter((effect) => effect.do === "hangUp")).toHaveLength(1);
  });

  test.each(["input_audio_buffer_commit_empty", "item_not_found"] as const)("does not come of %s", (code) => {
    const { session, keep, types } = openConversation();
    keep(session.refuse(new Refusal(code, "Harmless."), null));
    expect([types(), session.isEnding]).toEqual([["error"], false]);
  });
});

describe("what costs", () => {
  test("all received audio is billed, including silence and cleared audio", () => {
    const { session, hear, keep } = openConversation();
    hear(`${".".repeat(100)}####`);
    keep(session.clear());
    expect(session.billableSeconds(false)).toBeCloseTo(104 * 0.032, 9);
  });

  test("audio that failed without a word is not billed", () => {
    const { session, hear, say, keep } = openConversation();
    hear(SPEECH + SPEECH);
    say("item_x_2", "something");
    keep(session.conclude("item_x_1", failure));
    keep(session.conclude("item_x_2", failure));
    expect(session.billableSeconds(true)).toBeCloseTo(1.28, 9);
  });

  test("an utterance's bill is open until a word or an outcome", () => {
    const { session, hear, say } = openConversation();
    hear(`....####`);
    expect(session.billableSeconds(false)).toBe(0);
    expect(session.billableSeconds(true)).toBeCloseTo(0.256, 9);
    say("item_x_1", "oh");
    expect(session.billableSeconds(false)).toBeCloseTo(0.256, 9);
  });
});
