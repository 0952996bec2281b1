/**
 * Stock clients of Deepgram and ElevenLabs in JavaScript, one transcription call after another: a line of JSON each, with
 * what was heard or why it failed. Arguments: the server's URL, key, a recording in WAV (16 kHz, mono, 16 bits).
 */
import { readFileSync } from "node:fs";
import { createDeepgram } from "@ai-sdk/deepgram";
import { createElevenLabs } from "@ai-sdk/elevenlabs";
import { DeepgramClient } from "@deepgram/sdk";
import { ElevenLabsClient } from "@elevenlabs/elevenlabs-js";
import { experimental_transcribe as transcribe } from "ai";

const [url, key, path] = process.argv.slice(-3);
const wav = readFileSync(path);
const spoken = Buffer.concat([wav.subarray(44), Buffer.alloc(64_000)]);
const STEP = 3200;
const MODEL = "svc-stt1";
const environment = {
  base: url,
  production: url.replace("http", "ws"),
  agent: url.replace("http", "ws"),
  agentRest: url,
};
const deepgram = new DeepgramClient({ apiKey: key, environment });
const elevenlabs = new ElevenLabsClient({ apiKey: key, baseUrl: url });

/** The AI SDK has no setting for the address of either. */
const here = (address, init) =>
  fetch(String(address).replace(/^https:\/\/api\.[a-z]+\.(?:com|io)/, url), init);

async function listen() {
  const connection = await deepgram.listen.v1.connect({
    model: MODEL,
    ...{ encoding: "linear16", sample_rate: 16_000, interim_results: "true", endpointing: 300 },
    Authorization: `Token ${key}`,
  });
  const heard = [];
  const over = new Promise((resolve, reject) => {
    connection.on("message", (message) => {
      if (message.type === "Results" && message.is_final)
        heard.push(message.channel.alternatives[0].transcript);
    });
    connection.on("close", resolve);
    connection.on("error", reject);
  });
  connection.connect();
  await connection.waitForOpen();
  for (let at = 0; at < spoken.length; at += STEP) connection.sendMedia(spoken.subarray(at, at + STEP));
  connection.sendCloseStream({ type: "CloseStream" });
  await over;
  return heard.join(" ");
}

async function turns() {
  const connection = await deepgram.listen.v2.connect({
    ...{ model: "flux-general-en", encoding: "linear16", sample_rate: 16_000, eager_eot_threshold: 0.4 },
    Authorization: `Token ${key}`,
  });
  const heard = [];
  const configured = [];
  const over = new Promise((resolve, reject) => {
    connection.on("message", (message) => {
      if (message.type === "Error") reject(new Error(message.description));
      if (message.type.startsWith("Configure")) configured.push(message.type);
      if (message.event === "EndOfTurn") heard.push(message.transcript);
    });
    connection.on("close", resolve);
    connection.on("error", reject);
  });
  connection.connect();
  await connection.waitForOpen();
  connection.sendConfigure({ type: "Configure", thresholds: { eot_threshold: 0.6 } });
  for (let at = 0; at < spoken.length; at += STEP) connection.sendMedia(spoken.subarray(at, at + STEP));
  connection.sendForceEndTurn({ type: "ForceEndTurn" });
  connection.sendCloseStream({ type: "CloseStream" });
  await over;
  if (configured.join() !== "ConfigureSuccess") throw new Error(`it was configured: ${configured.join()}`);
  return heard.join(" ");
}

async function realtime(commitStrategy) {
  const connection = await elevenlabs.speechToText.realtime.connect({
    ...{
      modelId: MODEL,
      audioFormat: "pcm_16000",
      sampleRate: 16_000,
      commitStrategy,
      vadSilenceThresholdSecs: 0.5,
    },
  });
  const heard = new Promise((resolve, reject) => {
    connection.on("committed_transcript", ({ text }) => resolve(text));
    connection.on("error", (error) => reject(new Error(JSON.stringify(error))));
  });
  await new Promise((resolve) => connection.on("session_started", resolve));
  for (let at = 0; at < spoken.length; at += STEP)
    connection.send({ audioBase64: spoken.subarray(at, at + STEP).toString("base64"), sampleRate: 16_000 });
  if (commitStrategy === "manual") connection.commit();
  const text = await heard;
  connection.close();
  return text;
}

const CALLS = {
  "@deepgram/sdk listen.v1.media.transcribeFile": async () => {
    const answer = await deepgram.listen.v1.media.transcribeFile(wav, { model: MODEL, smart_format: true });
    return answer.results.channels[0].alternatives[0].transcript;
  },
  "@deepgram/sdk listen.v1.connect": listen,
  "@deepgram/sdk listen.v2.connect": turns,
  "@elevenlabs/elevenlabs-js speechToText.convert": async () =>
    (await elevenlabs.speechToText.convert({ modelId: MODEL, file: new Blob([wav]), diarize: true })).text,
  "@elevenlabs/elevenlabs-js speechToText.realtime, manual": () => realtime("manual"),
  "@elevenlabs/elevenlabs-js speechToText.realtime, vad": () => realtime("vad"),
  "@ai-sdk/deepgram transcription": async () => {
    const model = createDeepgram({ apiKey: key, fetch: here }).transcription(MODEL);
    return (await transcribe({ model, audio: wav })).text;
  },
  "@ai-sdk/elevenlabs transcription": async () => {
    const model = createElevenLabs({ apiKey: key, fetch: here }).transcription(MODEL);
    return (await transcribe({ model, audio: wav })).text;
  },
};

for (const [name, call] of Object.entries(CALLS)) {
  const result = await call().then(
    (heard) => ({ heard }),
    (error) => ({ failed: String(error?.stack ?? error).slice(0, 500) }),
  );
  console.log(JSON.stringify({ name, ...result }));
}
process.exit();
