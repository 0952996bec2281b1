/** Promise: plugins of LiveKit Agents for ElevenLabs and Deepgram, and LiteLLM, need another address and key alone. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { differencesOf } from "../../../../src/ledger/verify.ts";
import { pythonWith } from "../../../../testing/python.ts";
import { type Harness, openHarness } from "../../../harness.ts";
import { installTools, nodePath } from "../../../tools.ts";
import { HEARD, hears, putRecording, unlessRecognition } from "../recorded.ts";
import { reported } from "./reported.ts";

setDefaultTimeout(300_000);

let harness: Harness;
let recording: string;
beforeAll(async () => {
  harness = await openHarness({ plan: "unmetered" });
  const { aliases } = harness.parts;
  await aliases.set({ kind: "model", name: "scribe_v2_realtime", targets: ["svc-stt1"], format: null });
  recording = await putRecording(harness);
});
afterAll(async () => {
  expect(differencesOf(await harness.parts.ledger.audit())).toEqual([]);
  await harness[Symbol.asyncDispose]();
});

const given = () => [harness.url, harness.key, recording];

const livekit = installTools(
  ...["@livekit/agents@1.9.0", "@livekit/agents-plugin-elevenlabs@1.9.0"],
  ...["@livekit/agents-plugin-deepgram@1.9.0", "@deepgram/sdk@5.13.0"],
);
const node = nodePath();
const isThere = livekit.isInstalled && node !== null;
const unless = isThere ? "" : livekit.unless || " (skipped: there is no node here)";
const told = reported(() => {
  const program = readFileSync(new URL("livekit-plugins.mjs", import.meta.url), "utf8");
  const command = [node!, "--input-type=module", "--eval", program, ...given()]; // so that it finds its packages
  return { command, folder: livekit.folder };
});

/** A sentence that is spoken, in seconds. */
const SPOKEN = { least: 1, most: 8 };

async function expectSpoken(name: string): Promise<void> {
  const { seconds = 0 } = await told(name);
  expect(seconds).toBeGreaterThan(SPOKEN.least);
  expect(seconds).toBeLessThan(SPOKEN.most);
}

const expectHeard = async (name: string) => expect((await told(name)).heard).toMatch(HEARD);

const speaks = test.skipIf(!isThere);
const listens = test.skipIf(!isThere || !hears);

describe(`@livekit/agents-plugin-elevenlabs 1.9${unless}`, () => {
  speaks("TTS.synthesize: a sentence", () => expectSpoken("elevenlabs TTS.synthesize"));
  speaks("TTS.stream: a sentence that comes word by word", () => expectSpoken("elevenlabs TTS.stream"));
  speaks("TTS.listVoices: the voices of the catalogue", async () => {
    expect((await told("elevenlabs TTS.listVoices")).heard).toContain("female-warm");
  });
  listens(`STT.recognize: a recording${unlessRecognition}`, () => expectHeard("elevenlabs STT.recognize"));
  listens(`STT.stream: speech, whose pauses the server finds${unlessRecognition}`, () =>
    expectHeard("elevenlabs STT.stream"),
  );
});

describe(`@livekit/agents-plugin-deepgram 1.9${unless}`, () => {
  speaks("TTS.stream: a sentence that comes word by word", () => expectSpoken("deepgram TTS.stream"));
  listens(`STT.recognize: a recording${unlessRecognition}`, () => expectHeard("deepgram STT.recognize"));
  listens(`STT.stream: speech${unlessRecognition}`, () => expectHeard("deepgram STT.stream"));
  listens(`STTv2.stream: turns of Flux${unlessRecognition}`, () => expectHeard("deepgram STTv2.stream"));
});

describe(`@deepgram/sdk 5.13${unless}`, () => {
  speaks("speak.v1.connect: a sentence that comes word by word, until it is flushed", async () => {
    expect((await told("@deepgram/sdk speak.v1.connect")).bytes).toBeGreaterThan(40_000);
  });
});

const python = pythonWith(["litellm==1.110.2"]);
const unlessPython = python ? "" : " (skipped: litellm could not be installed)";
const ofLitellm = reported(() => ({
  command: [python!, fileURLToPath(new URL("litellm_clients.py", import.meta.url)), ...given()],
  folder: fileURLToPath(new URL(".", import.meta.url)),
  environment: { LITELLM_LOCAL_MODEL_COST_MAP: "True" }, // it would ask the network for prices
}));
const asks = test.skipIf(!python);
const transcribes = test.skipIf(!python || !hears);

describe(`litellm 1.110 for Python${unlessPython}`, () => {
  const bytesOf = async (name: string) => (await ofLitellm(name)).bytes;
  const heardBy = async (name: string) => (await ofLitellm(name)).heard;
  asks("speech, openai: an MP3 with the names of OpenAI", async () => {
    expect(await bytesOf("openai speech")).toBeGreaterThan(5000);
  });
  asks("speech, elevenlabs: samples of a voice of the catalogue", async () => {
    expect(await bytesOf("elevenlabs speech")).toBeGreaterThan(40_000);
  });
  transcribes(`transcription, openai: a recording${unlessRecognition}`, async () => {
    expect(await heardBy("openai transcription")).toMatch(HEARD);
  });
  transcribes(`transcription, elevenlabs: a recording${unlessRecognition}`, async () => {
    expect(await heardBy("elevenlabs transcription")).toMatch(HEARD);
  });
  transcribes(`transcription, deepgram: a recording${unlessRecognition}`, async () => {
    expect(await heardBy("deepgram transcription")).toMatch(HEARD);
  });
  asks("speech, elevenlabs: an unknown voice is an error that names it", async () => {
    expect(await heardBy("elevenlabs error")).toContain("voice_not_found");
  });
});
