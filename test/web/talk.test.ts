/** Promise: the page tells the server exactly what was heard of an answer, and shows the same; it answers what it is asked. */
import { describe, expect, test } from "bun:test";
import { toBase64 } from "../../src/web/playground/audio/sample-text.ts";
import { Conversation } from "../../src/web/playground/talk/conversation.ts";
import { type Answer, type Dialogue, EMPTY, heardOf } from "../../src/web/playground/talk/dialogue.ts";
import type { TalkEvent, TalkResponse } from "../../src/web/playground/talk/talk-event.ts";

const TRANSCRIPTION = "conversation.item.input_audio_transcription";
const LATENCY_MS = 20;
const SECOND = new Int16Array(24_000);

type Sent = { type: string; [field: string]: unknown };

/** A conversation whose loudspeaker plays what the test says. */
function open() {
  const sent: Sent[] = [];
  const pushed: string[] = [];
  let stops = 0;
  let nowMs = 0;
  let dialogue: Dialogue = EMPTY;
  const conversation = new Conversation({
    send: (event) => sent.push(event as Sent),
    player: {
      push: (itemId) => pushed.push(itemId),
      stop: () => void stops++,
      latencyMs: () => LATENCY_MS,
    },
    functions: { current_time: () => "noon" },
    now: () => nowMs,
    changed: (changed) => {
      dialogue = changed;
    },
  });
  const receive = (type: string, fields: Omit<TalkEvent, "type"> = {}) =>
    conversation.receive({ type, ...fields });
  return {
    ...{ conversation, sent, pushed, receive },
    types: () => sent.map(({ type }) => type),
    stops: () => stops,
    entries: () => dialogue.entries,
    answer: () => dialogue.entries.findLast((entry): entry is Answer => entry.is === "answer")!,
    heard: (answer: Answer) => heardOf(answer, dialogue.sounds),
    pass: (ms: number) => {
      nowMs += ms;
    },
    begin: (id: string) => receive("response.created", { response: { id, status: "in_progress" } }),
    /** Words of an item, and a second of its sound. */
    speak: (responseId: string, itemId: string, text: string) => {
      const at = { response_id: responseId, item_id: itemId };
      receive("response.output_audio_transcript.delta", { ...at, delta: text });
      receive("response.output_audio.delta", { ...at, delta: toBase64(SECOND) });
    },
    end: (id: string, fields: Partial<TalkResponse> = {}) =>
      receive("response.done", { response: { id, status: "completed", ...fields } }),
  };
}

describe("an answer that is interrupted by speech", () => {
  test("stops, and the server learns how much of each item was heard", () => {
    const { conversation, receive, begin, speak, sent, stops, pushed, answer, heard } = open();
    begin("one");
    speak("one", "a", "Good");
    speak("one", "a", " morning");
    speak("one", "b", "Next");
    conversation.played("a", 24_000 + 240);
    receive("input_audio_buffer.speech_started", { item_id: "turn" });
    expect(stops()).toBe(1);
    expect(sent).toEqual([
      { type: "conversation.item.truncate", item_id: "a", content_index: 0, audio_end_ms: 1010 - LATENCY_MS },
      { type: "conversation.item.truncate", item_id: "b", content_index: 0, audio_end_ms: 0 },
    ]);
    expect(heard(answer())).toEqual({ heard: "Good morning", unheard: "Next" });
    speak("one", "b", " more"); // it was on its way
    conversation.played("b", 100);
    expect(pushed).toEqual(["a", "a", "b"]);
    expect(heard(answer())).toEqual({ heard: "Good morning", unheard: "Next" });
  });

  test("is not truncated once all of it was heard", () => {
    const { conversation, receive, begin, speak, end, types, answer, heard } = open();
    begin("one");
    speak("one", "a", "Good morning.");
    receive("response.output_audio.done", { response_id: "one", item_id: "a" });
    end("one");
    conversation.played("a", 24_000);
    receive("input_audio_buffer.speech_started", { item_id: "turn" });
    expect(types()).toEqual([]);
    expect(heard(answer())).toEqual({ heard: "Good morning.", unheard: "" });
  });

  test("is truncated where it was played as far as it had come, for more would have come", () => {
    const { conversation, receive, begin, speak, sent } = open();
    begin("one");
    speak("one", "a", "Good");
    conversation.played("a", 24_000);
    receive("input_audio_buffer.speech_started", { item_id: "turn" });
    expect(sent).toMatchObject([{ item_id: "a", audio_end_ms: 1000 - LATENCY_MS }]);
  });
});

