/**
 * Promise: a model that cannot detect the language transcribes and translates those that are named; what it cannot do is
 * refused by name and costs nothing, unless another installed engine can.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import OpenAI, { toFile } from "openai";
import { canaryContents } from "../../../testing/packages/families/canary.ts";
import { nemoContents, nemoOptions } from "../../../testing/packages/families/nemo.ts";
import { packageOf, storePackage } from "../../../testing/packages/model-store.ts";
import { errorOf, type Harness, openHarness } from "../../harness.ts";
import { until } from "../../until.ts";
import { type Field, form } from "./form.ts";

const root = mkdtempSync(join(tmpdir(), "loquat-weights-"));
const uses = ["batch" as const, "streaming" as const];
const languages = ["en", "de", "fr", "es"];
let harness: Harness;
let recording: Buffer<ArrayBuffer>;

const environmentOf = (weights: string) => ({
  environment: { LOQUAT_WEIGHTS: weights, LOQUAT_THREADS: "2" },
});

function withCanary(name: string): string {
  const weights = join(root, name);
  const contents = canaryContents.single();
  const offers = { recognition: [{ uses, languages, translates: true, rank: 60 }] };
  const made = { contents, options: { longest_seconds: 30 }, offers };
  storePackage(weights, packageOf("canary", "canary", made), contents);
  return weights;
}

beforeAll(async () => {
  harness = await openHarness(environmentOf(withCanary("alone")));
  const input = "We are at the old house by the river. ".repeat(3);
  const speech = { model: "svc-tts1", voice: "male-deep", input };
  const response = await harness.ask("/v1/audio/speech", { method: "POST", body: JSON.stringify(speech) });
  recording = Buffer.from(await response.arrayBuffer());
});
afterAll(async () => {
  await harness[Symbol.asyncDispose]();
  rmSync(root, { recursive: true, force: true });
});

const send = (to: Harness, path: string, fields: Field[]) =>
  to.ask(`/v1/audio/${path}`, form([["model", "svc-stt1"], ["file", recording], ...fields]));

test("the openai client transcribes a named language, whole and streamed, and translates it", async () => {
  const client = new OpenAI({ apiKey: harness.key, baseURL: `${harness.url}/v1`, maxRetries: 0 });
  const request = { model: "svc-stt1", file: await toFile(recording, "a.wav"), language: "de" };
  const { text } = await client.audio.transcriptions.create(request);
  expect(text).not.toBe("");
  const events = await Array.fromAsync(
    await client.audio.transcriptions.create({ ...request, stream: true }),
  );
  expect(events.at(-1)).toMatchObject({ type: "transcript.text.done", text });
  const translated = await client.audio.translations.create(request as never);
  expect(translated.text).not.toBe("");
  expect(translated.text).not.toBe(text); // another language was written
});

test("the log of requests has the language that was read, spoken, or translated from", async () => {
  const last = async () => (await harness.parts.ledger.requests(harness.organizationId, 1))[0];
  const logged = async (path: string, language: string) => {
    harness.clock.pass(1000); // ids begin with their time
    await (await send(harness, path, [["language", language]])).text();
    return until(async () => (await last())?.endpoint === `/v1/audio/${path}` && (await last())?.language);
  };
  expect((await last())?.language).not.toBeNull();
  expect(await logged("transcriptions", "fr")).toBe("fr");
  expect(await logged("translations", "de")).toBe("de");
  harness.clock.pass(1000);
  const speech = { model: "svc-tts1", voice: "male-deep", input: "Hello.", language: "en-GB" };
  await (await harness.ask("/v1/audio/speech", { method: "POST", body: JSON.stringify(speech) })).text();
  await until(async () => (await last())?.endpoint === "/v1/audio/speech");
  expect((await last())?.language).toBe("en");
});

test("one of `languages[]` is a named language", async () => {
  const response = await send(harness, "transcriptions", [
    ["languages[]", "fr"],
    ["response_format", "verbose_json"],
  ]);
  expect(await response.json()).toMatchObject({ language: "french" });
});

test("a stream, in which times of words have no effect, is not refused for them", async () => {
  const response = await send(harness, "transcriptions", [
    ["language", "de"],
    ["response_format", "verbose_json"],
    ["timestamp_granularities[]", "word"],
    ["stream", "true"],
  ]);
  expect(response.status).toBe(200);
  expect(response.headers.get("x-ignored-fields")).toContain("timestamp_granularities");
  expect(await response.text()).toContain('"type":"transcript.text.done"');
});

const balance = async () => (await harness.parts.ledger.credit(harness.organizationId)).balanceMicros;

describe("is refused by name and not charged:", () => {
  const german: Field = ["language", "de"];
  const CASES: [string, string, Field[], string][] = [
    ["a recording without a language", "transcriptions", [], "400 unsupported_parameter language"],
    ["a translation without a language", "translations", [], "400 unsupported_parameter language"],
    [
      "one of two languages",
      "transcriptions",
      [
        ["languages[]", "de"],
        ["languages[]", "fr"],
      ],
      "400 unsupported_parameter languages",
    ],
    [
      "a language it does not know",
      "transcriptions",
      [["language", "pl"]],
      "400 unsupported_language language",
    ],
    [
      "times of words",
      "transcriptions",
      [german, ["response_format", "verbose_json"], ["timestamp_granularities[]", "word"]],
      "400 word_times_not_supported timestamp_granularities",
    ],
    ["a keyword", "transcriptions", [german, ["keywords[]", "river"]], "400 unsupported_parameter keywords"],
  ];
  test.each(CASES)("%s", async (_, path, fields, expected) => {
    const before = await balance();
    const response = await send(harness, path, fields);
    const { code, param } = await errorOf(response);
    expect(`${response.status} ${code} ${param}`).toBe(expected);
    expect(await balance()).toBe(before);
  });
});

test("another installed engine serves what this one cannot do", async () => {
  const weights = withCanary("beside");
  const contents = nemoContents.joint({ durations: 5 });
  const offers = { recognition: [{ uses, languages, rank: 1 }] };
  storePackage(
    weights,
    packageOf("parakeet", "nemo", { contents, options: nemoOptions("tdt", 5), offers }),
    contents,
  );
  await using both = await openHarness(environmentOf(weights));
  const textOf = async (fields: Field[]) => {
    const response = await send(both, "transcriptions", [["response_format", "verbose_json"], ...fields]);
    expect(response.status).toBe(200);
    return ((await response.json()) as { text: string }).text;
  };
  const named = await textOf([["language", "de"]]);
  const detected = await textOf([]);
  expect(detected).not.toBe(named);
  expect(
    await textOf([
      ["language", "de"],
      ["timestamp_granularities[]", "word"],
    ]),
  ).toBe(detected);
});
