/** Promise: live sound sent as Deepgram's clients send it is told as they read it, and charged by its seconds. */
import { beforeAll, describe, expect, test } from "bun:test";
import { pcmHeader } from "../../../src/audio/pcm.ts";
import { Refusal } from "../../../src/errors.ts";
import { until } from "../../until.ts";
import { SECOND } from "../v1/free.ts";
import {
  dialStream,
  type Message,
  quiet,
  RATE,
  refusedUpgrade,
  type Script,
  scriptedHarness,
  speech,
} from "./streamed.ts";

const scripted = scriptedHarness();
let spoken: Uint8Array;
beforeAll(async () => {
  spoken = await speech(scripted.harness);
});

const RAW = `encoding=linear16&sample_rate=${RATE}`;
const token = () => ({ authorization: `Token ${scripted.harness.key}` });

function listen(query: string, ...heard: Script[]) {
  scripted.script(...heard);
  return dialStream(scripted.harness, { path: `/v1/listen?${query}`, headers: token() });
}

const isFinal = (message: Message) => message.type === "Results" && message.is_final;
const textOf = (message: Message): string => message.channel.alternatives[0].transcript;
const kinds = (messages: Message[]) => messages.map(({ type }) => type);

async function charged(id: string) {
  const { ledger } = scripted.harness.parts;
  return until(async () => {
    const row = (await ledger.requests(scripted.harness.organizationId, 50)).find((each) => each.id === id);
    const hasEnded = scripted.harness.logged.some((line) => line.event === "request" && line.id === id);
    return row && hasEnded ? row : null;
  });
}

