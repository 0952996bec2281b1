/** Promise: who speaks is heard and answered, and may interrupt; a sound that is no speech does not interrupt. */

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { until } from "../../../until.ts";
import { scriptedLive, silence } from "../realtime/live.ts";
import { testEveryEvent } from "./every-event.ts";
import {
  audioOf,
  deltasOf,
  expectOrder,
  feed,
  openTalk,
  type Response,
  spoken,
  type Talk,
  talkTo,
  transcribing,
  turn,
} from "./talk.ts";

let talk: Talk;
let words = "what time is it";
let question: Buffer;
beforeAll(async () => {
  talk = await openTalk({ services: { live: scriptedLive(() => words).live } });
  question = await spoken(talk, "What time is it?");
});
afterAll(() => talk[Symbol.asyncDispose]());

/** 150 ms, between silence. */
const noise = () =>
  Buffer.concat([Buffer.alloc(48_000), question.subarray(9600, 9600 + 7200), Buffer.alloc(48_000)]);

async function begun(session: object = transcribing) {
  const client = await talkTo(talk);
  client.update({ type: "realtime", ...session });
  await client.until("session.updated");
  return client;
}

const lastUser = () => talk.stub.calls.at(-1)!.body.messages.findLast(({ role }) => role === "user")?.content;

const manual = { audio: { input: { turn_detection: null, transcription: { model: "whisper-1" } } } };

describe("who speaks", () => {
  test("is transcribed, then answered", async () => {
    [words] = ["what time is it"];
    talk.use("echo");
    const client = await begun();
    feed(client, question);
    await client.until("response.done");
    const order = [
      "speech_started",
      "speech_stopped",
      "committed",
      "transcription.delta",
      "transcription.completed",
      "response.created",
      "response.done",
    ];
    const types = client.events.map(({ type }) => type);
    const at = order.map((end) => types.findIndex((type) => type.endsWith(end)));
    expect(at).toEqual(at.toSorted((a, b) => a - b));
    expect(at[0]).toBeGreaterThan(0);
    expect(lastUser()).toBe("what time is it");
    expect(deltasOf(client.events, "response.output_audio_transcript.delta")).toBe(
      "You said: what time is it.",
    );
    expectOrder(client.events);
    client.close();
  });

  test("learns how long each stage of the answer took", async () => {
    const client = await begun();
    feed(client, question);
    const { latency } = (await client.until("response.done")).response as Response;
    const stages = [
      ...[latency.transcript_ms, latency.first_token_ms],
      ...[latency.first_clause_ms, latency.first_sound_ms],
    ].map(Number);
    for (const ms of stages) expect(ms).toSatisfy(Number.isSafeInteger);
    expect(stages).toEqual(stages.toSorted((a, b) => a - b));
    client.close();
  });

  test("is answered without a word of the transcript where none is asked for", async () => {
    const client = await begun({});
    feed(client, question);
    await client.until("response.done");
    expect(client.events.filter(({ type }) => type.includes("transcription"))).toEqual([]);
    expect(lastUser()).toBe("what time is it");
    expectOrder(client.events);
    client.close();
  });

  test("is not answered if there was no word", async () => {
    [words] = [""];
    const client = await begun();
    feed(client, question);
    expect((await client.until("input_audio_transcription.completed")).transcript).toBe("");
    const item = (await client.until("item.added")).item as { id: string };
    client.send("conversation.item.retrieve", { item_id: item.id });
    expect((await client.until("item.retrieved")).item).toMatchObject({
      content: [{ type: "input_audio", transcript: "" }],
    });
    expect(client.events.filter(({ type }) => type.startsWith("response."))).toEqual([]);
    [words] = ["what time is it"];
    client.close();
  });

  test("is not answered before it is asked for, if the session says so", async () => {
    const client = await begun({
      audio: { input: { turn_detection: { type: "server_vad", create_response: false } } },
    });
    feed(client, question);
    await client.until("conversation.item.done");
    expect(client.events.filter(({ type }) => type.startsWith("response."))).toEqual([]);
    client.send("response.create");
    await client.until("response.done");
    expect(lastUser()).toBe("what time is it");
    client.close();
  });
});

describe("without turn detection", () => {
  test("a burst of audio, commit and request is answered once, after the transcript", async () => {
    const client = await begun(manual);
    const before = talk.stub.calls.length;
    feed(client, question);
    client.commit();
    client.send("response.create");
    const { response } = (await client.until("response.done")) as unknown as { response: Response };
    expect(response.status_details).toBeNull();
    expect(talk.stub.calls.length).toBe(before + 1);
    expect(lastUser()).toBe("what time is it");
    const types = client.events.map(({ type }) => type);
    expect(types.indexOf("response.created")).toBeLessThan(
      types.findIndex((type) => type.endsWith("transcription.completed")),
    );
    expectOrder(client.events);
    client.close();
  });

  test("a commit of too little is refused, and the session goes on", async () => {
    const client = await begun(manual);
    client.append(silence(0.05));
    client.commit();
    const { error } = (await client.until("error")) as unknown as { error: object };
    expect(error).toMatchObject({
      code: "input_audio_buffer_commit_empty",
      message:
        "Error committing input audio buffer: buffer too small. Expected at least 100ms of audio, but buffer only has 50.00ms of audio.",
    });
    expect((await turn(client, "hello")).status).toBe("completed");
    client.close();
  });
});

