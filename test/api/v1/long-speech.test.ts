/** Promise: long speech is complete, needs little memory, and is aborted when the client does not read it. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { connect } from "node:net";
import { wavHeader } from "../../../src/audio/pcm.ts";
import { TTS_SAMPLE_RATE } from "../../../src/audio/rates.ts";
import { errorOf, type Harness, openHarness } from "../../harness.ts";
import { until } from "../../until.ts";

/** Its first sentence is too short for a stream to cut it elsewhere than a file. */
const MINUTES = `Listen to this. ${"It was a long story, and he told all of it to us. ".repeat(60)}`;
const PATH = "/v1/audio/speech";

let harness: Harness;
beforeAll(async () => {
  harness = await openHarness({ unreadMs: 300 });
});
afterAll(() => harness[Symbol.asyncDispose]());

const speech = (fields: object) =>
  JSON.stringify({ model: "svc-tts1", voice: "male-classic", input: MINUTES, ...fields });
const speak = (fields: object) => harness.ask(PATH, { method: "POST", body: speech(fields) });
const balance = async () => (await harness.parts.ledger.credit(harness.organizationId)).balanceMicros;

describe("speech over thirty minutes", () => {
  test.each([false, true])("is refused before synthesis and not charged; streamed: %p", async (stream) => {
    const before = await balance();
    const input = "$1,234,567.89 ".repeat(571);
    const how = stream ? { stream, response_format: "pcm" } : { speed: 0.25 };
    const error = await errorOf(await speak({ input, ...how }));
    expect(error).toMatchObject({ status: 422, code: "validation_error", param: "input" });
    expect(error.message).toMatch(
      /^input would be about (4\d|17\d) minutes of speech; one request may make 30\.$/,
    );
    expect(error.details).toMatchObject([{ field: "input", code: "too_long" }]);
    expect(await balance()).toBe(before);
  });
});

test("a long WAV has its exact length in its header, and equals the streamed one", async () => {
  const whole = await speak({});
  expect(whole.headers.get("content-type")).toBe("audio/wav");
  const wav = await whole.bytes();
  const samples = (wav.length - 44) / 2;
  expect(wav.length).toBeGreaterThan(4 * 1024 * 1024);
  expect(wav.subarray(0, 44)).toEqual(wavHeader(samples, TTS_SAMPLE_RATE));
  const pcm = await (await speak({ stream: true, response_format: "pcm" })).bytes();
  expect(Buffer.from(wav.subarray(44)).equals(pcm)).toBe(true);
});

test.each([
  ["a stream", { stream: true, response_format: "pcm" }],
  ["a whole answer", {}],
])("%s that is not read is aborted, logged as 499, and frees its slot", async (_, fields) => {
  const body = speech({ ...fields, input: MINUTES + MINUTES });
  const { hostname, port } = new URL(harness.url);
  const socket = connect({ host: hostname, port: Number(port) });
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  const before = harness.logged.length;
  socket.write(`POST ${PATH} HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${harness.key}\r\n`);
  socket.write(`Content-Length: ${body.length}\r\n\r\n${body}`);
  socket.pause();
  const ended = () => harness.logged.slice(before).find(({ event }) => event === "request");
  await until(ended);
  expect(ended()).toMatchObject({ status: 499 });
  socket.resume();
  await closed;
});
