/** Promise: what a request asks for reaches another Loquat that can do it; where that cannot, it is refused by name, free of charge. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { toFloat, toInt16, wavHeader } from "../../../src/audio/pcm.ts";
import { ASR_SAMPLE_RATE, TTS_SAMPLE_RATE } from "../../../src/audio/rates.ts";
import { resample } from "../../../src/audio/resample/resample.ts";
import { installedFamilies } from "../../../src/engine/families/installed.ts";
import { presetWith, readPresets } from "../../../src/upstreams/definition.ts";
import { recognitionRequest } from "../../../src/upstreams/dialects/recording-form.ts";
import { synthesisRequest } from "../../../src/upstreams/dialects/speech-body.ts";
import { timedSamples } from "../../../src/upstreams/dialects/tasks.ts";
import { statusFailure } from "../../../src/upstreams/transport/failure.ts";
import { nemoContents, nemoOptions } from "../../../testing/packages/families/nemo.ts";
import { kokoroContents } from "../../../testing/packages/families/voices.ts";
import { packageOf, storePackage } from "../../../testing/packages/model-store.ts";
import { errorOf, type Harness } from "../../harness.ts";
import { tone } from "../../upstreams/stand-in.ts";
import { openTwoHops } from "../two-hops.ts";
import { type Field, form } from "./form.ts";

const hasEspeak = installedFamilies().has("espeak");
const unlessEspeak = hasEspeak ? "" : " (skipped: eSpeak NG is not installed)";
const weights = mkdtempSync(join(tmpdir(), "loquat-weights-"));
const contents = nemoContents.joint({ durations: 5 });
const presets = readPresets("models");
const { speech, transcription } = presetWith(presets, "loquat", {});
let front: Awaited<ReturnType<typeof openTwoHops>>;
let behind: Harness;
let recording: Buffer<ArrayBuffer>;

beforeAll(async () => {
  const recognition = [{ uses: ["batch" as const], languages: ["en", "de"], rank: 1 }];
  const made = { contents, options: nemoOptions("tdt", 5), offers: { recognition } };
  storePackage(weights, packageOf("parakeet", "nemo", made), contents);
  storePackage(weights, packageOf("kokoro-82m", "kokoro", { contents: kokoroContents() }), kokoroContents());
  front = await openTwoHops({ behind: { LOQUAT_WEIGHTS: weights, LOQUAT_THREADS: "2" } });
  behind = front.behind;
  const [voice = "male-deep"] = voices({ ofKokoro: false });
  const body = { voice, input: "We are at the old house by the river. ".repeat(3), response_format: "pcm" };
  recording = atSpeechRate(new Int16Array(await (await speak(behind, body)).arrayBuffer()));
});
afterAll(async () => {
  await front[Symbol.asyncDispose]();
  rmSync(weights, { recursive: true, force: true });
});

/** At the rate of recognizers, so that the samples that one server sends to the other are those that it has read. */
function atSpeechRate(samples: Int16Array): Buffer<ArrayBuffer> {
  const resampled = toInt16(resample(toFloat(samples), TTS_SAMPLE_RATE, ASR_SAMPLE_RATE));
  return Buffer.concat([wavHeader(resampled.length, ASR_SAMPLE_RATE), new Uint8Array(resampled.buffer)]);
}

/** Of the server behind. */
const voices = ({ ofKokoro }: { ofKokoro: boolean }) =>
  behind.parts.catalogue.voices
    .filter(({ engine, models }) => (engine === "kokoro-82m") === ofKokoro && models.includes("svc-tts1"))
    .map(({ id }) => id);
const speak = (server: Harness, body: object, path = "/v1/audio/speech") =>
  server.ask(path, { method: "POST", body: JSON.stringify({ model: "svc-tts1", ...body }) });
const transcribe = (server: Harness, ...fields: Field[]) =>
  server.ask("/v1/audio/transcriptions", form([["model", "svc-stt1"], ["file", recording], ...fields]));
const textOf = async (server: Harness, ...fields: Field[]) =>
  ((await (await transcribe(server, ...fields)).json()) as { text: string }).text;

const WORDS = String(contents.vocabulary!.bytes)
  .split("\n")
  .flatMap((line) => /^▁(\S+) \d+$/.exec(line)?.[1] ?? []);

describe("two hops are as one for", () => {
  test.skipIf(!hasEspeak)(`keywords and hotwords${unlessEspeak}`, async () => {
    const plain = await textOf(behind);
    const texts = new Map<string, string>();
    for (const word of WORDS) {
      const text = await textOf(behind, ["keywords[]", word]);
      if (text !== plain) texts.set(word, text);
      if (texts.size === 2) break;
    }
    expect(texts.size).toBe(2);
    for (const [word, text] of texts) {
      expect(await textOf(front, ["keywords[]", word])).toBe(text);
      expect(await textOf(front, ["hotwords", word])).toBe(text);
    }
  });

  test("the times of words, and a pace", async () => {
    type Captions = { audio: string; timestamps: { word: string; start_time: number; end_time: number }[] };
    const body = {
      voice: "male-deep",
      input: "We met Dr. Smith at 5:30. Then it rained, twice.",
      speed: 1.5,
    };
    const [far, near] = (await Promise.all(
      [front, behind].map(async (server) => (await speak(server, body, "/dev/captioned_speech")).json()),
    )) as [Captions, Captions];
    expect(far.timestamps.map(({ word }) => word)).toEqual(near.timestamps.map(({ word }) => word));
    expect(far.timestamps.length).toBeGreaterThan(8);
    for (const [index, { start_time, end_time }] of far.timestamps.entries()) {
      expect(start_time).toBeCloseTo(near.timestamps[index]!.start_time, 1);
      expect(end_time).toBeCloseTo(near.timestamps[index]!.end_time, 1);
    }
  });

  test("a blend of voices", async () => {
    const [one, other] = voices({ ofKokoro: true });
    const body = { voice: `${one}(2)+${other}`, input: "Good morning to all.", response_format: "pcm" };
    const [far, near] = await Promise.all([speak(front, body), speak(behind, body)]);
    expect([far.status, near.status]).toEqual([200, 200]);
    expect((await far.bytes()).length / (await near.bytes()).length).toBeCloseTo(1, 1);
  });
});

