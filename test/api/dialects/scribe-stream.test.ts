/** Promise: live sound sent as ElevenLabs' clients send it is told as they read it, and charged by its seconds. */
import { beforeAll, describe, expect, test } from "bun:test";
import { Refusal } from "../../../src/errors.ts";
import { until } from "../../until.ts";
import { SECOND } from "../v1/free.ts";
import {
  dialStream,
  type Message,
  quiet,
  RATE,
  type Script,
  type Stream,
  scriptedHarness,
  speech,
} from "./streamed.ts";

const scripted = scriptedHarness();
let spoken: Uint8Array;
beforeAll(async () => {
  spoken = await speech(scripted.harness);
});

const MODEL = "model_id=svc-stt1&audio_format=pcm_24000";

function scribe(query: string, ...heard: Script[]) {
  scripted.script(...heard);
  const headers = { "xi-api-key": scripted.harness.key };
  return dialStream(scripted.harness, { path: `/v1/speech-to-text/realtime?${query}`, headers });
}

const chunk = (bytes: Uint8Array, fields: object = {}) => ({
  message_type: "input_audio_chunk",
  audio_base_64: Buffer.from(bytes).toString("base64"),
  commit: false,
  sample_rate: RATE,
  ...fields,
});
const COMMIT = chunk(new Uint8Array(0), { commit: true });
const is = (kind: string) => (message: Message) => message.message_type === kind;

async function refusedWith(stream: Stream) {
  const { code } = await stream.closed;
  return { close: code, ...stream.messages.at(-1) };
}

const isCharged = (micros: number) =>
  until(async () => {
    const rows = await scripted.harness.parts.ledger.requests(scripted.harness.organizationId, 50);
    const hasEnded = scripted.harness.logged.some(
      (line) => line.event === "request" && line.id === rows[0]?.id,
    );
    return hasEnded && rows.some(({ costMicros }) => costMicros === micros) ? rows : null;
  });

describe("a stream", () => {
  test("is confirmed, told in parts, and committed by its client, with times where they are asked for", async () => {
    const stream = await scribe(`${MODEL}&include_timestamps=true&language_code=en`, {
      ...{ interim: "we were", words: "We are", rest: "here." },
    });
    expect(await stream.until(is("session_started"))).toEqual({
      message_type: "session_started",
      session_id: expect.stringMatching(/^sess_/),
      config: expect.objectContaining({
        ...{ model_id: "svc-stt1", sample_rate: RATE, commit_strategy: "manual", language_code: "en" },
      }),
    });
    stream.send(chunk(spoken));
    stream.send(COMMIT);
    const timed = await stream.until(is("committed_transcript_with_timestamps"));
    const told = stream.messages.map(({ message_type, text }) => [message_type, text]);
    expect(told.slice(1)).toEqual([
      ["partial_transcript", "we were"],
      ["partial_transcript", "We are"],
      ["committed_transcript", "We are here."],
      ["committed_transcript_with_timestamps", "We are here."],
    ]);
    expect(timed.language_code).toBe("en");
    expect(timed.words.map(({ type }: Message) => type)).toEqual([
      ...["word", "spacing", "word", "spacing", "word"],
    ]);
    stream.close();
    await isCharged(Math.ceil((spoken.length / 2 / RATE) * SECOND));
  });

  test("commits all that was said since the last commit, also over pauses, and nothing where nothing was", async () => {
    const stream = await scribe(MODEL, { rest: "one" }, { rest: "two" }, { rest: "three" });
    stream.send(chunk(spoken));
    stream.send(chunk(quiet(3)));
    stream.send(chunk(spoken));
    stream.send(COMMIT);
    stream.send(COMMIT);
    stream.send(chunk(spoken, { commit: true }));
    await stream.until(({ text }) => text === "three");
    const committed = stream.messages.filter(is("committed_transcript")).map(({ text }) => text);
    expect(committed).toEqual(["one two", "", "three"]);
    stream.close();
  });

  test("is committed by pauses where its client chose so", async () => {
    const stream = await scribe(`${MODEL}&commit_strategy=vad&vad_silence_threshold_secs=0.5`, {
      rest: "here",
    });
    stream.send(chunk(spoken));
    stream.send(chunk(quiet(1)));
    expect(await stream.until(is("committed_transcript"))).toMatchObject({ text: "here" });
    expect(stream.messages.some(is("committed_transcript_with_timestamps"))).toBeFalse();
    stream.close();
  });

  test("gives the recognizer what was said before it", async () => {
    const stream = await scribe(MODEL, { rest: "here" });
    stream.send(chunk(spoken, { previous_text: "At the river." }));
    stream.send(COMMIT);
    await stream.until(is("committed_transcript"));
    expect(scripted.opened[0]!.prompt).toBe("At the river.");
    stream.close();
  });

  test("goes on after an utterance that failed", async () => {
    const failed = new Refusal("transcription_failed", "The transcription engine failed. Try again.");
    const stream = await scribe(MODEL, { rest: failed }, { rest: "two" });
    stream.send(chunk(spoken, { commit: true }));
    await stream.until(is("transcriber_error"));
    stream.send(chunk(spoken, { commit: true }));
    await stream.until(({ text }) => text === "two");
    stream.close();
  });

  test("reads chunks of megabytes", async () => {
    const stream = await scribe(MODEL, { rest: "here" });
    stream.send(chunk(Buffer.concat(Array.from({ length: 20 }, () => spoken)), { commit: true }));
    await stream.until(is("committed_transcript"));
    stream.close();
  });
});

describe("is told on the socket what ends it:", () => {
  type Case = [name: string, query: string, kind: string];
  const cases: Case[] = [
    ["an unknown model", "model_id=unknown", "input_error"],
    ["an unknown format", "audio_format=mp3", "input_error"],
    ["what would change the text", `${MODEL}&entity_redaction=pii`, "input_error"],
    ["a number that is none", `${MODEL}&vad_threshold=loud`, "input_error"],
  ];
  test.each(cases)("%s", async (_name, query, kind) => {
    const stream = await scribe(query, { rest: "" });
    expect(await refusedWith(stream)).toMatchObject({
      ...{ close: 1008, message_type: kind, error: expect.any(String) },
    });
  });

  test("a key that is wrong", async () => {
    const path = `/v1/speech-to-text/realtime?${MODEL}`;
    const stream = await dialStream(scripted.harness, { path, headers: { "xi-api-key": "sk_live_unknown" } });
    expect(await refusedWith(stream)).toMatchObject({ close: 1008, message_type: "auth_error" });
  });

  const frames: [name: string, frame: string | Uint8Array][] = [
    ["text that is no JSON", "nonsense"],
    ["a binary frame", new Uint8Array(10)],
    ["an unknown type", '{"message_type":"unknown"}'],
    ["what is no base64", '{"message_type":"input_audio_chunk","audio_base_64":"%%%"}'],
    ["audio that is no text", '{"message_type":"input_audio_chunk","audio_base_64":1}'],
    ["a large frame that is no audio", `{"message_type":"${"x".repeat(100_000)}"}`],
  ];
  test.each(frames)("%s", async (_name, frame) => {
    const stream = await scribe(MODEL, { rest: "" });
    stream.socket.send(frame as never);
    expect(await refusedWith(stream)).toMatchObject({ close: 1008, message_type: "input_error" });
  });
});