describe("a stream", () => {
  test("tells text that may change, then what is final, then its metadata, and is charged by its seconds", async () => {
    const stream = await listen(`${RAW}&interim_results=true&vad_events=true&punctuate=true`, {
      ...{ interim: "we were", words: "We are", rest: "here." },
    });
    stream.send(spoken);
    stream.send(quiet(1));
    const final = await stream.until(isFinal);
    stream.send({ type: "CloseStream" });
    const { code } = await stream.closed;
    expect(code).toBe(1000);
    const [started, interim, again] = stream.messages;
    expect(started).toEqual({ type: "SpeechStarted", channel: [0], timestamp: expect.any(Number) });
    expect(interim).toMatchObject({ is_final: false, speech_final: false, channel_index: [0, 1] });
    expect(textOf(interim!)).toBe("we were");
    expect(textOf(again!)).toBe("We are");
    expect(final).toMatchObject({
      speech_final: true,
      from_finalize: false,
      metadata: { model_uuid: "svc-stt1" },
    });
    expect(textOf(final)).toBe("We are here.");
    const [word] = final.channel.alternatives[0].words;
    expect(word).toEqual({
      ...{ word: "we", punctuated_word: "We", confidence: 0.9 },
      ...{ start: final.start, end: expect.closeTo(final.start + 0.3, 2) },
    });
    const metadata = stream.messages.at(-1)!;
    const seconds = spoken.length / 2 / RATE + 1;
    expect(metadata).toMatchObject({ type: "Metadata", channels: 1, duration: expect.closeTo(seconds, 2) });
    expect(metadata.request_id).toBe(final.metadata.request_id);
    expect(await charged(metadata.request_id)).toMatchObject({
      ...{ endpoint: "/deepgram/v1/listen", method: "WS", costMicros: Math.ceil(seconds * SECOND) },
    });
  });

  test("has no marks and no text that may change unless they are asked for", async () => {
    const stream = await listen(RAW, { interim: "we", words: "We", rest: "are here." });
    stream.send(spoken);
    stream.send({ type: "CloseStream" });
    await stream.closed;
    expect(kinds(stream.messages)).toEqual(["Results", "Metadata"]);
    expect(textOf(stream.messages[0]!)).toBe("we are here");
    expect(stream.messages[0]!.channel.alternatives[0].words[0]).not.toHaveProperty("punctuated_word");
  });

  test("tells final words of a long turn before its end", async () => {
    const long = Array.from({ length: 20 }, (_, index) => `word${index}`).join(" ");
    const stream = await listen(RAW, { words: long, rest: "end" });
    stream.send(spoken);
    stream.send({ type: "CloseStream" });
    await stream.closed;
    const finals = stream.messages.filter(isFinal);
    expect(finals.map(({ speech_final }) => speech_final)).toEqual([false, true]);
    expect(finals.map(textOf)).toEqual([long, "end"]);
    expect(finals[1]!.start).toBeCloseTo(finals[0]!.start + finals[0]!.duration, 2);
  });

  test("is finalized where its client asks, and goes on", async () => {
    const stream = await listen(`${RAW}&endpointing=false`, { rest: "one" }, { rest: "two" });
    stream.send({ type: "Finalize" });
    expect(await stream.until(isFinal)).toMatchObject({ from_finalize: true, duration: 0 });
    stream.send(spoken);
    stream.send({ type: "KeepAlive" });
    stream.send({ type: "Finalize" });
    const final = await stream.until((message) => isFinal(message) && textOf(message) !== "");
    expect(final).toMatchObject({ from_finalize: true, speech_final: true });
    stream.send(spoken);
    stream.send(quiet(2));
    await stream.until((message) => isFinal(message) && textOf(message) === "two" && !message.speech_final);
    stream.send(new Uint8Array(0));
    expect((await stream.closed).code).toBe(1000);
  });

  test("tells the end of an utterance after its silence", async () => {
    const stream = await listen(`${RAW}&utterance_end_ms=1000&endpointing=300`, { rest: "here" });
    stream.send(spoken);
    for (let index = 0; index < 6; index++) stream.send(quiet(0.5));
    await stream.until(isFinal);
    stream.send(quiet(0.5));
    const end = await stream.until(({ type }) => type === "UtteranceEnd");
    expect(end).toMatchObject({ channel: [0, 1], last_word_end: expect.any(Number) });
    stream.close();
  });

  test("may be WAV, in pieces of any size, and of two channels", async () => {
    const stereo = Buffer.concat([
      pcmHeader({ sampleRate: RATE, width: 2, channels: 2 }, null),
      twice(spoken),
    ]);
    const stream = await listen("", { rest: "here" });
    for (let at = 0; at < 60; at += 7) stream.send(stereo.subarray(at, Math.min(60, at + 7)));
    for (let at = 60; at < stereo.length; at += 4001) stream.send(stereo.subarray(at, at + 4001));
    stream.send({ type: "CloseStream" });
    await stream.closed;
    const metadata = stream.messages.at(-1)!;
    expect(metadata.duration).toBeCloseTo(spoken.length / 2 / RATE, 1);
    expect(textOf(stream.messages.find(isFinal)!)).toBe("here");
  });

  test("says which message it cannot read, and goes on", async () => {
    const stream = await listen(RAW, { rest: "here" });
    stream.socket.send("nonsense");
    stream.send({ type: "Unknown" });
    stream.send({ no: "type" });
    stream.socket.send(`{"type":"${"x".repeat(100_000)}"}`);
    stream.send(spoken);
    stream.send({ type: "CloseStream" });
    expect((await stream.closed).code).toBe(1000);
    const errors = stream.messages.filter(({ type }) => type === "Error");
    expect(errors).toHaveLength(4);
    expect(errors[0]).toMatchObject({ variant: "SchemaError", description: expect.any(String) });
    expect(textOf(stream.messages.find(isFinal)!)).toBe("here");
  });

  test("says what failed of an utterance, which is not charged, and goes on", async () => {
    const failed = new Refusal("transcription_failed", "The transcription engine failed. Try again.");
    const stream = await listen(RAW, { rest: failed }, { rest: "two" });
    stream.send(spoken);
    stream.send({ type: "Finalize" });
    await stream.until(({ type }) => type === "Error");
    stream.send({ type: "CloseStream" });
    await stream.closed;
    const { request_id: id, duration } = stream.messages.at(-1)!;
    expect((await charged(id)).costMicros).toBeLessThan(Math.ceil(duration * SECOND));
  });

  test("whose client leaves is charged what was received", async () => {
    const stream = await listen(RAW, { rest: "here" });
    stream.send(spoken);
    stream.send({ type: "Finalize" });
    const { metadata } = await stream.until(isFinal);
    stream.socket.terminate();
    const seconds = spoken.length / 2 / RATE;
    expect(await charged(metadata.request_id)).toMatchObject({ costMicros: Math.ceil(seconds * SECOND) });
  });

  test("changes the words to prefer only where the model prefers any", async () => {
    const stream = await listen(RAW, { rest: "here" });
    stream.send({ type: "Configure", keyterms: ["river"] });
    expect(await stream.until(({ type }) => type === "ConfigureFailure")).toMatchObject({
      code: "CONFIGURE_KEYTERMS_NOT_SUPPORTED",
    });
    stream.close();
  });
});

