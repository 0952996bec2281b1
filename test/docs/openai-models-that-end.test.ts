/** Promise: what docs/openai-models-that-end.md says is so: its names work on a new server, and clients read its settings. */
import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import OpenAI, { toFile } from "openai";
import OpenAI4 from "openai-4";
import OpenAI6 from "openai-6";
import { installedFamilies } from "../../src/engine/families/installed.ts";
import { chooseRealtime } from "../../src/models/choose.ts";
import { catalogueByPlan } from "../../src/models/live-catalogue.ts";
import { type Harness, openHarness } from "../harness.ts";
import { installTools } from "../tools.ts";

setDefaultTimeout(120_000);

const ROOT = join(import.meta.dir, "../..");
const page = readFileSync(join(ROOT, "docs/openai-models-that-end.md"), "utf8");
const preset = JSON.parse(readFileSync(join(ROOT, "models/upstreams/presets/openai.json"), "utf8"));
const rows = [...page.matchAll(/^\| `([\w.-]+)` +\| (\d{4}-\d\d-\d\d) +\| (\w+)/gm)].map(
  ([, name, day, use]) => ({ name: name!, day: day!, use: use! }),
);
const namesOf = (use: string) => rows.filter((row) => row.use === use).map(({ name }) => name);
const vercel = installTools("ai@7.0.173", "@ai-sdk/openai@4.0.118");
const hears = installedFamilies().has("sphinx");

let harness: Harness;
let client: OpenAI;
const environment = { ...process.env };
beforeAll(async () => {
  harness = await openHarness({ plan: "unmetered" });
  client = new OpenAI({ apiKey: harness.key, baseURL: `${harness.url}/v1` });
});
afterAll(() => harness[Symbol.asyncDispose]());
afterEach(() => {
  for (const name of ["OPENAI_BASE_URL", "OPENAI_API_KEY"]) {
    if (environment[name] === undefined) delete process.env[name];
    else process.env[name] = environment[name];
  }
});

const speak = (model: string, voice: string) =>
  client.audio.speech.create({ model, voice, input: "Hello.", response_format: "wav" });

test("the days are those that the preset of the upstream warns of", () => {
  expect(rows.length).toBe(13);
  expect(rows.filter(({ name, day }) => preset.shutdown_dates[name] !== day)).toEqual([]);
});

test.each(namesOf("speech"))("%s speaks on a new server", async (name) => {
  const bytes = await (await speak(name, "alloy")).arrayBuffer();
  expect(Buffer.from(bytes.slice(0, 4)).toString()).toBe("RIFF");
});

test("every voice that the page names speaks", async () => {
  const [, list = ""] = page.match(/All voice names work: ([^.]*), and those of Live/) ?? [];
  const voices = [...list.matchAll(/`(\w+)`/g)].map(([, name]) => name!);
  expect(voices).toEqual(preset.known_voices);
  for (const voice of [...voices, ...page.matchAll(/voice="(\w+)"/g).map(([, name]) => name!)])
    expect([voice, (await speak("tts-1", voice)).status]).toEqual([voice, 200]);
});

test.skipIf(!hears).each(namesOf("transcription"))("%s transcribes on a new server", async (model) => {
  const spoken = await (await speak("tts-1", "ash")).arrayBuffer();
  const { text } = await client.audio.transcriptions.create({ model, file: await toFile(spoken, "a.wav") });
  expect(text).not.toBe("");
});

test.each(namesOf("live"))("%s opens a session that transcribes on a new server", (model) => {
  const { catalogue, aliases } = harness.parts;
  const named = catalogueByPlan(
    catalogue,
    () => aliases.current(),
    false,
  )({
    plan: "unmetered",
    caps: [],
  });
  expect(chooseRealtime(named, { model, language: null, transcribes: true }).model).toBe("svc-stt1");
});

test("every address on the page is one of the server, and every base ends in /v1", async () => {
  const paths = [...page.matchAll(/http:\/\/ADDRESS:8080([\w/]*)/g)].map(([, path]) => path!);
  expect(new Set(paths)).toEqual(new Set(["/v1", "/v1/audio/speech", "/v1/audio/transcriptions"]));
  for (const path of ["/v1/audio/speech", "/v1/audio/transcriptions"])
    expect((await harness.ask(path, { method: "POST", body: "{}" })).status).toBe(422);
});

describe("the variables of the page", () => {
  const set = () => {
    const [, block = ""] = page.match(/```sh\n(export [^`]*)```/) ?? [];
    for (const [, name, value] of block.matchAll(/export (\w+)=(\S+)/g))
      process.env[name!] = value!.replace("http://ADDRESS:8080", harness.url).replace("KEY", harness.key);
  };

  test.each([
    ["7", OpenAI],
    ["6", OpenAI6 as never as typeof OpenAI],
    ["4", OpenAI4 as never as typeof OpenAI],
  ])("are all that OpenAI's library, version %s, needs", async (_, Client) => {
    set();
    const speech = await new Client().audio.speech.create({ model: "tts-1", voice: "nova", input: "Hi." });
    expect(speech.status).toBe(200);
  });

  test.skipIf(!vercel.isInstalled)(`are all that the AI SDK needs${vercel.unless}`, async () => {
    set();
    const { generateSpeech } = await import(vercel.at("ai/dist/index.js"));
    const { createOpenAI } = await import(vercel.at("@ai-sdk/openai/dist/index.js"));
    const { audio } = await generateSpeech({ model: createOpenAI().speech("tts-1"), text: "Hello." });
    expect(audio.mediaType).toBe("audio/mpeg");
  });
});
