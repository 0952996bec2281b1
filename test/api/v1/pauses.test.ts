/**
 * Promise: marks of pauses are exact silence in every kind of answer, within bounds, and charged as the characters they are.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { TTS_SAMPLE_RATE } from "../../../src/audio/rates.ts";
import { errorOf, type Harness, openHarness } from "../../harness.ts";

let harness: Harness;
beforeAll(async () => {
  harness = await openHarness();
});
afterAll(() => harness[Symbol.asyncDispose]());

const speak = (body: object, path = "/v1/audio/speech") =>
  harness.ask(path, {
    method: "POST",
    body: JSON.stringify({ model: "svc-tts1", voice: "male-classic", response_format: "pcm", ...body }),
  });

async function samplesOf(body: object): Promise<Int16Array> {
  const response = await speak(body);
  expect(response.status).toBe(200);
  return new Int16Array(await response.arrayBuffer());
}

const spent = async () => (await harness.parts.ledger.totals(harness.organizationId)).costMicros;
const seconds = (samples: Int16Array) => samples.length / TTS_SAMPLE_RATE;

describe("a mark is silence of its length", () => {
  test.each([
    ["[pause 300ms]", 0.3],
    ["[pause:1.5s]", 1.5],
    ["[pause: 250 ms]", 0.25],
    ["[Pause .5s]", 0.5],
    ["[silent 1s]", 1],
    ["[pause 200ms] [pause 0.3s]", 0.5],
  ])("%s between sentences", async (mark, expected) => {
    const [one, two, both] = [
      await samplesOf({ input: "Hello there." }),
      await samplesOf({ input: "How are you?" }),
      await samplesOf({ input: `Hello there. ${mark} How are you?` }),
    ];
    expect(seconds(both)).toBeCloseTo(seconds(one) + seconds(two) + expected, 4);
    const silence = both.subarray(one.length, one.length + expected * TTS_SAMPLE_RATE);
    expect(silence.every((sample) => sample === 0)).toBe(true);
    expect(both.subarray(0, one.length)).toEqual(one);
  });

  test("alone, in every kind of answer", async () => {
    const input = "[pause 1s] … [pause 0.2s]";
    for (const more of [{}, { stream: true }, { speed: 2 }])
      expect(await samplesOf({ input, ...more })).toEqual(new Int16Array(1.2 * TTS_SAMPLE_RATE));
  });

  test("at any speed, at the start and at the end", async () => {
    const fast = await samplesOf({ input: "Hello there.", speed: 2 });
    const marked = await samplesOf({ input: "[pause 1s]Hello there.[pause 0.5s]", speed: 2 });
    expect(marked.length - fast.length).toBe(1.5 * TTS_SAMPLE_RATE);
  });

  test("in a stream, in the header of a model that knows its length, and between the times of words", async () => {
    const input = "Hello there. [pause 2s] How are you?";
    const streamed = await samplesOf({ input, stream: true });
    expect(streamed).toEqual(await samplesOf({ input }));
    const wav = await speak({
      input,
      model: "svc-tts2",
      voice: "female-warm",
      response_format: "wav",
      stream: true,
    });
    const bytes = Buffer.from(await wav.arrayBuffer());
    expect(bytes.readUInt32LE(40)).toBe(bytes.length - 44);
    const captioned = await speak({ input }, "/dev/captioned_speech");
    const { timestamps } = (await captioned.json()) as {
      timestamps: { word: string; start_time: number; end_time: number }[];
    };
    expect(timestamps.map(({ word }) => word)).toEqual(["Hello", "there", "How", "are", "you"]);
    expect(timestamps[2]!.start_time - timestamps[1]!.end_time).toBeGreaterThan(2);
  });
});

test("other brackets are text", async () => {
  const spoken = await samplesOf({ input: "Hello [pause] there [pause soon] now [paused 3s]." });
  expect(seconds(spoken)).toBeGreaterThan(2);
});

test("a mark is charged as its characters, and its silence is free", async () => {
  const costOf = async (input: string) => {
    const before = await spent();
    await samplesOf({ input });
    return (await spent()) - before;
  };
  const long = await costOf("Hello there. [pause 9999ms] How are you?");
  expect(long).toBe(await costOf("Hello there. [pause 0001ms] How are you?"));
  expect(long).toBeGreaterThan(await costOf("Hello there. How are you?"));
});

describe("refused, without a charge", () => {
  const refusals: [name: string, input: string, code: string, message: string][] = [
    ["a pause of more than 10 seconds", "Hello. [pause 10.001s]", "validation_error", "10 seconds"],
    [
      "pauses of more than 60 seconds",
      `Hello. ${"[pause 9s] ".repeat(7)}`,
      "validation_error",
      "60 seconds together",
    ],
    ["more than 200 pauses", `Hello. ${"[pause 1ms]".repeat(201)}`, "validation_error", "at most 200"],
    ["a pause of six digits of seconds", "Hello. [pause 999999s]", "validation_error", "10 seconds"],
  ];
  test.each(refusals)("%s", async (_name, input, code, message) => {
    const before = await spent();
    const error = await errorOf(await speak({ input }));
    expect(error).toMatchObject({ status: 422, code, param: "input" });
    expect(error.message).toContain(message);
    expect(await spent()).toBe(before);
  });
});