describe("what is written", () => {
  test("interrupts the answer, whose sound that is on its way is not played", () => {
    const { conversation, begin, speak, types, sent, pushed } = open();
    begin("one");
    speak("one", "a", "Good");
    conversation.say("Stop.");
    expect(types()).toEqual([
      "response.cancel",
      "conversation.item.truncate",
      "conversation.item.create",
      "response.create",
    ]);
    expect(sent[2]).toMatchObject({
      item: { role: "user", content: [{ type: "input_text", text: "Stop." }] },
    });
    speak("one", "c", "more");
    expect(pushed).toEqual(["a"]);
    conversation.interrupt();
    expect(types()).toHaveLength(4);
  });

  test("waits for a response that the page did not know of, and is asked then", () => {
    const { conversation, receive, begin, end, types } = open();
    conversation.say("Hello.");
    const code = "conversation_already_has_active_response";
    begin("one");
    expect(receive("error", { error: { code, message: "" } })).toBe(false);
    end("one");
    expect(types()).toEqual(["conversation.item.create", "response.create", "response.create"]);
  });

  test("appears as a turn", () => {
    const { receive, entries } = open();
    const item = {
      id: "t",
      type: "message",
      role: "user",
      content: [{ type: "input_text", text: "Hello." }],
    };
    receive("conversation.item.added", { item });
    expect(entries()).toEqual([{ is: "turn", id: "t", text: "Hello.", isFinal: true }]);
  });
});

test("errors are the person's to know, but for a cancel that came too late", () => {
  const { receive } = open();
  const error = (code: string) => receive("error", { error: { code, message: "" } });
  expect(error("session_expired")).toBe(true);
  expect(error("response_cancel_not_active")).toBe(false);
});

describe("a turn that is held", () => {
  test("has only what is said meanwhile, to its last sound, and is answered", () => {
    const { conversation, types } = open();
    conversation.detectsTurns = false;
    conversation.append(SECOND);
    conversation.endTurn();
    conversation.append(SECOND);
    expect(types()).toEqual([]);
    conversation.beginTurn();
    conversation.append(SECOND);
    conversation.endTurn();
    conversation.append(SECOND);
    conversation.append(SECOND);
    expect(types().map((type) => type.replace("input_audio_buffer.", ""))).toEqual([
      "clear",
      "append",
      "append",
      "commit",
      "response.create",
    ]);
  });
});

describe("a function that the language model calls", () => {
  const call = { response_id: "one", call_id: "c1", arguments: "{}" };
  const called = "response.function_call_arguments.done";

  test("is answered once the response is over, and an answer is asked for", () => {
    const { receive, begin, end, sent, answer } = open();
    begin("one");
    receive(called, { ...call, name: "current_time" });
    receive(called, { ...call, call_id: "c2", name: "weather" });
    expect(sent).toEqual([]);
    end("one");
    expect(sent).toEqual([
      {
        type: "conversation.item.create",
        item: { type: "function_call_output", call_id: "c1", output: "noon" },
      },
      {
        type: "conversation.item.create",
        item: { type: "function_call_output", call_id: "c2", output: "There is no function weather." },
      },
      { type: "response.create" },
    ]);
    receive("conversation.item.added", {
      item: { id: "o", type: "function_call_output", call_id: "c1", output: "noon" },
    });
    expect(answer().calls.map(({ output }) => output)).toEqual(["noon", null]);
  });

  test("of a response that was cancelled is not answered", () => {
    const { receive, begin, end, sent } = open();
    begin("one");
    receive(called, { ...call, name: "current_time" });
    end("one", { status: "cancelled" });
    expect(sent).toEqual([]);
  });
});

