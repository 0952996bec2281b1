/**
 * Promise: published clients work for an unmetered organization with nothing set but the URL and the key: their own
 * names of models and voices, formats and turn detection.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { fileURLToPath } from "node:url";
import OpenAI, { toFile } from "openai";
import OpenAI4, { toFile as toFile4 } from "openai-4";
import { installedFamilies } from "../../../../src/engine/families/installed.ts";
import { type Harness, openHarness } from "../../../harness.ts";
import { installTools, nodePath } from "../../../tools.ts";
import { agentTranscript } from "./agent.ts";

setDefaultTimeout(120_000);

const vercel = installTools("ai@7.0.173", "@ai-sdk/openai@4.0.118");
const livekit = installTools("@livekit/agents@1.9.0", "@livekit/agents-plugin-openai@1.9.0");
const recognition = installedFamilies().has("sphinx");
const unlessRecognition = recognition ? "" : " (skipped: libpocketsphinx is not installed)";
const TEXT = "We are at the old house by the river.";

let harness: Harness;
let baseURL: string;
let recording: Uint8Array<ArrayBuffer>;
beforeAll(async () => {
  harness = await openHarness({ plan: "unmetered" });
  baseURL = `${harness.url}/v1`;
  const body = { model: "svc-tts1", voice: "male-deep", input: TEXT, response_format: "wav" };
  const spoken = await harness.ask("/v1/audio/speech", { method: "POST", body: JSON.stringify(body) });
  recording = new Uint8Array(await spoken.arrayBuffer());
});
afterAll(() => harness[Symbol.asyncDispose]());

/** MPEG audio begins with eleven ones. */
function expectMp3(bytes: Uint8Array): void {
  expect([bytes[0], bytes[1]! >> 5]).toEqual([0xff, 0b111]);
  expect(bytes.length).toBeGreaterThan(5000);
}

describe.each([
  ["openai 7", OpenAI, toFile],
  ["openai 4", OpenAI4 as never as typeof OpenAI, toFile4 as never as typeof toFile],
])("%s", (_name, Client, file) => {
  const open = () => new Client({ apiKey: harness.key, baseURL });

  test.each([
    ["tts-1", "alloy"],
    ["gpt-4o-mini-tts", "coral"],
  ])("speaks with %s and %s", async (model, voice) => {
    const response = await open().audio.speech.create({ model, voice, input: TEXT });
    expectMp3(new Uint8Array(await response.arrayBuffer()));
  });

  test.skipIf(!recognition).each(["whisper-1", "gpt-4o-transcribe"])(
    `transcribes with %s${unlessRecognition}`,
    async (model) => {
      const upload = await file(recording, "audio.wav");
      expect((await open().audio.transcriptions.create({ model, file: upload })).text).toContain("house");
    },
  );
});

test.skipIf(!recognition)(
  `the Agents SDK has the transcript in its history, in a session of its default model${unlessRecognition}`,
  async () => {
    const url = `${baseURL.replace("http", "ws")}/realtime?intent=transcription`;
    const transcript = await agentTranscript({ url, apiKey: harness.key, model: null }, (session) => {
      session.sendAudio(recording.slice(44).buffer);
      session.sendAudio(new ArrayBuffer(2 * 48_000)); // silence ends the turn
    });
    expect(transcript).toContain("house");
  },
);

describe.skipIf(!vercel.isInstalled)(`the AI SDK${vercel.unless}`, () => {
  const load = async () => {
    const sdk = await import(vercel.at("ai/dist/index.js"));
    const { createOpenAI } = await import(vercel.at("@ai-sdk/openai/dist/index.js"));
    return { ...sdk, provider: createOpenAI({ baseURL, apiKey: harness.key }) };
  };

  test.each(["tts-1", "gpt-4o-mini-tts"])("speaks with %s and its default voice", async (model) => {
    const { generateSpeech, provider } = await load();
    const { audio, warnings } = await generateSpeech({ model: provider.speech(model), text: TEXT });
    expect([audio.mediaType, warnings]).toEqual(["audio/mpeg", []]);
    expectMp3(audio.uint8Array);
  });

  test.skipIf(!recognition).each(["whisper-1", "gpt-transcribe"])(
    `transcribes with %s${unlessRecognition}`,
    async (model) => {
      const { transcribe, provider } = await load();
      const { text, language } = await transcribe({ model: provider.transcription(model), audio: recording });
      expect(text).toContain("house");
      expect(language).toBe("en");
    },
  );

  test.skipIf(!recognition)(
    `transcribes with options, to words and segments${unlessRecognition}`,
    async () => {
      const { transcribe, provider } = await load();
      const openai = { language: "en", prompt: "A walk.", temperature: 0, timestampGranularities: ["word"] };
      const { text, segments, durationInSeconds } = await transcribe({
        model: provider.transcription("whisper-1"),
        audio: recording,
        providerOptions: { openai },
      });
      expect(text).toContain("house");
      expect(segments.length).toBeGreaterThan(0);
      expect(durationInSeconds).toBeGreaterThan(1);
    },
  );

  test.skipIf(!recognition)(`transcribes live${unlessRecognition}`, async () => {
    const { experimental_streamTranscribe, provider } = await load();
    const { text } = experimental_streamTranscribe({
      model: provider.transcription("gpt-realtime-whisper"),
      audio: new Blob([recording.slice(44)]).stream(),
      inputAudioFormat: { type: "audio/pcm", rate: 24_000 },
    });
    expect(await text).toContain("house");
  });
});

const node = nodePath();
const agent = fileURLToPath(new URL("livekit-agent.mjs", import.meta.url));
const unlessAgent = node ? livekit.unless || unlessRecognition : " (skipped: there is no node here)";

/** In its own process: it loads 100 MB of native code. */
test.skipIf(!node || !livekit.isInstalled || !recognition)(
  `LiveKit's OpenAI plugin speaks, transcribes and listens${unlessAgent}`,
  async () => {
    const command = [node!, "--input-type=module", "-", baseURL, harness.key, TEXT];
    const child = Bun.spawn(command, { cwd: livekit.folder, stdin: Bun.file(agent), stderr: "pipe" });
    const [output, errors] = await Promise.all([child.stdout.text(), child.stderr.text()]);
    expect([await child.exited, errors]).toEqual([0, ""]);
    const { seconds, recorded, live } = JSON.parse(output);
    expect(seconds).toBeGreaterThan(1.5);
    expect(recorded).toContain("house");
    expect(live).toContain("house");
  },
);
