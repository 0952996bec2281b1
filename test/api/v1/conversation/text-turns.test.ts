/** Promise: who writes to a conversation is answered in speech or in text, in the order of events that clients rely on. */

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { ServerEvent } from "../realtime/live.ts";
import { testEveryEvent } from "./every-event.ts";
import { audioOf, deltasOf, expectOrder, openTalk, said, type Talk, talkTo, turn } from "./talk.ts";

let talk: Talk;
beforeAll(async () => {
  talk = await openTalk();
});
afterAll(() => talk[Symbol.asyncDispose]());

/** Types in order; all sound is one. */
const runsOf = (events: ServerEvent[]): string[] =>
  [
    ...new Set(
      events.map(({ type, event_id }) =>
        /added$|done$/.test(type) && type.startsWith("conversation") ? `${type} ${event_id}` : type,
      ),
    ),
  ].map((type) => type.split(" ")[0]!);

describe("a conversation", () => {
  test("begins with its session and itself, and nothing more", async () => {
    const client = await talkTo(talk);
    const { session } = (await client.until("session.created")) as unknown as {
      session: Record<string, unknown>;
    };
    await client.until("conversation.created");
    expect(client.events.map(({ type }) => type)).toEqual(["session.created", "conversation.created"]);
    expect(session).toMatchObject({
      type: "realtime",
      object: "realtime.session",
      model: "gpt-realtime",
      output_modalities: ["audio"],
      tools: [],
      tool_choice: "auto",
      max_output_tokens: "inf",
      audio: {
        input: {
          format: { type: "audio/pcm", rate: 24_000 },
          transcription: null,
          turn_detection: { type: "server_vad", create_response: true, interrupt_response: true },
        },
        output: { format: { type: "audio/pcm", rate: 24_000 }, speed: 1 },
      },
    });
    client.close();
  });

  test("answers a text in speech", async () => {
    talk.use("echo");
    const client = await talkTo(talk);
    const response = await turn(client, "hello");
    expect(response.status).toBe("completed");
    expect(deltasOf(client.events, "response.output_audio_transcript.delta")).toBe("You said: hello.");
    expect(response.output[0]?.content?.[0]).toEqual({
      type: "output_audio",
      transcript: "You said: hello.",
    });
    const seconds = audioOf(client.events).length / 48_000;
    expect(seconds).toBeGreaterThan(0.5);
    expect(seconds).toBeLessThan(4);
    expect(response.usage).toMatchObject({ input_tokens: 40, output_tokens: 12, total_tokens: 52 });
    expectOrder(client.events);
    expect(runsOf(client.events)).toEqual([
      ...["session.created", "conversation.created", "conversation.item.added", "conversation.item.done"],
      ...["response.created", "response.output_item.added", "conversation.item.added"],
      "response.content_part.added",
      "response.output_audio_transcript.delta",
      "response.output_audio.delta",
      ...[
        "response.output_audio.done",
        "response.output_audio_transcript.done",
        "response.content_part.done",
      ],
      ...["response.output_item.done", "conversation.item.done", "response.done"],
    ]);
    client.close();
  });

  test("answers in text alone, which costs nothing", async () => {
    talk.use("echo");
    const client = await talkTo(talk);
    client.update({ type: "realtime", output_modalities: ["text"] });
    await client.until("session.updated");
    const response = await turn(client, "hello");
    expect(deltasOf(client.events, "response.output_text.delta")).toBe("You said: hello.");
    expect(response.output[0]?.content?.[0]).toEqual({ type: "output_text", text: "You said: hello." });
    expect(audioOf(client.events)).toHaveLength(0);
    expectOrder(client.events);
    client.close();
  });

  test("calls a function, and speaks of what it returned", async () => {
    talk.use("tool");
    const client = await talkTo(talk);
    client.update({
      type: "realtime",
      tools: [{ type: "function", name: "weather", parameters: { type: "object" } }],
    });
    await client.until("session.updated");
    const asked = await turn(client, "weather?");
    expect(asked.output).toMatchObject([
      { type: "function_call", status: "completed", name: "weather", arguments: '{"city":"Oslo"}' },
    ]);
    const { call_id } = asked.output[0] as unknown as { call_id: string };
    client.send("conversation.item.create", {
      item: { type: "function_call_output", call_id, output: "sunny" },
    });
    client.send("response.create");
    const { response } = (await client.until("response.done", 2)) as unknown as {
      response: { status: string };
    };
    expect(response.status).toBe("completed");
    expect(deltasOf(client.events, "response.output_audio_transcript.delta")).toBe("It is sunny in Oslo.");
    const { messages } = talk.stub.calls.at(-1)!.body;
    expect(messages.at(-2)).toMatchObject({ role: "assistant", tool_calls: [{ id: call_id }] });
    expect(messages.at(-1)).toMatchObject({ role: "tool", tool_call_id: call_id, content: "sunny" });
    expectOrder(client.events);
    client.close();
  });

  test("refuses a second response while one goes on, and finishes the first", async () => {
    talk.use("echo");
    const client = await talkTo(talk);
    client.send("conversation.item.create", said("hello"));
    client.send("response.create");
    client.send("response.create", { event_id: "second" });
    const { error } = (await client.until("error")) as unknown as { error: object };
    expect(error).toMatchObject({
      type: "invalid_request_error",
      code: "conversation_already_has_active_response",
      event_id: "second",
    });
    const { response } = (await client.until("response.done")) as unknown as { response: { status: string } };
    expect(response.status).toBe("completed");
    expectOrder(client.events);
    client.close();
  });
});

testEveryEvent();
