/** Promise: what stock clients of Deepgram and ElevenLabs send to be transcribed is heard, with the URL and the key alone. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { toInt16 } from "../../../src/audio/pcm.ts";
import { parseWav } from "../../../src/audio/reading/wav-file.ts";
import { resample } from "../../../src/audio/resample/resample.ts";
import { wavHeader } from "../../../src/audio/wav.ts";
import { differencesOf } from "../../../src/ledger/verify.ts";
import { pythonWith } from "../../../testing/python.ts";
import { type Harness, openHarness } from "../../harness.ts";
import { installTools, nodePath } from "../../tools.ts";
import { HEARD, hears, sentence, unlessRecognition } from "./recorded.ts";

setDefaultTimeout(300_000);

const RATE = 16_000;
const LIVEKIT_MODEL = "scribe_v2_realtime"; // of the others, its plugin streams none

let harness: Harness;
let recording: string;
beforeAll(async () => {
  harness = await openHarness({ plan: "unmetered" });
  const { aliases, config } = harness.parts;
  await aliases.set({ kind: "model", name: LIVEKIT_MODEL, targets: ["svc-stt1"], format: null });
  const { samples, sampleRate } = parseWav(await sentence(harness), 60)!;
  const heard = resample(samples, sampleRate, RATE);
  recording = join(config.data.folder, "recording.wav");
  writeFileSync(
    recording,
    Buffer.concat([wavHeader(heard.length, RATE), Buffer.from(toInt16(heard).buffer)]),
  );
});
afterAll(async () => {
  expect(differencesOf(await harness.parts.ledger.audit())).toEqual([]);
  await harness[Symbol.asyncDispose]();
});

type Clients = { name: string; command: string[] | null; unless: string; folder: string };

function inJavaScript(): Clients {
  const { isInstalled, unless, folder } = installTools(
    ...["@deepgram/sdk@5.13.0", "@elevenlabs/elevenlabs-js@2.73.0"],
    ...["@ai-sdk/deepgram@2.0.58", "@ai-sdk/elevenlabs@2.0.58", "ai@6.0.326"],
  );
  const node = nodePath();
  const name = "clients in JavaScript";
  if (!node) return { name, command: null, unless: " (skipped: there is no node here)", folder };
  const program = readFileSync(new URL("transcription-clients.mjs", import.meta.url), "utf8");
  const command = [node, "--input-type=module", "--eval", program]; // so that it finds the packages of its folder
  return { name, command: isInstalled ? command : null, unless, folder };
}

function inPython(): Clients {
  const python = pythonWith([
    ...["deepgram-sdk==7.17.0", "elevenlabs==2.78.0", "livekit-agents[deepgram,elevenlabs]==1.8.9"],
    ...["pipecat-ai[deepgram,elevenlabs]==1.14.0"],
  ]);
  const program = fileURLToPath(new URL("transcription_clients.py", import.meta.url));
  return {
    name: "clients in Python",
    command: python ? [python, program] : null,
    unless: python ? "" : " (skipped: the clients in Python could not be installed)",
    folder: fileURLToPath(new URL(".", import.meta.url)),
  };
}

const CALLS = { "clients in JavaScript": 8, "clients in Python": 19 };

for (const { name, command, unless, folder } of hears ? [inJavaScript(), inPython()] : [])
  describe(`${name}${unless}`, () => {
    test.skipIf(!command)("are heard in every call", async () => {
      const child = Bun.spawn([...command!, harness.url, harness.key, recording], {
        cwd: folder,
        stdout: "pipe",
        stderr: "inherit",
      });
      const lines = (await child.stdout.text()).split("\n").filter((line) => line.startsWith('{"name"'));
      const answers = lines.map((line) => JSON.parse(line) as { name: string; heard?: string });
      expect(answers.filter(({ heard = "" }) => !HEARD.test(heard))).toEqual([]);
      expect(answers).toHaveLength(CALLS[name as keyof typeof CALLS]);
    });
  });
if (!hears) test.skip(`clients are heard${unlessRecognition}`, () => {});
