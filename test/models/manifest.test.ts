/**
 * Promise: the catalogue is data: an operator's edit needs no code, and a mistake is refused with its file and field.
 */
import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readConfig } from "../../src/config/config.ts";
import { buildCatalogue } from "../../src/models/catalogue.ts";
import { chooseRecognition, chooseSpeech } from "../../src/models/choose.ts";
import {
  ManifestError,
  readManifests,
  type SttManifest,
  type TtsManifest,
} from "../../src/models/manifest.ts";
import { modelObject, voiceObject } from "../../src/models/objects.ts";
import { errorOf, openHarness } from "../harness.ts";

const OWN = readConfig({}).models.folder;
const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true });
});

const original = (name: string) => JSON.parse(readFileSync(join(OWN, `${name}.json`), "utf8"));
const speech = (): TtsManifest => original("svc-tts1-embedded");
const recognition = (): SttManifest => original("svc-stt1-embedded");

/** A folder of manifests, by file name; a text stands as it is. */
function folderOf(files: Record<string, object | string>): string {
  const folder = mkdtempSync(join(tmpdir(), "loquat-models-"));
  folders.push(folder);
  for (const [name, value] of Object.entries(files))
    writeFileSync(join(folder, name), typeof value === "string" ? value : JSON.stringify(value));
  return folder;
}

const catalogueOf = (files: Record<string, object>, missing: string[] = []) =>
  buildCatalogue(readManifests(folderOf(files)), (engine) => !missing.includes(engine));

describe("a manifest is refused, by file and field, for", () => {
  const firstVoice = (patch: object) => {
    const { voices, ...manifest } = speech();
    return { ...manifest, voices: [{ ...voices[0], ...patch }, ...voices.slice(1)] };
  };
  const mistakes: [name: string, files: Record<string, object | string>, expected: string][] = [
    ["invalid JSON", { "a.json": "{" }, "a.json: is not JSON"],
    ["a list", { "a.json": "[]" }, "a.json: type"],
    ["an unknown type", { "a.json": { ...speech(), type: "video" } }, "a.json: type"],
    ["no version", { "a.json": { ...speech(), version: undefined } }, "a.json: version"],
    ["a version that is not a date", { "a.json": { ...speech(), version: "v1" } }, "a.json: version"],
    ["a misspelt field", { "a.json": { ...speech(), sttus: "available" } }, "a.json: sttus"],
    ["an unknown status", { "a.json": { ...speech(), status: "beta" } }, "a.json: status"],
    ["an unknown engine", { "a.json": firstVoice({ engine: "bark" }) }, "a.json: voices.0.engine"],
    ["a voice without a locale", { "a.json": firstVoice({ locale: undefined }) }, "a.json: voices.0.locale"],
    ["an unknown gender", { "a.json": firstVoice({ gender: "x" }) }, "a.json: voices.0.gender"],
    ["two voices with one id", { "a.json": firstVoice({ id: "male-deep" }) }, "a.json: voices.1.id"],
    [
      "streaming a format that it does not produce",
      { "a.json": { ...speech(), speech: { ...speech().speech, response_formats: ["wav"] } } },
      "a.json: speech.streamable_formats",
    ],
    [
      "a maximum speed below the minimum",
      { "a.json": { ...speech(), speech: { ...speech().speech, speed: { min: 2, max: 1 } } } },
      "a.json: speech.speed",
    ],
    ["one version twice", { "a.json": recognition(), "b.json": recognition() }, "b.json: version"],
    [
      "one model of two types",
      { "a.json": recognition(), "b.json": { ...speech(), model: "svc-stt1", version: "2020-01-01" } },
      "b.json: type",
    ],
    [
      "an alias that is a model",
      { "a.json": recognition(), "b.json": { ...speech(), aliases: ["svc-stt1"] } },
      "b.json: aliases.0",
    ],
    ["an empty folder", {}, "LOQUAT_MODELS"],
  ];
  test.each(mistakes)("%s", (_name, files, expected) => {
    const read = () => readManifests(folderOf(files));
    expect(read).toThrow(ManifestError);
    expect(read).toThrow(expected);
  });

  test("a missing folder", () => {
    expect(() => readManifests(join(folderOf({}), "nowhere"))).toThrow(ManifestError);
  });
});

test("a manifest that calls its recognition hearing, as in 0.1, is the same manifest", () => {
  const { recognition: engines, ...rest } = recognition();
  const manifests = readManifests(folderOf({ "a.json": { ...rest, hearing: engines } }));
  expect(manifests).toEqual(readManifests(folderOf({ "a.json": recognition() })));
});