describe("the turns of the dialogue", () => {
  test("grow by deltas, and those without a word are removed", () => {
    const { receive, entries } = open();
    receive("input_audio_buffer.speech_started", { item_id: "one" });
    receive(`${TRANSCRIPTION}.delta`, { item_id: "one", delta: "Good " });
    receive("input_audio_buffer.committed", { item_id: "one" });
    receive("input_audio_buffer.speech_started", { item_id: "two" });
    receive(`${TRANSCRIPTION}.completed`, { item_id: "one", transcript: "Good morning." });
    receive(`${TRANSCRIPTION}.completed`, { item_id: "two", transcript: "" });
    receive(`${TRANSCRIPTION}.failed`, { item_id: "three", error: { message: "Too noisy.", code: "" } });
    expect(entries()).toMatchObject([
      { id: "one", text: "Good morning.", isFinal: true },
      { id: "three", text: "(Too noisy.)", isFinal: true },
    ]);
  });
});

describe("the stages of an answer", () => {
  const turn = (receive: ReturnType<typeof open>["receive"], pass: (ms: number) => void) => {
    pass(1000);
    receive("input_audio_buffer.speech_stopped", { item_id: "t" });
    pass(120);
    receive(`${TRANSCRIPTION}.completed`, { item_id: "t", transcript: "Hello." });
  };

  test("are measured by the page from the end of the turn, where the server tells none", () => {
    const { receive, pass, begin, speak, end, answer } = open();
    turn(receive, pass);
    begin("one");
    pass(300);
    speak("one", "a", "Hi");
    pass(300);
    speak("one", "a", " there.");
    end("one");
    expect(answer()).toMatchObject({
      isMeasuredHere: true,
      latency: { transcript_ms: 120, first_token_ms: null, first_clause_ms: null, first_sound_ms: 420 },
    });
  });

  test("of a held turn include a transcript that comes after the response has begun", () => {
    const { conversation, receive, pass, begin, answer } = open();
    conversation.say("Hello.");
    begin("one");
    pass(80);
    receive(`${TRANSCRIPTION}.completed`, { item_id: "t", transcript: "Hello." });
    expect(answer().latency.transcript_ms).toBe(80);
  });

  test("are the server's, where it tells them", () => {
    const { receive, pass, begin, speak, end, answer } = open();
    turn(receive, pass);
    begin("one");
    speak("one", "a", "Hi");
    end("one", { latency: { transcript_ms: 90, first_token_ms: 200, first_sound_ms: 350 } });
    expect(answer()).toMatchObject({
      isMeasuredHere: false,
      latency: { transcript_ms: 90, first_token_ms: 200, first_clause_ms: null, first_sound_ms: 350 },
    });
  });
});

describe("an answer", () => {
  test("that failed or is incomplete says why", () => {
    const { begin, end, answer } = open();
    begin("one");
    end("one", {
      status: "failed",
      status_details: { error: { message: "It is busy.", code: "llm_busy" } },
    });
    expect(answer().problem).toBe("It is busy. (llm_busy)");
    begin("two");
    end("two", { status: "incomplete", status_details: { reason: "max_output_tokens" } });
    expect(answer().problem).toBe("The answer is not complete (max_output_tokens).");
  });

  test("that was cancelled before anything was said is not shown", () => {
    const { begin, end, entries } = open();
    begin("one");
    end("one", { status: "cancelled" });
    expect(entries()).toEqual([]);
  });
});