/** Each sample of one channel for two. */
function twice(mono: Uint8Array): Uint8Array {
  const samples = new Int16Array(mono.slice().buffer);
  const stereo = new Int16Array(samples.length * 2);
  for (const [index, sample] of samples.entries()) stereo.fill(sample, index * 2, index * 2 + 2);
  return new Uint8Array(stereo.buffer);
}

const refused = (query: string, headers: Record<string, string>) =>
  refusedUpgrade(`${scripted.harness.url}/v1/listen?${query}`, headers);

describe("an upgrade is refused, in Deepgram's shape, for", () => {
  type Case = [name: string, query: string, status: number, code: string, named: string];
  const cases: Case[] = [
    ["an encoding that is not read", "encoding=opus&sample_rate=48000", 400, "unsupported_parameter", "opus"],
    ["no rate", "encoding=linear16", 422, "validation_error", "sample_rate"],
    ["a rate that G.711 has not", "encoding=mulaw&sample_rate=16000", 400, "invalid_audio", "8000"],
    ["a rate out of range", "encoding=linear16&sample_rate=96000", 400, "invalid_audio", "96000"],
    ["what would change the text", `${RAW}&redact=pci`, 400, "unsupported_parameter", "redact"],
    ["an answer elsewhere", `${RAW}&callback=http://a`, 400, "unsupported_parameter", "callback"],
    ["an unknown model", `${RAW}&model=no-such-model`, 400, "invalid_model", "no-such-model"],
    ["a pause that is none", `${RAW}&endpointing=soon`, 422, "validation_error", "endpointing"],
  ];
  test.each(cases)("%s", async (_name, query, status, code, named) => {
    const answer = await refused(query, token());
    expect(answer).toMatchObject({ status, body: { code, err_code: expect.any(String) } });
    expect(answer.body.err_msg).toContain(named);
  });

  test("a key that is wrong", async () => {
    const answer = await refused(RAW, { authorization: "Token sk_live_unknown" });
    expect(answer).toMatchObject({ status: 401, body: { err_code: "INVALID_AUTH" } });
  });
});

test("a page may send its key as a subprotocol, which is not the one that is chosen", async () => {
  scripted.script({ rest: "here" });
  const stream = await dialStream(scripted.harness, {
    path: `/v1/listen?${RAW}`,
    protocols: ["token", scripted.harness.key],
  });
  expect(stream.socket.protocol).toBe("token");
  stream.close();
});

test("a container that is not WAV ends the stream, which is charged nothing", async () => {
  const stream = await listen("", { rest: "here" });
  stream.send(Buffer.from("OggS and so on"));
  expect((await stream.closed).code).toBe(1008);
  expect(stream.messages[0]).toMatchObject({ type: "Error", variant: "INVALID_AUDIO" });
});
