/** Promise: the requests of the applications in docs/clients.md work with their default names. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { installedFamilies } from "../../src/engine/families/installed.ts";
import { type Harness, openHarness } from "../harness.ts";

const canRecognize = installedFamilies().has("sphinx");
const PAGE = readFileSync(new URL("../../docs/clients.md", import.meta.url), "utf8");

let harness: Harness;
beforeAll(async () => {
  harness = await openHarness({ plan: "unmetered" });
});
afterAll(() => harness[Symbol.asyncDispose]());

const openai = { model: "tts-1", voice: "alloy", input: "Hello." };
const mini = { ...openai, model: "gpt-4o-mini-tts" };

/** What each application sends, and the content type it can use. */
const SPEECH: [application: string, body: object, contentType: string][] = [
  ["Open WebUI", openai, "audio/mpeg"],
  ["SillyTavern", { ...openai, voice: " nova", response_format: "mp3", speed: 1 }, "audio/mpeg"],
  ["n8n", { ...openai, response_format: "mp3", speed: 1 }, "audio/mpeg"],
  [
    "Home Assistant",
    { ...openai, voice: "shimmer", response_format: "mp3", speed: 1, instructions: "None" },
    "audio/mpeg",
  ],
  ["Vercel AI SDK", { ...openai, response_format: "mp3" }, "audio/mpeg"],
  [
    "LiveKit Agents",
    { ...mini, voice: "ash", response_format: "mp3", speed: 1, stream_format: "sse" },
    "text/event-stream",
  ],
  ["Pipecat", { ...mini, response_format: "pcm" }, "audio/pcm"],
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
  ["Open WebUI", { model: "" }, /"text":"good morning"/],
  ["n8n", { model: "whisper-1" }, /"text":"good morning"/],
  [
    "Home Assistant",
    { model: "gpt-4o-mini-transcribe", language: "en", temperature: "0", prompt: "" },
    /good morning/,
  ],
  [
    "Vercel AI SDK",
    { model: "whisper-1", response_format: "verbose_json", "timestamp_granularities[]": "segment" },
    /"segments":\[\{/,
  ],
  ["Pipecat", { model: "gpt-4o-transcribe", language: "en" }, /good morning/],
];

describe.skipIf(!canRecognize)(
  `a transcription request of${canRecognize ? "" : " (skipped: PocketSphinx is missing)"}`,
  () => {
    test.each(FORMS)("%s is answered", async (application, fields, answer) => {
      const recording = await harness.ask("/v1/audio/speech", {
        method: "POST",
        body: JSON.stringify({ ...openai, voice: "onyx", response_format: "wav", input: "Good morning." }),
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
