/** Promise: stock OpenAI clients work when only the base URL and the key change. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import OpenAI, { toFile } from "openai";
import OpenAI4, { toFile as toFile4 } from "openai-4";
import { installedFamilies } from "../../../../src/engine/families/installed.ts";
import { type Harness, openHarness } from "../../../harness.ts";
import { plainWordErrors } from "../../../wer.ts";

const SENTENCE = "The old man walked down the street.";
const recognition = installedFamilies().has("sphinx");
const untilRecognition = recognition ? "" : " (skipped: libpocketsphinx is not installed)";

let harness: Harness;
let spoken: ArrayBuffer;

beforeAll(async () => {
  harness = await openHarness();
  const response = await harness.ask("/v1/audio/speech", {
    method: "POST",
    body: JSON.stringify({ model: "svc-tts1", voice: "male-deep", input: SENTENCE }),
  });
  spoken = await response.arrayBuffer();
});
afterAll(() => harness[Symbol.asyncDispose]());

const CLIENTS = {
  "openai 7": { Client: OpenAI, file: toFile },
  "openai 4": { Client: OpenAI4 as never as typeof OpenAI, file: toFile4 as never as typeof toFile },
};

describe.each(Object.entries(CLIENTS))("%s", (_name, { Client, file }) => {
  const open = (key = harness.key) =>
    new Client({ apiKey: key, baseURL: `${harness.url}/v1/`, maxRetries: 0 });
  const speech = (extra: object = {}) =>
    open().audio.speech.create({
      model: "svc-tts1",
      voice: "female-warm",
      input: SENTENCE,
      ...extra,
    } as never);

  test("saves speech to a file", async () => {
    const response = await speech();
    expect(response.headers.get("content-type")).toBe("audio/wav");
    const bytes = Buffer.from(await response.arrayBuffer());
    expect(bytes.subarray(0, 4).toString()).toBe("RIFF");
    expect(bytes.readUInt32LE(40)).toBe(bytes.length - 44);
    expect(bytes.length).toBeGreaterThan(1.5 * 48_000);
  });

  test("streams raw samples, the first long before the last", async () => {
    const input = `${SENTENCE} `.repeat(20);
    const response = await speech({ input, response_format: "pcm", stream_format: "audio" });
    expect(response.headers.get("content-length")).toBeNull();
    const sizes: number[] = [];
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) sizes.push(chunk.length);
    const sizeBytes = sizes.reduce((sum, size) => sum + size, 0);
    expect(sizeBytes % 2).toBe(0);
    expect(sizeBytes).toBeGreaterThan(20 * 1.5 * 48_000);
    expect(sizes[0]).toBeLessThan(sizeBytes / 2);
  });

  test("streams events as complete lines, with usage in the last", async () => {
    const response = await speech({ response_format: "pcm", stream_format: "sse" });
    const events = parseEvents(await response.text());
    const deltas = events.filter(({ name }) => name === "speech.audio.delta");
    const audio = deltas.map(({ data }) => Buffer.from(data.audio, "base64"));
    expect(Math.max(...audio.map(({ length }) => length))).toBeLessThanOrEqual(32 * 1024);
    expect(audio.every(({ length }) => length % 2 === 0)).toBe(true);
    const last = events.at(-1)!;
    expect(last.name).toBe("speech.audio.done");
    const seconds = Buffer.concat(audio).length / 48_000;
    expect(last.data.usage).toMatchObject({ characters: SENTENCE.length, input_tokens: SENTENCE.length });
    expect(last.data.usage.audio_seconds).toBeCloseTo(seconds, 2);
    expect(last.data.usage.total_tokens).toBe(SENTENCE.length + Math.ceil(seconds * 20));
  });

  test.skipIf(!recognition)(`transcribes to json${untilRecognition}`, async () => {
    const transcript = await transcribe({});
    const { errors, words } = plainWordErrors(SENTENCE, transcript.text);
    expect(errors / words).toBeLessThanOrEqual(0.25);
    expect(transcript.usage).toEqual({ type: "duration", seconds: expect.any(Number) });
    expect(transcript.languages).toEqual([{ code: "en" }]);
  });

  test.skipIf(!recognition)(`transcribes to every other format${untilRecognition}`, async () => {
    const text = (await transcribe({ response_format: "text" })) as unknown as string;
    expect(text.endsWith("\n")).toBe(true);
    const srt = (await transcribe({ response_format: "srt" })) as unknown as string;
    expect(srt).toMatch(/^1\n00:00:0\d,\d{3} --> 00:00:0\d,\d{3}\n(.+\n){1,2}\n/);
    const vtt = (await transcribe({ response_format: "vtt" })) as unknown as string;
    expect(vtt).toMatch(/^WEBVTT\n\n00:00:0\d\.\d{3} --> 00:00:0\d\.\d{3}\n(.+\n){1,2}\n/);
    const verbose = (await transcribe({
      response_format: "verbose_json",
      timestamp_granularities: ["word", "segment"],
    })) as never as {
      language: string;
      duration: number;
      segments: object[];
      words: { start: number; end: number }[];
    };
    expect(verbose.language).toBe("english");
    const fields = [
      "avg_logprob",
      "compression_ratio",
      "end",
      "id",
      "no_speech_prob",
      "seek",
      "start",
      "temperature",
    ];
    expect(Object.keys(verbose.segments[0]!).sort()).toEqual([...fields, "text", "tokens"].sort());
    for (const [index, word] of verbose.words.entries()) {
      expect(word.start).toBeGreaterThanOrEqual(verbose.words[index - 1]?.start ?? 0);
      expect(word.end).toBeGreaterThanOrEqual(word.start);
      expect(word.end).toBeLessThanOrEqual(verbose.duration);
    }
  });

  test.skipIf(!recognition)(
    `transcribes as a stream whose joined deltas are the text${untilRecognition}`,
    async () => {
      const stream = (await transcribe({ stream: true })) as never as AsyncIterable<{
        type: string;
        delta: string;
        text: string;
      }>;
      const events: { type: string; delta: string; text: string }[] = [];
      for await (const event of stream) events.push(event);
      const done = events.at(-1)!;
      expect(done.type).toBe("transcript.text.done");
      expect(
        events
          .slice(0, -1)
          .map(({ delta }) => delta)
          .join(""),
      ).toBe(done.text);
      expect(done.text).toBe((await transcribe({})).text);
    },
  );

  const transcribe = async (extra: object) =>
    (await open().audio.transcriptions.create({
      file: await file(spoken.slice(0), "blob"),
      model: "svc-stt1",
      ...extra,
    } as never)) as unknown as { text: string; usage: object; languages: object[] };

  test("lists and retrieves models", async () => {
    const ids: string[] = [];
    for await (const model of open().models.list()) ids.push(model.id);
    expect(ids.sort()).toEqual(["svc-stt1", "svc-tts1", "svc-tts2"]);
    const model = await open().models.retrieve("svc-tts1");
    expect(model).toMatchObject({ id: "svc-tts1", object: "model", type: "tts" } as never);
  });

  const failures: [string, string, () => Promise<unknown>, string][] = [
    [
      "AuthenticationError",
      "invalid_api_key",
      () => open("sk_live_nope").models.list(),
      "authentication_error",
    ],
    ["NotFoundError", "model_not_found", () => open().models.retrieve("gpt-4"), "not_found"],
    ["NotFoundError", "invalid_voice", () => speech({ voice: "alloy" }), "not_found"],
    ["BadRequestError", "invalid_model", () => speech({ model: "tts-1" }), "invalid_request"],
    ["UnprocessableEntityError", "validation_error", () => speech({ speed: 9 }), "invalid_request"],
  ];
  test.each(failures)("%s is thrown for %s", async (className, code, call, type) => {
    const error = await call().then(
      () => null,
      (reason: Error) =>
        reason as never as { constructor: { name: string }; code: string; type: string; headers: unknown },
    );
    expect(error?.constructor.name).toBe(className);
    expect(error).toMatchObject({ code, type });
  });
});

function parseEvents(text: string) {
  return text
    .split("\n\n")
    .filter((block) => block !== "")
    .map((block) => {
      const [name, data] = block.split("\n");
      return { name: name!.replace(/^event: /, ""), data: JSON.parse(data!.replace(/^data: /, "")) };
    });
}
