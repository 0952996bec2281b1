/**
 * Promise: every field that clients are known to send has an effect, is refused by name, or is named in the header
 * x-ignored-fields. docs/requests.md lists them.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { manyLetters, whisperContents } from "../../../testing/packages/families/whisper.ts";
import { packageOf, storePackage } from "../../../testing/packages/model-store.ts";
import { errorOf, type Harness, openHarness } from "../../harness.ts";
import { type Field, form } from "./form.ts";

/** What words of prompts are spelled with; "Ġ" is a space. */
const SPELLING = ["Ġ", ..."abcdefghijklmnopqrstuvwxyz"];

const weights = mkdtempSync(join(tmpdir(), "loquat-weights-"));
let harness: Harness;
let wav: Buffer;

beforeAll(async () => {
  const recognition = [
    {
      uses: ["batch" as const, "streaming" as const],
      languages: ["en", "de", "fr"],
      rank: 1,
      translates: true,
    },
  ];
  const made = {
    contents: whisperContents({ seed: 3, fluent: true, letters: [...SPELLING, ...manyLetters(600)] }),
    offers: { recognition },
  };
  storePackage(weights, packageOf("whisper-base", "whisper", made), made.contents);
  harness = await openHarness({ environment: { LOQUAT_WEIGHTS: weights, LOQUAT_THREADS: "2" } });
  const spoken = await speak({ input: "We are at the old house by the river." });
  wav = Buffer.from(await spoken.arrayBuffer());
});
afterAll(async () => {
  await harness[Symbol.asyncDispose]();
  rmSync(weights, { recursive: true, force: true });
});

const IGNORED = "x-ignored-fields";
const speak = (fields: object) =>
  harness.ask("/v1/audio/speech", {
    method: "POST",
    body: JSON.stringify({ model: "svc-tts1", voice: "male-classic", input: "Hello there.", ...fields }),
  });
const bytesOf = async (fields: object) => (await speak(fields)).bytes();

const transcribe = (fields: Field[], path = "/v1/audio/transcriptions") =>
  harness.ask(path, form([["model", "svc-stt1"], ["file", wav], ...fields]));
const bodyOf = async <T = { text: string }>(answer: Promise<Response>): Promise<T> => {
  const response = await answer;
  expect(response.status).toBe(200);
  return (await response.json()) as T;
};

describe("a field of speech", () => {
  test.each([
    ["instructions: null", { instructions: null }, null],
    ["instructions", { instructions: "slowly" }, null],
    ["the voice as an object", { voice: { id: "male-classic" } }, null],
    ["stream: false", { stream: false }, null],
    ["lang_code", { lang_code: "a" }, null],
    ["user", { user: "me" }, null],
    ["backend", { backend: "x" }, "backend"],
    ["Kokoro's extras", { download_format: "mp3", return_timing: true }, "download_format, return_timing"],
    ["Kokoro's normalization", { normalization_options: { normalize: false } }, "normalization_options"],
    ["volume_multiplier", { volume_multiplier: 2 }, "volume_multiplier"],
    ["sample_rate", { sample_rate: 16_000, return_download_link: true }, "sample_rate, return_download_link"],
    [
      "instructions to a model that follows none",
      { model: "svc-tts2", voice: "female-warm", instructions: "x" },
      "instructions",
    ],
    ["a name that is no word", { "a\r\nset-cookie: b": 1, ü: 2 }, null],
    [
      "thirty names",
      Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`f${at}`, 1])),
      Array.from({ length: 20 }, (_, at) => `f${at}`).join(", "),
    ],
  ])("%s is accepted; without effect: %p", async (_name, fields, ignored) => {
    const response = await speak(fields);
    expect([response.status, response.headers.get(IGNORED)]).toEqual([200, ignored]);
    await response.arrayBuffer();
  });

  test("lang_code is the language, also as a letter", async () => {
    const written = { input: "It was on 3/4/2025." };
    const american = await bytesOf({ ...written, language: "en-US" });
    const british = await bytesOf({ ...written, language: "en-GB" });
    expect(british).not.toEqual(american);
    expect(await bytesOf({ ...written, lang_code: "b" })).toEqual(british);
    expect(await bytesOf({ ...written, lang_code: "en-GB" })).toEqual(british);
    expect(await bytesOf({ ...written, lang_code: "b", language: "en-US" })).toEqual(american);
  });

  test.each([
    ["a voice object that is unknown", { voice: { id: "voice_1234" } }, "404 invalid_voice voice"],
    ["stream_format xml", { stream_format: "xml" }, "422 validation_error stream_format"],
    [
      "instructions of 4,097 characters",
      { instructions: "x".repeat(4097) },
      "422 validation_error instructions",
    ],
  ])("%s is refused by name", async (_name, fields, answer) => {
    const { status, code, param } = await errorOf(await speak(fields));
    expect(`${status} ${code} ${param}`).toBe(answer);
  });
});