describe("an answer that is heard", () => {
  test("ends when the caller speaks, and is kept as far as it was heard", async () => {
    talk.use("long");
    const client = await begun();
    client.send("conversation.item.create", {
      item: { type: "message", role: "user", content: [{ type: "input_text", text: "go on" }] },
    });
    client.send("response.create");
    await client.until("output_audio.delta", 40);
    talk.use("echo");
    feed(client, question);
    const { response } = (await client.until("response.done")) as unknown as { response: Response };
    expect(response).toMatchObject({
      status: "cancelled",
      status_details: { type: "cancelled", reason: "turn_detected" },
    });
    const types = client.events.map(({ type }) => type);
    const started = types.indexOf("input_audio_buffer.speech_started");
    expect(
      types.slice(started, types.indexOf("response.done")).filter((type) => type.endsWith("delta")),
    ).toEqual([]);
    const [item] = response.output;
    client.send("conversation.item.retrieve", { item_id: item!.id });
    const retrieved = (await client.until("item.retrieved")).item as typeof item;
    expect(item!.content![0]!.transcript).toStartWith("This is sentence number 1");
    expect("This is sentence number 1").toStartWith(retrieved!.content![0]!.transcript!.slice(0, 10));
    expect(retrieved!.content![0]!.transcript!.length).toBeLessThan(item!.content![0]!.transcript!.length);
    await client.until("response.done", 2);
    expect(lastUser()).toBe("what time is it");
    const assistant = talk.stub.calls.at(-1)!.body.messages.find(({ role }) => role === "assistant");
    expect(assistant?.content ?? "").toBe(retrieved!.content![0]!.transcript!);
    expectOrder(client.events);
    client.close();
  });

  test("ends with the connection of its model, where that still writes", async () => {
    await using slow = await openTalk({
      services: { live: scriptedLive(() => words).live },
      tokens: { firstMs: 5, tokensPerSecond: 10 },
    });
    slow.use("long:open"); // never ends by itself
    const client = await talkTo(slow);
    client.send("response.create");
    await client.until("output_audio.delta");
    feed(client, question);
    const { response } = (await client.until("response.done")) as unknown as { response: Response };
    expect(response.status_details).toEqual({ type: "cancelled", reason: "turn_detected" });
    const [interrupted] = slow.stub.calls;
    await until(() => interrupted!.closedAtMs !== null);
    expect(interrupted!.isAnswered).toBe(false);
    client.close();
  });

  test("goes on where the sound is short and no word", async () => {
    talk.use("long");
    [words] = [""];
    const client = await begun();
    client.send("response.create");
    await client.until("output_audio.delta", 40);
    feed(client, noise());
    client.send("conversation.item.retrieve", { item_id: "none" });
    await client.until("error");
    client.send("response.cancel");
    await client.until("response.done");
    expect(client.events.filter(({ type }) => type.startsWith("input_audio_buffer"))).toEqual([]);
    [words] = ["what time is it"];
    expectOrder(client.events);
    client.close();
  });

  test("goes on where a noise has ended it, and the model is asked once", async () => {
    talk.use("long");
    [words] = [""];
    const loquat = { interruption: { interruption_ms: 0 } };
    const client = await begun({ ...transcribing, loquat });
    expect((await client.until("session.updated")).session).toMatchObject({ loquat });
    const before = talk.stub.calls.length;
    client.send("response.create");
    await client.until("output_audio.delta", 40);
    feed(client, noise());
    const first = (await client.until("response.done")).response as Response;
    expect(first).toMatchObject({ status: "cancelled", status_details: { reason: "turn_detected" } });
    const { id } = (await client.until("response.created", 2)).response as Response;
    const { delta } = await until(() =>
      client.events.find(({ type, response_id }) => response_id === id && type.endsWith("transcript.delta")),
    );
    expect(delta).toBe("This");
    client.send("response.cancel");
    await client.until("response.done", 2);
    expect(talk.stub.calls.length).toBe(before + 1);
    [words] = ["what time is it"];
    expectOrder(client.events);
    client.close();
  });

  test("is truncated where the client says so, as far as there is sound", async () => {
    talk.use("echo");
    const client = await begun();
    const { output } = await turn(client, "hello there");
    const item_id = output[0]!.id;
    const soundMs = Math.round(audioOf(client.events).length / 48);
    const truncate = async (audio_end_ms: number, count: number) => {
      client.send("conversation.item.truncate", { item_id, content_index: 0, audio_end_ms });
      return (await client.until("item.truncated", count)).audio_end_ms;
    };
    expect(await truncate(999_999, 1)).toBeWithin(soundMs - 2, soundMs + 3);
    expect(await truncate(300, 2)).toBe(300);
    client.send("conversation.item.retrieve", { item_id });
    const { content } = (await client.until("item.retrieved")).item as { content: { transcript: string }[] };
    expect("You said: hello there.").toStartWith(content[0]!.transcript);
    expect(content[0]!.transcript.length).toBeLessThan(15);
    expect(await truncate(0, 3)).toBe(0);
    await turn(client, "again", { count: 2 });
    expect(talk.stub.calls.at(-1)!.body.messages.some(({ role }) => role === "assistant")).toBe(false);
    const user = client.events.find(({ type }) => type === "conversation.item.added")!.item as { id: string };
    const refused = { none: "item_truncate_invalid_item_id", [user.id]: null };
    for (const [index, [id, code]] of Object.entries(refused).entries()) {
      client.send("conversation.item.truncate", { item_id: id, content_index: 0, audio_end_ms: 1 });
      const { error } = (await client.until("error", index + 1)) as unknown as { error: { code: unknown } };
      expect(error.code).toBe(code);
    }
    expectOrder(client.events);
    client.close();
  });
});

testEveryEvent();
