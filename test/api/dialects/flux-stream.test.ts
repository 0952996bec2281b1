/** Promise: a stream of Deepgram's Flux tells where turns begin and end, in its order of events, and is charged by its seconds. */
import { beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { pcmHeader } from "../../../src/audio/pcm.ts";
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

/** That the speaker has finished, in the order of the questions; the last is repeated. Null: no turn detector is installed. */
let probabilities: number[] | null = null;
let asked = 0;
const scripted = scriptedHarness({
  turnDetector: {
    warm() {},
    detect() {
      if (probabilities === null) return null;
      return Promise.resolve(probabilities[Math.min(asked++, probabilities.length - 1)]!);
    },
  },
});
let spoken: Uint8Array;
beforeAll(async () => {
  spoken = await speech(scripted.harness);
});
beforeEach(() => {
  probabilities = null;
  asked = 0;
});

const RAW = `model=flux-general-en&encoding=linear16&sample_rate=${RATE}`;
const token = () => ({ authorization: `Token ${scripted.harness.key}` });

function listen(query: string, ...heard: Script[]) {
  scripted.script(...heard);
  return dialStream(scripted.harness, { path: `/v2/listen?${query}`, headers: token() });
}

const PIECE = RATE / 5; // 100 ms

function send(stream: Stream, audio: Uint8Array): void {
  for (let at = 0; at < audio.length; at += PIECE) stream.send(audio.slice(at, at + PIECE));
}

async function closed(stream: Stream): Promise<number> {
  stream.send({ type: "CloseStream" });
  return (await stream.closed).code;
}

const eventsOf = ({ messages }: Stream) =>
  messages.flatMap(({ event }) => (event === undefined || event === "Update" ? [] : [event]));
const isEnd = ({ event }: Message) => event === "EndOfTurn";
const withText = ({ messages }: Stream) => messages.filter(({ transcript }) => transcript);

async function charged(id: string) {
  const { ledger } = scripted.harness.parts;
  return until(async () => {
    const row = (await ledger.requests(scripted.harness.organizationId, 50)).find((each) => each.id === id);
    const hasEnded = scripted.harness.logged.some((line) => line.event === "request" && line.id === id);
    return row && hasEnded ? row : null;
  });
}

describe("a turn", () => {
  test("is told from its first words to its end, and charged by its seconds", async () => {
    const stream = await listen(RAW, { interim: "we were", words: "We are", rest: "here." });
    send(stream, spoken);
    send(stream, quiet(1));
    const end = await stream.until(isEnd);
    expect(await closed(stream)).toBe(1000);
    const [connected] = stream.messages;
    const { request_id } = connected!;
    expect(connected).toEqual({ type: "Connected", request_id, sequence_id: 0 });
    expect(stream.messages.map(({ sequence_id }) => sequence_id)).toEqual(stream.messages.map((_, at) => at));
    const [start] = withText(stream);
    expect(start).toMatchObject({ event: "StartOfTurn", transcript: "we were", turn_index: 0 });
    expect(start!.end_of_turn_confidence).toBe(0);
    expect(end).toEqual({
      ...{ type: "TurnInfo", event: "EndOfTurn", request_id, sequence_id: expect.any(Number) },
      ...{ turn_index: 0, trigger: "model", transcript: "We are here." },
      audio_window_start: expect.any(Number),
      audio_window_end: expect.any(Number),
      words: ["We", "are", "here."].map((word) => ({
        ...{ word, confidence: 0.9, start: expect.any(Number), end: expect.any(Number) },
      })),
      end_of_turn_confidence: expect.any(Number),
    });
    expect(end.end_of_turn_confidence).toBeGreaterThanOrEqual(0.7);
    expect(eventsOf(stream)).toEqual(["StartOfTurn", "EndOfTurn"]);
    const seconds = spoken.length / 2 / RATE + 1;
    expect(await charged(request_id)).toMatchObject({
      ...{ endpoint: "/deepgram/v2/listen", method: "WS", costMicros: Math.ceil(seconds * SECOND) },
    });
  });

  test("ends with the probability of the turn detector, after EagerEndOfTurn where it is asked for", async () => {
    probabilities = [0.55, 0.81];
    const heard = { words: "We are", guess: "here.", rest: "here." };
    const stream = await listen(`${RAW}&eager_eot_threshold=0.5`, heard);
    send(stream, spoken);
    send(stream, quiet(0.3));
    await until(() => asked > 0);
    send(stream, quiet(2));
    const end = await stream.until(isEnd);
    const eager = stream.messages.find(({ event }) => event === "EagerEndOfTurn")!;
    expect(eager).toMatchObject({ transcript: "We are here.", end_of_turn_confidence: 0.55, turn_index: 0 });
    expect(eager).not.toHaveProperty("trigger");
    expect(end).toMatchObject({ transcript: "We are here.", end_of_turn_confidence: 0.81, trigger: "model" });
    expect(eventsOf(stream)).toEqual(["StartOfTurn", "EagerEndOfTurn", "EndOfTurn"]);
    stream.close();
  });

  test("has no EagerEndOfTurn unless it is asked for", async () => {
    probabilities = [0.9];
    const stream = await listen(RAW, { words: "We are", guess: "here.", rest: "here." });
    send(stream, spoken);
    send(stream, quiet(2));
    await stream.until(isEnd);
    expect(eventsOf(stream)).toEqual(["StartOfTurn", "EndOfTurn"]);
    stream.close();
  });

  test("is resumed where speech goes on", async () => {
    probabilities = [0.6];
    const stream = await listen(`${RAW}&eager_eot_threshold=0.5`, {
      words: "We are",
      guess: "here.",
      rest: "",
    });
    send(stream, spoken);
    send(stream, quiet(0.4));
    await stream.until(({ event }) => event === "EagerEndOfTurn");
    send(stream, spoken);
    const resumed = await stream.until(({ event }) => event === "TurnResumed");
    expect(resumed).toMatchObject({ turn_index: 0, end_of_turn_confidence: 0 });
    stream.close();
  });

  test("is resumed before it ends with another text than was told", async () => {
    probabilities = [0.9];
    const heard = { words: "We are", guess: "hear", rest: "here." };
    const stream = await listen(`${RAW}&eager_eot_threshold=0.5`, heard);
    send(stream, spoken);
    send(stream, quiet(2));
    expect(await stream.until(isEnd)).toMatchObject({ transcript: "We are here." });
    expect(eventsOf(stream)).toEqual(["StartOfTurn", "EagerEndOfTurn", "TurnResumed", "EndOfTurn"]);
    stream.close();
  });

  test("ends at the longest silence where the detector is never sure", async () => {
    probabilities = [0.1];
    const stream = await listen(`${RAW}&eot_timeout_ms=1500`, { words: "We are", rest: "here." });
    send(stream, spoken);
    send(stream, quiet(3));
    expect(await stream.until(isEnd)).toMatchObject({ trigger: "timeout", end_of_turn_confidence: 0.1 });
    stream.close();
  });

  test("ends where its client says so, and nothing happens without one", async () => {
    const stream = await listen(`${RAW}&eot_threshold=1&eot_timeout_ms=60000`, {
      words: "We are",
      rest: "here.",
    });
    stream.send({ type: "ForceEndTurn" });
    send(stream, spoken);
    send(stream, quiet(3));
    await stream.until(({ transcript }) => transcript === "We are");
    expect(eventsOf(stream)).toEqual(["StartOfTurn"]);
    stream.send({ type: "ForceEndTurn" });
    expect(await stream.until(isEnd)).toMatchObject({ trigger: "manual", transcript: "We are here." });
    stream.close();
  });

  test("is numbered, and starts where the one before has ended", async () => {
    const stream = await listen(RAW, { words: "One", rest: "turn." }, { words: "Another", rest: "turn." });
    for (let turn = 0; turn < 2; turn++) {
      send(stream, spoken);
      send(stream, quiet(1.5));
    }
    const second = await stream.until((message) => isEnd(message) && message.turn_index === 1);
    const first = stream.messages.find(isEnd)!;
    expect(first.transcript).toBe("One turn.");
    expect(second.transcript).toBe("Another turn.");
    expect(second.audio_window_start).toBeGreaterThanOrEqual(first.audio_window_end);
    expect(eventsOf(stream)).toEqual(["StartOfTurn", "EndOfTurn", "StartOfTurn", "EndOfTurn"]);
    stream.close();
  });

  test("is none where no word is heard", async () => {
    const stream = await listen(RAW, { rest: "" });
    send(stream, spoken);
    send(stream, quiet(1.5));
    expect(await closed(stream)).toBe(1000);
    expect(eventsOf(stream)).toEqual([]);
  });

  test("that is still open is told when the client closes the stream", async () => {
    const stream = await listen(RAW, { words: "We are", rest: "here." });
    send(stream, spoken);
    expect(await closed(stream)).toBe(1000);
    expect(stream.messages.at(-1)).toMatchObject({ event: "EndOfTurn", transcript: "We are here." });
  });

  test("that fails ends the stream, and is not charged", async () => {
    const failed = new Refusal("transcription_failed", "The transcription engine failed. Try again.");
    const stream = await listen(RAW, { rest: failed });
    send(stream, spoken);
    send(stream, quiet(1));
    const { code } = await stream.closed;
    expect(code).toBe(1011);
    const [{ request_id: id }, last] = [stream.messages[0]!, stream.messages.at(-1)!];
    expect(last).toMatchObject({ type: "Error", code: "INTERNAL_SERVER_ERROR" });
    const seconds = spoken.length / 2 / RATE + 1;
    expect((await charged(id)).costMicros).toBeLessThan(Math.ceil(seconds * SECOND) / 2);
  });
});

test("audio is told of four times a second, before the first word too", async () => {
  const stream = await listen(RAW, { rest: "" });
  const updates = () => stream.messages.filter(({ event }) => event === "Update");
  await until(() => {
    stream.send(quiet(0.25));
    return updates().length > 8;
  });
  expect(updates()[0]).toMatchObject({ transcript: "", words: [], end_of_turn_confidence: 0, turn_index: 0 });
  stream.close();
});

test("a stream without an encoding begins with a WAV header", async () => {
  const stream = await listen("model=flux-general-multi&language_hint=en", {
    words: "We are",
    rest: "here.",
  });
  const header = pcmHeader({ sampleRate: RATE, width: 2, channels: 1 }, null);
  send(stream, Buffer.concat([header, spoken]));
  expect(await closed(stream)).toBe(1000);
  expect(stream.messages.at(-1)).toMatchObject({
    ...{ transcript: "We are here.", languages: ["en"], languages_hinted: ["en"] },
  });
});

describe("Configure", () => {
  test("changes what it names, and says what is in force", async () => {
    const stream = await listen(`${RAW}&eot_threshold=1&eot_timeout_ms=60000`, {
      words: "We are",
      rest: "here.",
    });
    stream.send({ type: "Configure", thresholds: { eot_threshold: 0.6, eager_eot_threshold: 0.4 } });
    const answer = await stream.until(({ type }) => type === "ConfigureSuccess");
    expect(answer).toMatchObject({
      request_id: stream.messages[0]!.request_id,
      thresholds: { eot_threshold: 0.6, eager_eot_threshold: 0.4, eot_timeout_ms: 60_000 },
      keyterms: [],
    });
    send(stream, spoken);
    send(stream, quiet(1));
    expect(await stream.until(isEnd)).toMatchObject({ trigger: "model" });
    stream.close();
  });

  test.each([
    ["a threshold out of range", { thresholds: { eot_threshold: 2 } }, "VALIDATION_ERROR"],
    ["an eager one above the other", { thresholds: { eager_eot_threshold: 0.9 } }, "VALIDATION_ERROR"],
    ["a language of a model that has one", { language_hints: ["es"] }, "UNSUPPORTED_PARAMETER"],
    ["words where the model prefers none", { keyterms: ["river"] }, "UNSUPPORTED_PARAMETER"],
    ["too many words", { keyterms: Array.from({ length: 101 }, () => "river") }, "VALIDATION_ERROR"],
    ["what would change the text", { profanity_filter: true }, "UNSUPPORTED_PARAMETER"],
    ["what is no list", { keyterms: 7 }, "VALIDATION_ERROR"],
  ])("is answered with ConfigureFailure for %s, and changes nothing", async (_name, fields, code) => {
    const stream = await listen(RAW, { words: "We are", rest: "here." });
    stream.send({ type: "Configure", ...fields });
    const failure = await stream.until(({ type }) => type === "ConfigureFailure");
    expect(failure).toMatchObject({ error_code: code, description: expect.any(String) });
    stream.send({ type: "Configure" });
    expect(await stream.until(({ type }) => type === "ConfigureSuccess")).toMatchObject({
      ...{ thresholds: { eot_threshold: 0.7, eot_timeout_ms: 5000 }, keyterms: [] },
    });
    send(stream, spoken);
    expect(await closed(stream)).toBe(1000);
  });
});
