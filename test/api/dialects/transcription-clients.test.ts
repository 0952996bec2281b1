/** Promise: what stock clients of Deepgram and ElevenLabs send to be transcribed is heard, with the URL and the key alone. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { differencesOf } from "../../../src/ledger/verify.ts";
import { pythonWith } from "../../../testing/python.ts";
import { type Harness, openHarness } from "../../harness.ts";
import { terminateTls } from "../../tls.ts";
import { installTools, nodePath } from "../../tools.ts";
import { reported } from "./clients/reported.ts";
import { HEARD, hears, putRecording, unlessRecognition } from "./recorded.ts";

setDefaultTimeout(300_000);

const LIVEKIT_MODEL = "scribe_v2_realtime"; // of the others, its plugin streams none

let harness: Harness;
let secure: Awaited<ReturnType<typeof terminateTls>>;
let recording: string;
beforeAll(async () => {
  harness = await openHarness({ plan: "unmetered" });
  const { aliases } = harness.parts;
  await aliases.set({ kind: "model", name: LIVEKIT_MODEL, targets: ["svc-stt1"], format: null });
  recording = await putRecording(harness);
  secure = await terminateTls(harness.url);
});
afterAll(async () => {
  expect(differencesOf(await harness.parts.ledger.audit())).toEqual([]);
  await secure[Symbol.asyncDispose]();
  await harness[Symbol.asyncDispose]();
});

const given = () => [harness.url, harness.key, recording];
const HERE = fileURLToPath(new URL(".", import.meta.url));

const tools = installTools(
  ...["@deepgram/sdk@5.13.0", "@elevenlabs/elevenlabs-js@2.73.0"],
  ...["@ai-sdk/deepgram@2.0.58", "@ai-sdk/elevenlabs@2.0.58", "ai@6.0.326"],
);
const node = nodePath();
const inNode = reported(() => {
  const program = readFileSync(new URL("transcription-clients.mjs", import.meta.url), "utf8");
  const command = [node!, "--input-type=module", "--eval", program, ...given()]; // so that it finds its packages
  return { command, folder: tools.folder };
});
const hasNode = tools.isInstalled && node !== null;
const unlessNode = hasNode ? unlessRecognition : tools.unless || " (skipped: there is no node here)";

const python = pythonWith([
  ...["deepgram-sdk==7.17.0", "elevenlabs==2.78.0", "livekit-agents[deepgram,elevenlabs]==1.8.9"],
  ...["pipecat-ai[deepgram,elevenlabs]==1.14.0"],
]);
const inPython = reported(() => {
  const certificate = join(harness.parts.config.data.folder, "certificate.pem");
  writeFileSync(certificate, secure.cert);
  return {
    command: [python!, join(HERE, "transcription_clients.py"), ...given()],
    folder: HERE,
    environment: { TLS_HOST: new URL(secure.url).host, SSL_CERT_FILE: certificate },
  };
});
const unlessPython = python ? unlessRecognition : " (skipped: the clients in Python could not be installed)";

const js = test.skipIf(!hasNode || !hears);
const py = test.skipIf(!python || !hears);
const expectJs = async (name: string) => expect((await inNode(name)).heard).toMatch(HEARD);
const expectPy = async (name: string) => expect((await inPython(name)).heard).toMatch(HEARD);

describe(`@deepgram/sdk 5.13${unlessNode}`, () => {
  js("listen.v1.media.transcribeFile: a recording", () =>
    expectJs("@deepgram/sdk listen.v1.media.transcribeFile"),
  );
  js("listen.v1.connect: speech", () => expectJs("@deepgram/sdk listen.v1.connect"));
  js("listen.v2.connect: turns of Flux, configured meanwhile", () =>
    expectJs("@deepgram/sdk listen.v2.connect"),
  );
});

describe(`@elevenlabs/elevenlabs-js 2.73${unlessNode}`, () => {
  js("speechToText.convert: a recording", () => expectJs("@elevenlabs/elevenlabs-js speechToText.convert"));
  js("speechToText.realtime: speech that the client commits", () =>
    expectJs("@elevenlabs/elevenlabs-js speechToText.realtime, manual"),
  );
  js("speechToText.realtime: speech that pauses commit", () =>
    expectJs("@elevenlabs/elevenlabs-js speechToText.realtime, vad"),
  );
});

describe(`@ai-sdk/deepgram 2.0, @ai-sdk/elevenlabs 2.0${unlessNode}`, () => {
  js("transcribe, deepgram: a recording", () => expectJs("@ai-sdk/deepgram transcription"));
  js("transcribe, elevenlabs: a recording", () => expectJs("@ai-sdk/elevenlabs transcription"));
});

describe(`deepgram-sdk 7.17 for Python${unlessPython}`, () => {
  py("listen.v1.media.transcribe_file: a recording, with every option too", async () => {
    await expectPy("deepgram-sdk listen.v1.media.transcribe_file");
    await expectPy("deepgram-sdk transcribe_file with every option");
  });
  py("listen.v1.media.transcribe_file: with an access token, asynchronously", () =>
    expectPy("deepgram-sdk async transcribe_file with an access token"),
  );
  py("listen.v1.connect: samples", () => expectPy("deepgram-sdk listen.v1.connect with raw audio"));
  py("listen.v1.connect: a WAV file", () => expectPy("deepgram-sdk listen.v1.connect with WAV"));
  py("listen.v2.connect: turns of Flux, with every option too", async () => {
    await expectPy("deepgram-sdk listen.v2.connect");
    await expectPy("deepgram-sdk listen.v2.connect with every option");
  });
});

describe(`elevenlabs 2.78 for Python${unlessPython}`, () => {
  py("speech_to_text.convert: a recording, with every option too", async () => {
    await expectPy("elevenlabs speech_to_text.convert");
    await expectPy("elevenlabs speech_to_text.convert with every option");
  });
  py("speech_to_text.realtime.connect: speech that the client commits", () =>
    expectPy("elevenlabs speech_to_text.realtime, manual"),
  );
  py("speech_to_text.realtime.connect: speech that pauses commit", () =>
    expectPy("elevenlabs speech_to_text.realtime, vad"),
  );
});

describe(`livekit-plugins-deepgram 1.8 for Python${unlessPython}`, () => {
  py("STT.recognize: a recording", () => expectPy("livekit deepgram.STT recognize"));
  py("STT.stream: speech", () => expectPy("livekit deepgram.STT stream"));
  py("STTv2.stream: turns of Flux", () => expectPy("livekit deepgram.STTv2 stream"));
});

describe(`livekit-plugins-elevenlabs 1.8 for Python${unlessPython}`, () => {
  py("STT.recognize: a recording", () => expectPy("livekit elevenlabs.STT recognize"));
  py("STT.stream: speech", () => expectPy("livekit elevenlabs.STT stream"));
  py("STT.stream: speech, whose pauses the server finds", () =>
    expectPy("livekit elevenlabs.STT stream with server VAD"),
  );
});

describe(`pipecat-ai 1.14${unlessPython}`, () => {
  py("DeepgramSTTService: speech", () => expectPy("pipecat DeepgramSTTService"));
  py("DeepgramFluxSTTService: turns of Flux", () => expectPy("pipecat DeepgramFluxSTTService"));
  py("ElevenLabsSTTService: what was said, as a file", () => expectPy("pipecat ElevenLabsSTTService"));
  py("ElevenLabsRealtimeSTTService: speech that the client commits", () =>
    expectPy("pipecat ElevenLabsRealtimeSTTService"),
  );
  py("ElevenLabsRealtimeSTTService: speech that pauses commit", () =>
    expectPy("pipecat ElevenLabsRealtimeSTTService, vad"),
  );
});