describe.skipIf(!hasEspeak)(
  `the engine behind cannot, so it is refused free of charge:${unlessEspeak}`,
  () => {
    const CASES: [string, () => Promise<Response>, string][] = [
      [
        "several languages",
        () => transcribe(front, ["languages[]", "en"], ["languages[]", "de"]),
        "unsupported_parameter languages",
      ],
      [
        "a blend of voices",
        () => speak(front, { voice: voices({ ofKokoro: false }).slice(0, 2).join("+"), input: "Hello." }),
        "voice_not_supported voice",
      ],
    ];
    test.each(CASES)("%s", async (_what, send, expected) => {
      const before = await front.parts.ledger.credit(front.organizationId);
      const { status, code, param } = await errorOf(await send());
      expect(`${status} ${code} ${param}`).toBe(`400 ${expected}`);
      expect(await front.parts.ledger.credit(front.organizationId)).toEqual(before);
    });
  },
);

describe("a form", () => {
  const TASK = { language: null, languages: ["en", "de"], prompt: "Before.", keywords: ["Loquat", "Elysia"] };
  const samples = () => new Float32Array(1600);
  const fieldsOf = (task: object, flags = transcription!) => {
    const { body } = recognitionRequest(samples(), { ...TASK, ...task }, { flags, model: "m" });
    const form = body as FormData;
    return { all: (name: string) => form.getAll(name), prompt: form.get("prompt") };
  };

  test("has lists where the server takes them", () => {
    const hard = fieldsOf({ mustPrefer: true });
    expect(hard.all("languages[]")).toEqual(TASK.languages);
    expect(hard.all("keywords[]")).toEqual(TASK.keywords);
    expect(hard.prompt).toBe("Before.");
    const soft = fieldsOf({});
    expect(soft.all("keywords[]")).toEqual([]);
    expect(soft.all("hotwords")).toEqual(["Loquat, Elysia"]);
  });

  test("has keywords in the prompt where the server takes no lists", () => {
    const other = fieldsOf({ mustPrefer: true }, presetWith(presets, "openai", {}).transcription!);
    expect(other.prompt).toBe("Before. Loquat, Elysia");
    expect([...other.all("languages[]"), ...other.all("keywords[]")]).toEqual([]);
  });

  test("of a translation has the language that is spoken, for a server that takes it", () => {
    const task = { language: "de", languages: [], translate: true };
    expect(fieldsOf(task).all("language")).toEqual(["de"]);
    expect(fieldsOf(task, presetWith(presets, "openai", {}).transcription!).all("language")).toEqual([]);
  });
});

describe("a clip with the times of its words", () => {
  const TASK = {
    text: "Well, well. Yes!",
    speaker: "a",
    language: "en",
    speed: 1,
    kind: "synthesis" as const,
    instructions: "",
  };
  const audio = Buffer.from(tone(1)).toString("base64");

  test("is asked for where the server answers it", () => {
    const { path, body } = synthesisRequest({ ...TASK, words: true }, speech!, "m");
    expect(path).toBe("/dev/captioned_speech");
    expect(JSON.parse(String(body))).toMatchObject({ stream: false, input: TASK.text });
  });

  test("has each word where it stands, and none that does not", () => {
    const timestamps = ["Well", ",", "well", "maybe", "Yes"].map((word, at) => ({
      ...{ word, start_time: at / 10, end_time: at === 4 ? 99 : at / 10 + 0.1 },
    }));
    const { words, samples } = timedSamples({ audio, timestamps }, TASK, { flags: speech! });
    expect(words.map(({ from, to }) => TASK.text.slice(from, to))).toEqual(["Well", "well", "Yes"]);
    expect(words.map(({ from }) => from)).toEqual([0, 6, 12]);
    expect(words.at(-1)!.end).toBe(samples.length);
  });

  test.each([
    ["no object", null],
    ["no times", { audio }],
    ["no audio", { timestamps: [] }],
  ])("that is %s is a fault", (_what, answer) => {
    expect(() => timedSamples(answer, TASK, { flags: speech! })).toThrow("no audio with times");
  });
});

test.each([
  ['{"error":{"code":"unsupported_parameter","param":"keywords"}}', "keywords"],
  ['{"error":{"code":"unsupported_parameter","param":"model"}}', undefined],
  ['{"error":{"code":"unsupported_language","param":"language"}}', undefined],
  ['{"error":"no"}', undefined],
  ["null", undefined],
  ["not JSON", undefined],
])("a refusal %s names %p to clients", (body, param) => {
  expect(statusFailure(new Response(body, { status: 400 }), body).unsupported?.param).toBe(param!);
});
