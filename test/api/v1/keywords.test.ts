/**
 * Promise: keywords change what is written in files, streams and live sessions; where an engine cannot prefer words, or
 * there are too many, they are refused by name, at once, and cost nothing.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import OpenAI, { toFile } from "openai";
import { nemoContents, nemoOptions } from "../../../testing/packages/families/nemo.ts";
import { packageOf, storePackage } from "../../../testing/packages/model-store.ts";
import { errorOf, type Harness, openHarness } from "../../harness.ts";
import { type Field, form } from "./form.ts";
import { dial } from "./realtime/live.ts";

const weights = mkdtempSync(join(tmpdir(), "loquat-weights-"));
const contents = nemoContents.joint({ durations: 5 });
const words = String(contents.vocabulary!.bytes)
  .split("\n")
  .flatMap((line) => /^▁(\S+) \d+$/.exec(line)?.[1] ?? []);
let harness: Harness;
let without: Harness;
let recording: Buffer<ArrayBuffer>;

beforeAll(async () => {
  const recognition = [
    { uses: ["batch" as const, "streaming" as const, "realtime" as const], languages: ["en", "de"], rank: 1 },
  ];
  const made = { contents, options: nemoOptions("tdt", 5), offers: { recognition } };
  storePackage(weights, packageOf("parakeet", "nemo", made), contents);
  harness = await openHarness({ environment: { LOQUAT_WEIGHTS: weights, LOQUAT_THREADS: "2" } });
  without = await openHarness();
  const speech = {
    model: "svc-tts1",
    voice: "male-deep",
    input: "We are at the old house by the river. ".repeat(3),
  };
  const response = await harness.ask("/v1/audio/speech", { method: "POST", body: JSON.stringify(speech) });
  recording = Buffer.from(await response.arrayBuffer());
});
afterAll(async () => {
  await harness[Symbol.asyncDispose]();
  await without[Symbol.asyncDispose]();
  rmSync(weights, { recursive: true, force: true });
});

const send = (to: Harness, fields: Field[]) =>
  to.ask("/v1/audio/transcriptions", form([["model", "svc-stt1"], ["file", recording], ...fields]));
const textOf = async (fields: Field[]) =>
  ((await (await send(harness, fields)).json()) as { text: string }).text;
const countOf = (word: string, text: string) => text.split(" ").filter((each) => each === word).length;

/** A word that is nearly as likely as what is written. */
async function likelyWord(): Promise<{ word: string; plain: string; biased: string }> {
  const plain = await textOf([]);
  for (const word of words) {
    const biased = await textOf([["keywords[]", word]]);
    if (countOf(word, biased) > countOf(word, plain)) return { word, plain, biased };
  }
  throw new Error("no keyword has an effect");
}

describe("a keyword is written more often", () => {
  test("by the openai client, whole and streamed, and as a hotword", async () => {
    const { word, biased, plain } = await likelyWord();
    expect(biased).not.toBe(plain);
    const client = new OpenAI({ apiKey: harness.key, baseURL: `${harness.url}/v1`, maxRetries: 0 });
    const request = { model: "svc-stt1", file: await toFile(recording, "a.wav"), keywords: [word] };
    expect((await client.audio.transcriptions.create(request as never)).text).toBe(biased);
    const stream = (await client.audio.transcriptions.create({
      ...request,
      stream: true,
    } as never)) as unknown as AsyncIterable<OpenAI.Audio.TranscriptionStreamEvent>;
    const events = await Array.fromAsync(stream);
    expect(events.at(-1)).toMatchObject({ type: "transcript.text.done", text: biased });
    expect(await textOf([["hotwords", `nowhere, ${word}`]])).toBe(biased);
  });
});

describe("it is refused by name, and costs nothing:", () => {
  const many = Array.from({ length: 10_000 }, (_, at): Field => ["keywords[]", `word${at}`]);
  const CASES: [string, () => Harness, Field[], string][] = [
    ["10,000 keywords", () => harness, many, "422 validation_error null"],
    ["101 hotwords", () => harness, [["hotwords", "w,".repeat(101)]], "422 validation_error hotwords"],
    [
      "a keyword of 101 characters",
      () => harness,
      [["keywords[]", "x".repeat(101)]],
      "422 validation_error keywords.0",
    ],
    [
      "a keyword of an engine that prefers none",
      () => without,
      [["keywords[]", "house"]],
      "400 unsupported_parameter keywords",
    ],
    [
      "several languages of an engine that detects any of its own",
      () => harness,
      [
        ["languages[]", "en"],
        ["languages[]", "de"],
      ],
      "400 unsupported_parameter languages",
    ],
  ];
  test.each(CASES)("%s", async (_name, to, fields, expected) => {
    const { ledger } = to().parts;
    const before = await ledger.credit(to().organizationId);
    const { status, code, param, message } = await errorOf(await send(to(), fields));
    expect(`${status} ${code} ${param}`).toBe(expected);
    if (status === 400) expect(message).toMatch(/loquat models pull \w/);
    expect(await ledger.credit(to().organizationId)).toEqual(before);
  });

  test("a keyword of a live session whose engine prefers none", async () => {
    const client = await dial(without);
    client.update({ type: "transcription", audio: { input: { transcription: { keywords: ["house"] } } } });
    expect(await client.until("error")).toMatchObject({
      error: { code: "unsupported_parameter", param: "keywords" },
    });
  });
});

test("one of several languages is the language where the engine knows no other of them", async () => {
  const fields: Field[] = [
    ["languages[]", "de"],
    ["languages[]", "ja"],
    ["response_format", "verbose_json"],
  ];
  expect(await (await send(harness, fields)).json()).toMatchObject({ language: "german" });
});

test("hotwords, which some clients send unasked, are named as ignored", async () => {
  const response = await send(without, [["hotwords", "house"]]);
  expect([response.status, response.headers.get("x-ignored-fields")]).toEqual([200, "hotwords"]);
});

test("a keyword is written more often in a live session", async () => {
  const { word, plain } = await likelyWord();
  const written = async (keywords: string[]) => {
    const client = await dial(harness);
    client.update({
      type: "transcription",
      audio: {
        input: {
          format: { type: "audio/pcm", rate: 24_000 },
          transcription: { model: "svc-stt1", keywords },
          turn_detection: null,
        },
      },
    });
    client.append(recording.subarray(44));
    client.commit();
    const { transcript } = await client.until("completed");
    client.close();
    return transcript as string;
  };
  expect(plain.length).toBeGreaterThan(0);
  expect(countOf(word, await written([word]))).toBeGreaterThan(countOf(word, await written([])));
});