describe("model versions", () => {
  const newer = () => ({ ...recognition(), version: "2027-01-01", name: "Newer", rank: 1 });

  test("resolve to the best installed one", () => {
    const { find } = catalogueOf({ "a.json": recognition(), "b.json": newer() });
    expect(modelObject(find("svc-stt1")!)).toMatchObject({ name: "Newer", public_version: "2027-01-01" });
  });

  test("model versions compare by rank before date", () => {
    const { find } = catalogueOf({ "a.json": { ...recognition(), rank: 2 }, "b.json": newer() });
    expect(find("svc-stt1")!.version!.version).toBe("2026-11-01");
  });

  test("are listed when none is installed, and using the model says so", () => {
    const catalogue = catalogueOf({ "a.json": recognition(), "b.json": speech() }, ["sphinx"]);
    expect(catalogue.entries.map(({ id }) => id)).toEqual(["svc-stt1", "svc-tts1"]);
    const request = { model: "svc-stt1", language: null, streaming: false };
    expect(() => chooseRecognition(catalogue, request)).toThrow(
      expect.objectContaining({
        code: "model_unavailable",
        message: expect.stringContaining("loquat doctor"),
      }),
    );
  });

  test("offer no voices whose engine is not installed", () => {
    const { voices } = catalogueOf({ "a.json": speech() }, ["espeak"]);
    expect(voices.map(({ engine }) => engine)).toEqual(["flite", "flite", "flite", "flite"]);
  });
});

describe("an edited manifest", () => {
  const added = () => {
    const manifest = speech();
    manifest.voices.push({ ...manifest.voices[0]!, id: "mine", name: "Mine", aliases: ["alloy"] });
    return { ...manifest, aliases: ["tts-1"], status: "deprecated", shutdown_date: "2027-06-01" };
  };
  const request = { model: "tts-1", voice: "alloy", format: "wav", speed: 1, streaming: false };

  test("can add a voice, and names of other vendors for it and its model", () => {
    const catalogue = catalogueOf({ "a.json": added() });
    expect(chooseSpeech(catalogue, request)).toMatchObject({ model: "svc-tts1", voice: { id: "mine" } });
    expect(voiceObject(catalogue.voices.at(-1)!)).toMatchObject({ id: "mine", name: "Mine" });
  });

  test("can deprecate a model, which works and reports its end date", () => {
    const { find } = catalogueOf({ "a.json": added() });
    expect(modelObject(find("svc-tts1")!)).toMatchObject({
      status: "deprecated",
      shutdown_date: "2027-06-01",
    });
  });

  test("can retire a model, which is gone", () => {
    const catalogue = catalogueOf({ "a.json": { ...added(), status: "retired" } });
    expect(catalogue.entries).toEqual([]);
    expect(() => chooseSpeech(catalogue, request)).toThrow(
      expect.objectContaining({ code: "invalid_model" }),
    );
  });

  test("without streamable formats makes a model batch only", () => {
    const manifest = speech();
    manifest.speech.streamable_formats = [];
    const catalogue = catalogueOf({ "a.json": manifest });
    expect(modelObject(catalogue.entries[0]!).capabilities).toEqual(["batch"]);
    const streamed = { ...request, model: "svc-tts1", voice: "female-warm", streaming: true };
    expect(() => chooseSpeech(catalogue, streamed)).toThrow(
      expect.objectContaining({ code: "unsupported_response_format" }),
    );
  });

  test("keeps its names where a better version is installed, which has none", () => {
    const better = { ...speech(), version: "2027-01-01", rank: 10 };
    const catalogue = catalogueOf({ "a.json": added(), "b.json": better });
    expect(chooseSpeech(catalogue, request)).toMatchObject({ model: "svc-tts1", voice: { id: "mine" } });
    const alloy = speech();
    alloy.voices[0]!.aliases = ["alloy"];
    const both = catalogueOf({ "a.json": { ...alloy, aliases: ["tts-1"] }, "b.json": better });
    expect(chooseSpeech(both, request)).toMatchObject({ voice: { id: "female-warm" } });
  });

  test("can add a model of known families, which speaks over HTTP", async () => {
    const mine = { ...added(), model: "house-voice", aliases: ["tts-1"] };
    const LOQUAT_MODELS = folderOf({ "a.json": mine });
    await using harness = await openHarness({ environment: { LOQUAT_MODELS } });
    const body = JSON.stringify({ model: "tts-1", voice: "alloy", input: "Hello." });
    const spoken = await harness.ask("/v1/audio/speech", { method: "POST", body });
    expect(spoken.status).toBe(200);
    expect((await spoken.arrayBuffer()).byteLength).toBeGreaterThan(10_000);
    const gone = await harness.ask("/v1/models/svc-tts1");
    expect(await errorOf(gone)).toMatchObject({ status: 404, code: "model_not_found", param: "model" });
  });
});
