/** Promise: the requests of the applications in docs/clients.md work with the settings of that page. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readConfig } from "../../src/config.ts";
import { installedFamilies } from "../../src/engine/families/installed.ts";
import { type Harness, openHarness } from "../harness.ts";

const canRecognize = installedFamilies().has("sphinx");
const PAGE = readFileSync(new URL("../../docs/clients.md", import.meta.url), "utf8");

/** The page's aliases, for applications whose model and voice names are fixed. */
const ALIASES = { "svc-tts1-embedded": "tts-1", "svc-stt1-embedded": "whisper-1" };

let harness: Harness;
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "loquat-clients-"));
  cpSync(readConfig({}).models.folder, folder, { recursive: true });
  for (const [name, alias] of Object.entries(ALIASES)) {
    const path = join(folder, `${name}.json`);
    const manifest = JSON.parse(readFileSync(path, "utf8"));
    if (manifest.voices) manifest.voices[0].aliases = ["alloy"];
    writeFileSync(path, JSON.stringify({ ...manifest, aliases: [alias] }));
  }
  harness = await openHarness({ environment: { LOQUAT_MODELS: folder } });
});
afterAll(async () => {
  await harness[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

const ours = { model: "svc-tts1", voice: "female-warm", input: "Hello." };
const fixed = { model: "tts-1", voice: "alloy", input: "Hello." };

/** What each application sends, and the content type it can use. */
const SPEECH: [application: string, body: object, contentType: string][] = [
  ["Open WebUI", ours, "audio/wav"],
  ["SillyTavern", { ...fixed, voice: "female-warm", response_format: "mp3", speed: 1 }, "audio/mpeg"],
  ["n8n", { ...fixed, response_format: "mp3", speed: 1 }, "audio/mpeg"],
  ["Home Assistant", { ...fixed, response_format: "mp3", speed: 1, instructions: "None" }, "audio/mpeg"],
  ["Vercel AI SDK", { ...ours, response_format: "mp3" }, "audio/mpeg"],
  [
    "LiveKit Agents",
    { ...ours, response_format: "pcm", speed: 1, stream_format: "sse" },
    "text/event-stream",
  ],
  ["Pipecat", { ...ours, voice: "alloy", response_format: "pcm" }, "audio/pcm"],
];

describe("a speech request of", () => {
  test.each(SPEECH)("%s is answered", async (application, body, contentType) => {
    const response = await harness.ask("/v1/audio/speech", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toStartWith(contentType);
    expect((await response.arrayBuffer()).byteLength).toBeGreaterThan(1000);
    expect(PAGE).toContain(application);
  });
});

const FORMS: [application: string, fields: Record<string, string>, answer: RegExp][] = [
  ["Open WebUI", { model: "svc-stt1" }, /"text":"good morning"/],
  ["n8n", { model: "whisper-1" }, /"text":"good morning"/],
  ["Home Assistant", { model: "svc-stt1", language: "en", temperature: "0", prompt: "" }, /good morning/],
  [
    "Vercel AI SDK",
    { model: "svc-stt1", response_format: "verbose_json", "timestamp_granularities[]": "segment" },
    /"segments":\[\{/,
  ],
  ["Pipecat", { model: "svc-stt1", language: "en" }, /good morning/],
];

describe.skipIf(!canRecognize)(
  `a transcription request of${canRecognize ? "" : " (skipped: PocketSphinx is missing)"}`,
  () => {
    test.each(FORMS)("%s is answered", async (application, fields, answer) => {
      const recording = await harness.ask("/v1/audio/speech", {
        method: "POST",
        body: JSON.stringify({ ...ours, voice: "male-deep", input: "Good morning." }),
      });
      const form = new FormData();
      for (const [name, value] of Object.entries(fields)) form.set(name, value);
      form.set("file", new Blob([await recording.arrayBuffer()]), "audio.wav");
      const response = await harness.ask("/v1/audio/transcriptions", { method: "POST", body: form });
      expect(response.status).toBe(200);
      expect(await response.text()).toMatch(answer);
      expect(PAGE).toContain(application);
    });
  },
);