describe("a field of a transcription", () => {
  test.each([
    ["nothing more", [], null],
    ["an empty prompt", [["prompt", ""]], null],
    ["keywords", [["keywords[]", "loquat"]], null],
    ["hotwords", [["hotwords", "loquat wyoming"]], null],
    ["temperature 0 as text", [["temperature", "0"]], null],
    ["temperature 0.5 as text", [["temperature", "0.5"]], "temperature"],
    ["chunking_strategy auto", [["chunking_strategy", "auto"]], null],
    ["chunking_strategy in brackets", [["chunking_strategy[type]", "server_vad"]], null],
    [
      "a threshold of chunking",
      [["chunking_strategy", '{"type":"server_vad","threshold":0.4}']],
      "chunking_strategy",
    ],
    ["granularities with json", [["timestamp_granularities[]", "segment"]], "timestamp_granularities"],
    [
      "granularities with verbose_json",
      [
        ["timestamp_granularities", "word"],
        ["response_format", "verbose_json"],
      ],
      null,
    ],
    ["include with json", [["include[]", "logprobs"]], null],
    [
      "include with srt",
      [
        ["include[]", "logprobs"],
        ["response_format", "srt"],
      ],
      "include",
    ],
    [
      "speaches' extras",
      [
        ["vad_filter", "false"],
        ["without_timestamps", "true"],
      ],
      "vad_filter, without_timestamps",
    ],
    [
      "a format of a stream",
      [
        ["stream", "true"],
        ["response_format", "srt"],
      ],
      "response_format",
    ],
    [
      "a language among languages",
      [
        ["language", "en"],
        ["languages[]", "en"],
        ["languages[]", "de"],
      ],
      null,
    ],
  ] as [string, Field[], string | null][])(
    "%s is accepted; without effect: %p",
    async (_name, fields, ignored) => {
      const response = await transcribe(fields);
      expect([response.status, response.headers.get(IGNORED)]).toEqual([200, ignored]);
      await response.text();
    },
  );

  test.each([
    ["a keyword of two lines", [["keywords[]", "two\nlines"]], "422 validation_error keywords.0"],
    [
      "a keyword with a bracket",
      [
        ["keywords[]", "fine"],
        ["keywords[]", "<b>"],
      ],
      "422 validation_error keywords.1",
    ],
    [
      "a language that is not among languages",
      [
        ["language", "en"],
        ["languages[]", "de"],
      ],
      "422 validation_error languages",
    ],
    [
      "five speakers",
      Array(5).fill(["known_speaker_names[]", "A"]),
      "422 validation_error known_speaker_names",
    ],
    [
      "diarized_json without a diarizer",
      [["response_format", "diarized_json"]],
      "400 unsupported_response_format response_format",
    ],
    [
      "languages that nothing knows",
      [
        ["languages[]", "xx"],
        ["languages[]", "yy"],
      ],
      "400 unsupported_language language",
    ],
  ] as [string, Field[], string][])("%s is refused by name", async (_name, fields, answer) => {
    const { status, code, param } = await errorOf(await transcribe(fields));
    expect(`${status} ${code} ${param}`).toBe(answer);
  });

  test("languages are those that it is detected among, and a single one is the language", async () => {
    const languageOf = async (...languages: string[]) => {
      const fields = languages.map((language): Field => ["languages[]", language]);
      return (
        await bodyOf<{ language: string }>(transcribe([["response_format", "verbose_json"], ...fields]))
      ).language;
    };
    expect(await languageOf("fr")).toBe("french");
    expect(await languageOf("French")).toBe("french");
    const all = await languageOf();
    const others = { english: ["de", "fr"], german: ["en", "fr"], french: ["en", "de"] }[all]!;
    expect(await languageOf(...others)).not.toBe(all);
  });

  test("include=logprobs gives one for each word, in json and in streams", async () => {
    const { text, logprobs } = await bodyOf<{ text: string; logprobs: { token: string; logprob: number }[] }>(
      transcribe([
        ["language", "en"],
        ["include[]", "logprobs"],
      ]),
    );
    const joined = (tokens: { token: string }[]) => tokens.map(({ token }) => token).join("");
    expect(joined(logprobs)).toBe(text);
    expect(logprobs.every(({ logprob }) => logprob <= 0)).toBe(true);
    const stream = await (
      await transcribe([
        ["language", "en"],
        ["include", "logprobs"],
        ["stream", "true"],
      ])
    ).text();
    const events = stream.match(/(?<=^data: ).*$/gm)!.map((data) => JSON.parse(data));
    expect(events.at(-1)).toMatchObject({ type: "transcript.text.done", logprobs });
    const deltas = events.filter(({ type }) => type === "transcript.text.delta");
    expect(deltas.map(({ logprobs }) => joined(logprobs))).toEqual(deltas.map(({ delta }) => delta));
    expect(await bodyOf(transcribe([["language", "en"]]))).not.toHaveProperty("logprobs");
  });
});

describe("a translation", () => {
  const translate = (fields: Field[] = []) =>
    transcribe([["language", "de"], ...fields], "/v1/audio/translations");

  test("is English text of another language, and is billed as a transcription", async () => {
    const { text } = await bodyOf(translate());
    expect(text).not.toBe((await bodyOf(transcribe([["language", "de"]]))).text);
    const verbose = await bodyOf(translate([["response_format", "verbose_json"]]));
    expect(verbose).toMatchObject({ task: "translate", language: "english", text });
    const row = harness.logged.findLast(({ event }) => event === "request")!;
    expect(row).toMatchObject({ endpoint: "/v1/audio/translations", model: "svc-stt1" });
    expect(row.costMicros).toBe(Math.ceil(Number(row.audioSeconds) * 100));
  });

  test.each(["text", "srt", "vtt"])("has the format %s", async (format) => {
    const response = await translate([["response_format", format]]);
    expect([response.status, response.headers.get("content-type")]).toEqual([
      200,
      "text/plain; charset=utf-8",
    ]);
    await response.text();
  });

  test("of a language that is not translated is refused with those that are", async () => {
    const refused = await transcribe([["language", "ja"]], "/v1/audio/translations");
    expect(await errorOf(refused)).toMatchObject({ status: 400, code: "unsupported_language" });
  });
});
