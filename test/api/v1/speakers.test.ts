/**
 * Promise: speakers are told apart for stock clients, whole and streamed, by their known names; what cannot be done is
 * refused by name, and costs nothing.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import OpenAI, { toFile } from "openai";
import { installedFamilies } from "../../../src/engine/families/installed.ts";
import { conversationOf, voiceOf } from "../../../testing/packages/conversation.ts";
import {
  EMBEDDING_OPTIONS,
  embeddingContents,
  segmentationContents,
} from "../../../testing/packages/families/speakers.ts";
import { packageOf, storePackage } from "../../../testing/packages/model-store.ts";
import { errorOf, type Harness, openHarness } from "../../harness.ts";
import { type Field, form } from "./form.ts";

const hears = installedFamilies().has("sphinx");
const unlessDeaf = hears ? "" : " (skipped: PocketSphinx is missing)";
const SAYINGS = ["good morning", "we are at the old house by the river", "good morning"];

const weights = mkdtempSync(join(tmpdir(), "loquat-weights-"));
let harness: Harness;
let recording: Uint8Array;

beforeAll(async () => {
  const [segmentation, embedding] = [segmentationContents(), embeddingContents()];
  storePackage(weights, packageOf("segmentation", "pyannote", { contents: segmentation }), segmentation);
  const options = { options: EMBEDDING_OPTIONS, contents: embedding };
  storePackage(weights, packageOf("embedding", "speaker-embedding", options), embedding);
  harness = await openHarness({ plan: "unmetered", environment: { LOQUAT_WEIGHTS: weights } });
  const wavs = await Promise.all(SAYINGS.map(speak));
  recording = conversationOf(wavs.map((wav, index) => ({ speaker: [2, 0, 2][index]!, wav })));
});
afterAll(async () => {
  await harness[Symbol.asyncDispose]();
  rmSync(weights, { recursive: true, force: true });
});

async function speak(input: string): Promise<Uint8Array> {
  const body = JSON.stringify({ model: "svc-tts1", voice: "male-deep", input });
  const response = await harness.ask("/v1/audio/speech", { method: "POST", body });
  return new Uint8Array(await response.arrayBuffer());
}

const transcribe = (fields: Field[]) =>
  harness.ask("/v1/audio/transcriptions", form([["model", "svc-stt1"], ["file", recording], ...fields]));
const textOf = async (fields: Field[]) => (await transcribe(fields)).text();
const dataUrl = (wav: Uint8Array) => `data:audio/wav;base64,${Buffer.from(wav).toString("base64")}`;

test.skipIf(!hears)(`a known voice that is cut short is told in the warnings${unlessDeaf}`, async () => {
  const response = await transcribe([
    ["response_format", "diarized_json"],
    ["known_speaker_names[]", "Ada"],
    ["known_speaker_references[]", dataUrl(voiceOf(0, 4).subarray(0, 2 * 32_000))],
  ]);
  const expected = "known_speaker_references.0: The file ends early";
  expect(response.headers.get("x-audio-warnings")).toStartWith(expected);
  expect(((await response.json()) as { warnings: string[] }).warnings[0]).toStartWith(expected);
});

describe.skipIf(!hears)(`the openai client${unlessDeaf}`, () => {
  const client = () => new OpenAI({ apiKey: harness.key, baseURL: `${harness.url}/v1`, maxRetries: 0 });
  const diarize = async (more: object = {}) =>
    client().audio.transcriptions.create({
      model: "gpt-4o-transcribe-diarize",
      file: await toFile(recording, "talk.wav"),
      response_format: "diarized_json",
      chunking_strategy: "auto",
      ...more,
    } as never);

  test("receives who said what, as A and B", async () => {
    const { duration, text, segments, ...rest } =
      (await diarize()) as unknown as OpenAI.Audio.TranscriptionDiarized;
    expect(segments.map(({ speaker, text }) => `${speaker}: ${text}`)).toEqual([
      `A: ${SAYINGS[0]}`,
      `B: ${SAYINGS[1]}`,
      `A: ${SAYINGS[2]}`,
    ]);
    expect(text).toBe(SAYINGS.join(" "));
    expect(segments.map(({ id, type }) => `${id} ${type}`)).toEqual(
      [0, 1, 2].map((index) => `seg_${index} transcript.text.segment`),
    );
    for (const [index, { start, end }] of segments.entries()) {
      expect(start).toBeLessThan(end);
      expect(end).toBeLessThanOrEqual(segments[index + 1]?.start ?? duration);
    }
    expect(rest as object).toMatchObject({ task: "transcribe", usage: { type: "duration" } });
  });

  test("receives the names of known speakers, and letters for others", async () => {
    const known = { names: ["Grace Hopper", "A"], references: [voiceOf(0, 2), voiceOf(1, 9.9)].map(dataUrl) };
    const { segments } = (await diarize({
      known_speaker_names: known.names,
      known_speaker_references: known.references,
    })) as unknown as OpenAI.Audio.TranscriptionDiarized;
    // A does not speak, and no other is called so
    expect(segments.map(({ speaker }) => speaker)).toEqual(["B", "Grace Hopper", "B"]);
  });

  test("streams each segment after its text", async () => {
    const events: OpenAI.Audio.TranscriptionStreamEvent[] = [];
    const stream = (await diarize({
      stream: true,
    })) as unknown as AsyncIterable<OpenAI.Audio.TranscriptionStreamEvent>;
    for await (const event of stream) events.push(event);
    const types = events.map(({ type }) => type.replace("transcript.text.", ""));
    expect(types).toEqual(["delta", "segment", "delta", "segment", "delta", "segment", "done"]);
    const deltas = events.flatMap((event) => (event.type === "transcript.text.delta" ? [event] : []));
    const segments = events.flatMap((event) => (event.type === "transcript.text.segment" ? [event] : []));
    expect(deltas.map(({ segment_id }) => segment_id)).toEqual(segments.map(({ id }) => id));
    expect(deltas.map(({ delta }) => delta.trim())).toEqual(segments.map(({ text }) => text));
    const done = events.at(-1) as OpenAI.Audio.TranscriptionTextDoneEvent;
    expect(deltas.map(({ delta }) => delta).join("")).toBe(done.text);
    expect(segments.map(({ speaker }) => speaker)).toEqual(["A", "B", "A"]);
  });
});

describe.skipIf(!hears)(`speakers are named on request${unlessDeaf}`, () => {
  const diarize: Field = ["diarize", "true"];

  test("in subtitles, in text and in verbose transcripts", async () => {
    expect(await textOf([diarize, ["response_format", "srt"]])).toContain(`\nB: ${SAYINGS[1]}\n`);
    expect(await textOf([diarize, ["response_format", "vtt"]])).toContain(`\n<v B>${SAYINGS[1]}\n`);
    expect(await textOf([diarize, ["response_format", "text"]])).toBe(
      `A: ${SAYINGS[0]}\nB: ${SAYINGS[1]}\nA: ${SAYINGS[2]}\n`,
    );
    const { segments } = JSON.parse(await textOf([diarize, ["response_format", "verbose_json"]]));
    expect(segments.map(({ speaker }: { speaker: string }) => speaker)).toEqual(["A", "B", "A"]);
  });

  test("as one, where one is said to speak", async () => {
    const text = await textOf([diarize, ["num_speakers", "1"], ["response_format", "text"]]);
    expect(text).toBe(`A: ${SAYINGS.join(" ")}\n`);
  });

  test("and not without: fields that only matter then are named in x-ignored-fields", async () => {
    const response = await transcribe([["num_speakers", "2"]]);
    expect([response.status, response.headers.get("x-ignored-fields")]).toEqual([200, "num_speakers"]);
  });

  test("none, where there is no speech", async () => {
    const silence: Field = ["file", voiceOf(5, 3)];
    const body = form([["model", "svc-stt1"], silence, ["response_format", "diarized_json"]]);
    const answer = await harness.ask("/v1/audio/transcriptions", body);
    expect(await answer.json()).toMatchObject({ text: "", segments: [], duration: 3 });
  });
});

describe("known speakers are refused", () => {
  const named = (names: string[], references: string[]): Field[] => [
    ["response_format", "diarized_json"],
    ...names.map((name): Field => ["known_speaker_names[]", name]),
    ...references.map((reference): Field => ["known_speaker_references[]", reference]),
  ];
  const good = () => dataUrl(voiceOf(0, 2));
  const CASES: [string, () => Field[], string][] = [
    [
      "without a name for each voice",
      () => named(["Ada"], [good(), good()]),
      "422 validation_error known_speaker_names",
    ],
    [
      "with the same name twice",
      () => named(["Ada", "Ada"], [good(), good()]),
      "422 validation_error known_speaker_names.1",
    ],
    [
      "with a name of two lines",
      () => named(["A\nB"], [good()]),
      "422 validation_error known_speaker_names.0",
    ],
    ["of five", () => named([..."abcde"], Array(5).fill(good())), "422 validation_error known_speaker_names"],
    [
      "with a web address",
      () => named(["Ada"], ["https://example.org/a.wav"]),
      "422 validation_error known_speaker_references.0",
    ],
    [
      "with a data URL of text",
      () => named(["Ada"], ["data:audio/wav,hello"]),
      "422 validation_error known_speaker_references.0",
    ],
    [
      "with damaged base64",
      () => named(["Ada"], ["data:audio/wav;base64,AA*A"]),
      "422 validation_error known_speaker_references.0",
    ],
    [
      "with what is not audio",
      () => named(["Ada"], ["data:audio/wav;base64,aGVsbG8gd29ybGQ="]),
      "400 invalid_audio known_speaker_references.0",
    ],
    [
      "with a voice that is too short",
      () => named(["Ada", "Bo"], [good(), dataUrl(voiceOf(0, 1))]),
      "422 validation_error known_speaker_references.1",
    ],
    [
      "with a voice that is too long",
      () => named(["Ada"], [dataUrl(voiceOf(0, 11))]),
      "422 validation_error known_speaker_references.0",
    ],
    [
      "with more than 10 MB",
      () => named(["Ada"], [`data:audio/wav;base64,${"A".repeat(11 * 1024 * 1024)}`]),
      "422 validation_error null",
    ],
  ];
  test.each(CASES)("%s", async (_name, fields, expected) => {
    const { status, code, param } = await errorOf(await transcribe(fields()));
    expect(`${status} ${code} ${param}`).toBe(expected);
  });
});

describe("without the packages for it, telling speakers apart is refused", () => {
  let without: Harness;
  beforeAll(async () => {
    without = await openHarness();
  });
  afterAll(() => without[Symbol.asyncDispose]());

  const voice = (): Field[] => [
    ["known_speaker_names[]", "Ada"],
    ["known_speaker_references[]", dataUrl(voiceOf(0, 2))],
  ];
  const srt: Field = ["response_format", "srt"];
  const CASES: [string, () => Field[], string][] = [
    [
      "as a format",
      () => [["response_format", "diarized_json"]],
      "400 unsupported_response_format response_format",
    ],
    ["in subtitles", () => [["diarize", "true"], srt], "400 unsupported_parameter diarize"],
    ["by known voices", voice, "400 unsupported_parameter known_speaker_names"],
    ["by their number", () => [["num_speakers", "2"]], "400 unsupported_parameter num_speakers"],
    ["in a format that names no speakers", () => [["diarize", "true"]], "422 validation_error diarize"],
  ];
  test.each(CASES)("%s, and costs nothing", async (_name, fields, expected) => {
    const before = await without.parts.ledger.credit(without.organizationId);
    const body = form([["model", "svc-stt1"], ["file", recording], ...fields()]);
    const { status, code, param, message } = await errorOf(
      await without.ask("/v1/audio/transcriptions", body),
    );
    expect(`${status} ${code} ${param}`).toBe(expected);
    if (status === 400) expect(message).toContain("loquat models pull pyannote-segmentation-3.0");
    expect(await without.parts.ledger.credit(without.organizationId)).toEqual(before);
  });
});
