/** Promise: a call's speech that jambonz sends is told as it reads it, turn by turn, and charged by its seconds. */
import { beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { Refusal } from "../../../src/errors.ts";
import { openHarness } from "../../harness.ts";
import { until } from "../../until.ts";
import { SECOND } from "../v1/free.ts";
import { dialSpeech } from "./speech-dial.ts";
import { type Message, refusedUpgrade, type Script, scriptedHarness, sentence8k } from "./streamed.ts";

setDefaultTimeout(120_000);

const RATE = 8000;
const FRAME_BYTES = (RATE * 2) / 50; // 20 ms

const scripted = scriptedHarness();
let spoken: Uint8Array;
beforeAll(async () => {
  spoken = await sentence8k(scripted.harness);
});

const silence = (seconds: number) => new Uint8Array(RATE * 2 * seconds);

/** As jambonz's media server writes it. */
const START = {
  ...{ type: "start", language: "en-US", format: "raw", encoding: "LINEAR16" },
  ...{ interimResults: true, sampleRateHz: RATE, options: {} },
};

async function call(...heard: Script[]) {
  scripted.script(...heard);
  const client = await dialSpeech(scripted.harness, {
    path: "/jambonz/transcribe",
    headers: { authorization: `Bearer ${scripted.harness.key}` },
  });
  return {
    ...client,
    messages: client.told as Message[],
    /** In frames of a telephone. */
    say(audio: Uint8Array) {
      for (let at = 0; at < audio.length; at += FRAME_BYTES)
        client.socket.send(audio.subarray(at, at + FRAME_BYTES));
    },
    /** Its row of the log, once it has ended. */
    async charged() {
      const { ledger } = scripted.harness.parts;
      const id = client.head["x-request-id"] as string;
      await until(() => scripted.harness.logged.some((line) => line.event === "request" && line.id === id));
      return until(() => ledger.request(scripted.harness.organizationId, id));
    },
  };
}

const isFinal = (message: Message) => message.type === "transcription" && message.is_final === true;
const textOf = (message: Message): string => message.alternatives[0].transcript;

describe("a call", () => {
  test("is told what may change, then each turn once, and is charged by its seconds", async () => {
    const stream = await call({ interim: "we were", words: "We are", rest: "here." });
    stream.send(START);
    stream.say(spoken);
    stream.say(silence(1));
    const final = await stream.until(isFinal);
    stream.send({ type: "stop" });
    expect((await stream.closed()).code).toBe(1000);
    expect(final).toEqual({
      ...{ type: "transcription", is_final: true, language: "en-US", channel: 1 },
      alternatives: [{ transcript: "We are here.", confidence: 0.9 }],
    });
    expect(stream.messages.map(textOf)).toEqual(["we were", "We are", "We are here."]);
    expect(stream.messages.map(({ is_final }) => is_final)).toEqual([false, false, true]);
    const seconds = spoken.length / 2 / RATE + 1;
    expect(await stream.charged()).toMatchObject({
      ...{ endpoint: "/jambonz/transcribe", method: "WS", model: "svc-stt1" },
      costMicros: Math.ceil(seconds * SECOND),
    });
  });

  test("is told only what is final where that is all it asks for", async () => {
    const stream = await call({ interim: "we", words: "We", rest: "are here." });
    stream.send({ ...START, interimResults: false });
    stream.say(spoken);
    stream.send({ type: "stop" });
    await stream.closed();
    expect(stream.messages.map(textOf)).toEqual(["We are here."]);
  });

  test("goes on turn after turn", async () => {
    const stream = await call({ rest: "one" }, { rest: "two" });
    stream.send(START);
    for (const said of ["one", "two"]) {
      stream.say(spoken);
      stream.say(silence(1));
      await stream.until((message) => isFinal(message) && textOf(message) === said);
    }
    stream.send({ type: "stop" });
    expect((await stream.closed()).code).toBe(1000);
  });

  test("ends a turn after the pause that the application names", async () => {
    const stream = await call({ rest: "here" });
    stream.send({ ...START, options: { endpointing: 2000, callSid: "a" } });
    stream.say(spoken);
    stream.say(silence(1.5));
    stream.say(silence(1.5));
    await stream.until(isFinal);
    stream.send({ type: "stop" });
    await stream.closed();
    expect(stream.messages).toHaveLength(1);
  });

  test("tells nothing of a turn without words", async () => {
    const stream = await call({ rest: "" });
    stream.send(START);
    stream.say(spoken);
    stream.send({ type: "stop" });
    await stream.closed();
    expect(stream.messages).toEqual([]);
  });

  test("takes hints as jambonz writes them: phrases, or JSON of phrases with a boost", async () => {
    for (const hints of [["river", "house"], JSON.stringify([{ phrase: "river", boost: 5 }]), []]) {
      const stream = await call({ rest: "here" });
      stream.send({ ...START, options: { hints, hintsBoost: 3 } });
      stream.say(spoken);
      stream.send({ type: "stop" });
      expect((await stream.closed()).code).toBe(1000);
      expect(stream.messages.map(textOf)).toEqual(["here"]);
    }
  });

  test("says what failed of a turn, which is not charged, and goes on", async () => {
    const failed = new Refusal("transcription_failed", "The transcription engine failed. Try again.");
    const stream = await call({ rest: failed }, { rest: "two" });
    stream.send(START);
    stream.say(spoken);
    stream.say(silence(1));
    const error = await stream.until(({ type }) => type === "error");
    expect(error).toMatchObject({ code: "transcription_failed", error: expect.any(String) });
    stream.say(spoken);
    stream.send({ type: "stop" });
    await stream.closed();
    expect(textOf(stream.messages.at(-1)!)).toBe("two");
    const seconds = (2 * spoken.length) / 2 / RATE + 1;
    expect((await stream.charged()).costMicros).toBeLessThan(Math.ceil(seconds * SECOND));
  });

  test("whose connection is lost is charged what was received", async () => {
    const stream = await call({ rest: "here" });
    stream.send(START);
    stream.say(spoken);
    stream.say(silence(1));
    await stream.until(isFinal);
    stream.socket.terminate();
    const seconds = spoken.length / 2 / RATE + 1;
    expect((await stream.charged()).costMicros).toBe(Math.ceil(seconds * SECOND));
  });

  test("that is stopped before it starts costs nothing", async () => {
    const stream = await call({ rest: "here" });
    stream.send({ type: "stop" });
    expect((await stream.closed()).code).toBe(1000);
    expect((await stream.charged()).costMicros).toBe(0);
  });
});

describe("is told of it, closed with 1008, and charged nothing:", () => {
  type Case = [name: string, frames: (object | string | Uint8Array)[], code: string, named: string];
  const cases: Case[] = [
    ["audio before its start", [silence(0.1)], "invalid_event", "start"],
    ["a message that is none", ["nonsense"], "invalid_event", "JSON"],
    ["a message without a type", [{ no: "type" }], "invalid_event", "type"],
    ["an unknown message", [START, { type: "pause" }], "invalid_event", "pause"],
    ["a second start", [START, START], "invalid_event", "started"],
    ["a message that is too long", [`{"type":"${"x".repeat(100_000)}"}`], "invalid_event", "65536"],
    ["another encoding", [{ ...START, encoding: "MULAW" }], "unsupported_parameter", "LINEAR16"],
    ["another format", [{ ...START, format: "ogg" }], "unsupported_parameter", "raw"],
    ["a rate out of range", [{ ...START, sampleRateHz: 96_000 }], "validation_error", "sampleRateHz"],
    ["hints that are none", [{ ...START, options: { hints: 5 } }], "validation_error", "hints"],
    ["a language that is none", [{ ...START, language: 7 }], "validation_error", "language"],
    [
      "a model that is not here",
      [{ ...START, options: { model: "none-such" } }],
      "invalid_model",
      "none-such",
    ],
  ];
  test.each(cases)("%s", async (_name, frames, code, named) => {
    const stream = await call({ rest: "here" });
    for (const frame of frames)
      if (frame instanceof Uint8Array) stream.socket.send(frame);
      else stream.send(frame);
    expect(await stream.closed()).toEqual({ code: 1008, reason: code });
    expect(stream.messages.at(-1)).toMatchObject({
      type: "error",
      code,
      error: expect.stringContaining(named),
    });
    expect((await stream.charged()).costMicros).toBe(0);
  });
});

describe("the upgrade is refused for", () => {
  const refused = (query: string, key = scripted.harness.key) =>
    refusedUpgrade(`${scripted.harness.url}/jambonz/transcribe${query}`, { authorization: `Bearer ${key}` });

  test("an unknown model", async () => {
    expect(await refused("?model=none-such")).toMatchObject({ status: 400, body: { code: "invalid_model" } });
  });

  test("a key that is wrong", async () => {
    const answer = await refused("", "sk_live_unknown");
    expect(answer).toMatchObject({
      status: 401,
      body: { code: "invalid_api_key", error: expect.any(String) },
    });
  });
});

test("a third call is refused where an organization may have two at once, and told so", async () => {
  await using small = await openHarness({ free: true });
  const headers = { authorization: `Bearer ${small.key}` };
  const dial = () => dialSpeech(small, { path: "/jambonz/transcribe", headers });
  const calls = [await dial(), await dial(), await dial()];
  expect(await calls[2]!.closed()).toEqual({ code: 1013, reason: "concurrency_limit_exceeded" });
  expect(calls[2]!.told).toMatchObject([{ type: "error", code: "concurrency_limit_exceeded" }]);
  for (const { close } of calls) close();
});
