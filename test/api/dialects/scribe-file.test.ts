/** Promise: a recording sent as ElevenLabs' clients send it is transcribed as they read it, for what it costs on every route. */
import { describe, expect, test } from "bun:test";
import { type Field, form } from "../v1/form.ts";
import { freeHarness, SECOND } from "../v1/free.ts";
import { HEARD, hears, sentence, unlessRecognition } from "./recorded.ts";

const free = freeHarness();

function scribe(fields: Field[]) {
  const { headers, ...init } = form(fields);
  return fetch(`${free.harness.url}/v1/speech-to-text?enable_logging=false`, {
    ...init,
    headers: { ...headers, "xi-api-key": free.harness.key },
  });
}

const MODEL: Field = ["model_id", "svc-stt1"];

type Entry = {
  text: string;
  type: "word" | "spacing";
  start?: number;
  end?: number;
  speaker_id: string | null;
  logprob: number;
  characters?: { text: string; start: number; end: number }[];
};
type Body = {
  language_code: string;
  language_probability: number;
  text: string;
  words: Entry[];
  transcription_id: string;
  audio_duration_secs: number;
  additional_formats?: { requested_format: string; content: string; is_base64_encoded: boolean }[];
};

const bodyOf = async (response: Response) => (await response.json()) as Body;

describe.skipIf(!hears)(`a recording${unlessRecognition}`, () => {
  test("has its words, and the spaces between them, with times", async () => {
    const file = await sentence(free.harness);
    const before = await free.spent();
    await free.lastRequest(1);
    const response = await scribe([MODEL, ["file", file], ["language_code", "eng"]]);
    expect(response.status).toBe(200);
    const { words, text, ...body } = await bodyOf(response);
    expect(text).toMatch(HEARD);
    expect(body).toEqual({
      ...{ language_code: "en", language_probability: 1, audio_duration_secs: expect.any(Number) },
      transcription_id: response.headers.get("x-request-id")!,
    });
    expect(words.map((entry) => entry.text).join("")).toBe(text);
    expect(words.map(({ type }) => type).slice(0, 3)).toEqual(["word", "spacing", "word"]);
    for (const { start, end, logprob, speaker_id } of words) {
      expect(end!).toBeGreaterThanOrEqual(start!);
      expect(logprob).toBeLessThanOrEqual(0);
      expect(speaker_id).toBeNull();
    }
    expect(await free.spent()).toBe(before + Math.ceil(body.audio_duration_secs * SECOND));
    expect(await free.lastRequest(2)).toMatchObject({ endpoint: "/elevenlabs/v1/speech-to-text" });
  });

  test("has characters, no times, and other formats where they are asked for", async () => {
    const file: Field = ["file", await sentence(free.harness)];
    const characters = await bodyOf(await scribe([MODEL, file, ["timestamps_granularity", "character"]]));
    const [word] = characters.words;
    expect(word!.characters!.map(({ text }) => text).join("")).toBe(word!.text);
    expect(word!.characters!.at(-1)!.end).toBe(word!.end!);
    const formats = JSON.stringify(["srt", "txt", "segmented_json"].map((format) => ({ format })));
    const plain = await bodyOf(
      await scribe([MODEL, file, ["timestamps_granularity", "none"], ["additional_formats", formats]]),
    );
    expect(plain.words[0]).not.toHaveProperty("start");
    expect(plain.additional_formats!.map(({ requested_format }) => requested_format)).toEqual([
      ...["srt", "txt", "segmented_json"],
    ]);
    expect(plain.additional_formats![0]!.content).toMatch(/^1\n00:00:0\d,\d{3} --> /);
    expect(JSON.parse(plain.additional_formats![2]!.content)).toMatchObject({ segments: expect.any(Array) });
  });

  test("is transcribed where fields arrive as the text null, and without what no engine can do", async () => {
    const absent = ["webhook_metadata", "entity_detection", "entity_redaction", "source_url"];
    const response = await scribe([
      MODEL,
      ...absent.map((name): Field => [name, "null"]),
      ...[["diarize", "true"] as Field, ["keyterms", "river"] as Field, ["temperature", "0.5"] as Field],
      ["file", await sentence(free.harness)],
    ]);
    expect(response.status).toBe(200);
    const ignored = response.headers.get("x-ignored-fields")!.split(", ").sort();
    expect(ignored).toEqual(["diarize", "keyterms", "temperature"]);
  });

  test("may be raw samples, where the form says so", async () => {
    const file = (await sentence(free.harness)).subarray(44);
    const every = new Int16Array(file.buffer, 44, Math.floor(file.length / 2));
    const samples = Int16Array.from({ length: Math.floor((every.length * 2) / 3) }, (_, index) => {
      return every[Math.floor(index * 1.5)]!;
    });
    const raw = new Uint8Array(samples.buffer);
    const { text, audio_duration_secs } = await bodyOf(
      await scribe([MODEL, ["file_format", "pcm_s16le_16"], ["file", raw]]),
    );
    expect(audio_duration_secs).toBeCloseTo(samples.length / 16_000, 2);
    expect(text).not.toBe("");
  });
});

describe("is refused in ElevenLabs' shape, and charged nothing:", () => {
  const file: Field = ["file", new Uint8Array(100)];
  type Case = [name: string, fields: Field[], status: number, code: string, param: string | null];
  const cases: Case[] = [
    [
      "a private address",
      [MODEL, ["cloud_storage_url", "https://127.0.0.1/a"]],
      400,
      "url_not_allowed",
      "cloud_storage_url",
    ],
    [
      "an address beside a file",
      [MODEL, file, ["source_url", "https://a"]],
      400,
      "unsupported_parameter",
      "source_url",
    ],
    [
      "what would change the text",
      [MODEL, file, ["entity_redaction", '"pii"']],
      400,
      "unsupported_parameter",
      "entity_redaction",
    ],
    ["an answer elsewhere", [MODEL, file, ["webhook", "true"]], 400, "unsupported_parameter", "webhook"],
    ["no file", [MODEL], 422, "validation_error", "file"],
    ["no model", [file], 422, "validation_error", "model_id"],
    ["an unknown model", [["model_id", "unknown"], file], 400, "invalid_model", "model_id"],
    [
      "a granularity that is none",
      [MODEL, file, ["timestamps_granularity", "letter"]],
      422,
      "validation_error",
      "timestamps_granularity",
    ],
    [
      "a format that cannot be made",
      [MODEL, file, ["additional_formats", '[{"format":"pdf"}]']],
      400,
      "unsupported_response_format",
      "additional_formats",
    ],
    ["what is no audio", [MODEL, file], 400, "invalid_audio", "file"],
  ];
  test.each(cases)("%s", async (_name, fields, status, code, param) => {
    const response = await scribe(fields);
    expect(response.status).toBe(status);
    const { detail } = (await response.json()) as { detail: object };
    const named = code === "invalid_model" ? "model_not_found" : code;
    expect(detail).toMatchObject({ code, status: named, param, message: expect.any(String) });
    expect(await free.spent()).toBe(0);
  });
});
