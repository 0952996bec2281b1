/**
 * Promise: what a package brings is offered as soon as it is installed, and gone with it: its voices in `/v1/voices` and
 * in speech, its languages in transcription. No manifest is edited, and a package that the catalogue never heard of counts.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readConfig } from "../../../src/config/config.ts";
import { readPackages } from "../../../src/models/packages/package.ts";
import { remove } from "../../../src/models/store/store-writer.ts";
import { piperContents, supertonicContents } from "../../../testing/packages/families/voices.ts";
import { whisperContents } from "../../../testing/packages/families/whisper.ts";
import { packageOf, storePackage } from "../../../testing/packages/model-store.ts";
import { errorOf, type Harness, openHarness } from "../../harness.ts";
import { until } from "../../until.ts";

const weights = mkdtempSync(join(tmpdir(), "loquat-weights-"));
let server: Harness;
beforeAll(async () => {
  server = await openHarness({ environment: { LOQUAT_WEIGHTS: weights, LOQUAT_THREADS: "2" } });
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  rmSync(weights, { recursive: true, force: true });
});

const known = readPackages(readConfig({}).models.folder);
const [gosia] = known.get("piper-pl-gosia")!.voices!;

type Listed = { id: string; language: string; metadata: { models: string[] } };
const read = async <T>(path: string) => (await (await server.ask(path)).json()) as T;
const voiceOf = async (id: string) =>
  (await read<{ data: Listed[] }>("/v1/voices")).data.find((voice) => voice.id === id);
const languagesOf = async (id: string) =>
  (await read<{ supported_languages: string[] }>(`/v1/models/${id}`)).supported_languages;

const speak = (voice: string) =>
  server.ask("/v1/audio/speech", {
    method: "POST",
    body: JSON.stringify({ model: "svc-tts1", voice, input: "Dzień dobry." }),
  });

test.each([
  ["of the catalogue", "piper-pl-gosia", undefined, "pl-gosia"],
  ["of an unknown package", "house-voice", { voices: [{ ...gosia!, id: "house" }] }, "house"],
])("a voice of a package %s comes and goes with the package", async (_name, name, offers, voice) => {
  expect(await errorOf(await speak(voice))).toMatchObject({ status: 404, code: "invalid_voice" });
  const made = { contents: piperContents(), ...(offers ? { offers } : {}) };
  storePackage(weights, packageOf(name, "vits", made), made.contents);
  await until(async () => (await voiceOf(voice)) !== undefined);
  expect(await voiceOf(voice)).toMatchObject({ language: "pl", metadata: { models: ["svc-tts1"] } });
  expect(await languagesOf("svc-tts1")).toContain("pl");
  const spoken = await speak(voice);
  expect(spoken.status).toBe(200);
  expect((await spoken.arrayBuffer()).byteLength).toBeGreaterThan(10_000);
  remove(weights, name);
  await until(async () => (await voiceOf(voice)) === undefined);
  expect(await errorOf(await speak(voice))).toMatchObject({ status: 404, code: "invalid_voice" });
});

test("the languages of an unknown recognizer are offered while its package is installed", async () => {
  expect(await languagesOf("svc-stt1")).not.toContain("eu");
  const contents = whisperContents({ seed: 3 });
  const offers = { recognition: [{ uses: ["batch" as const], languages: ["eu", "en"], rank: 1 }] };
  storePackage(weights, packageOf("local-recognizer", "whisper", { contents, offers }), contents);
  await until(async () => (await languagesOf("svc-stt1")).includes("eu"));
  remove(weights, "local-recognizer");
  await until(async () => !(await languagesOf("svc-stt1")).includes("eu"));
});

test("a voice of several languages is listed under each of them, and speaks the one that a request names", async () => {
  const contents = supertonicContents();
  storePackage(
    weights,
    packageOf("supertonic-3", "supertonic", { options: { steps: 1, pace: 1 }, contents }),
    contents,
  );
  const ids = async (query: string) =>
    (await read<{ data: Listed[] }>(`/v1/voices?${query}`)).data.map(({ id }) => id);
  await until(async () => (await languagesOf("svc-tts2")).includes("pl"));
  expect(await ids("model=svc-tts2&language=pl")).toContain("female-warm");
  expect(await ids("model=svc-tts1&language=pl")).not.toContain("female-warm");
  expect(await ids("model=svc-tts2&language=zh")).toEqual([]);
  const spoken = await server.ask("/v1/audio/speech", {
    method: "POST",
    body: JSON.stringify({ model: "svc-tts2", voice: "female-warm", language: "pl", input: "Dzień dobry." }),
  });
  expect(spoken.status).toBe(200);
});
