/**
 * The plugins of LiveKit Agents for ElevenLabs and Deepgram, and the socket of Deepgram's own SDK that speaks: a line of
 * JSON for each call. Arguments: the server's URL, key, a recording in WAV (16 kHz, mono, 16 bits).
 */
import { readFileSync } from "node:fs";
import { DeepgramClient } from "@deepgram/sdk";
import { initializeLogger, mergeFrames, stt } from "@livekit/agents";
import * as deepgram from "@livekit/agents-plugin-deepgram";
import * as elevenlabs from "@livekit/agents-plugin-elevenlabs";
import { AudioFrame } from "@livekit/rtc-node";

const [url, apiKey, path] = process.argv.slice(-3);
const live = url.replace("http", "ws");
const VOICE = "female-warm";
const TEXT = "Good morning, dear world. How are you today?";
const MODEL = "svc-stt1";
const RATE = 16_000;
const STEP = RATE / 10;
initializeLogger({ pretty: false, level: "silent" });

const recorded = new Int16Array(readFileSync(path).buffer.slice(44));
const padded = new Int16Array(recorded.length + 2 * RATE);
padded.set(recorded);
const frames = () =>
  Array.from(
    { length: Math.floor(padded.length / STEP) },
    (_, index) => new AudioFrame(padded.slice(index * STEP, (index + 1) * STEP), RATE, 1, STEP),
  );

const secondsOf = (parts) => {
  const { samplesPerChannel, sampleRate } = mergeFrames(parts);
  return samplesPerChannel / sampleRate;
};

async function whole(tts) {
  const parts = [];
  for await (const { frame } of tts.synthesize(TEXT)) parts.push(frame);
  return { seconds: secondsOf(parts) };
}

async function streamed(tts) {
  const stream = tts.stream();
  for (const word of TEXT.split(" ")) stream.pushText(`${word} `);
  stream.endInput();
  const parts = [];
  for await (const part of stream) if (typeof part !== "symbol") parts.push(part.frame);
  return { seconds: secondsOf(parts) };
}

async function recognized(client) {
  const { alternatives } = await client.recognize(frames());
  return { heard: alternatives[0].text };
}

async function listened(client) {
  const stream = client.stream();
  for (const frame of frames()) stream.pushFrame(frame);
  for await (const { type, alternatives } of stream) {
    if (type !== stt.SpeechEventType.FINAL_TRANSCRIPT) continue;
    stream.close();
    return { heard: alternatives[0].text };
  }
}

async function spoken() {
  const environment = { base: url, production: live, agent: live, agentRest: url };
  const connection = await new DeepgramClient({ apiKey, environment }).speak.v1.connect({
    ...{ model: VOICE, encoding: "linear16", sample_rate: 24_000 },
    Authorization: `Token ${apiKey}`,
  });
  const types = [];
  let bytes = 0;
  const over = new Promise((resolve, reject) => {
    connection.on("message", (message) => {
      if (message.type === undefined || message instanceof Blob) bytes += message.byteLength ?? message.size;
      else types.push(message.type);
      if (message.type === "Flushed") connection.sendClose({ type: "Close" });
    });
    connection.on("close", resolve);
    connection.on("error", reject);
  });
  connection.connect();
  await connection.waitForOpen();
  for (const word of TEXT.split(" ")) connection.sendText({ type: "Speak", text: `${word} ` });
  connection.sendFlush({ type: "Flush" });
  await over;
  connection.close();
  if (types.join() !== "Metadata,Flushed") throw new Error(`it told ${types.join()}`);
  return { bytes };
}

const ofElevenLabs = { apiKey, baseURL: `${url}/v1` };
const speaker = () => new elevenlabs.TTS({ ...ofElevenLabs, voiceId: VOICE, model: "svc-tts1" });
const deepgramSpeaker = () => new deepgram.TTS({ apiKey, baseUrl: url, model: VOICE });
const listener = (options) => new elevenlabs.STT({ ...ofElevenLabs, ...options });
const deepgramListener = () => new deepgram.STT({ apiKey, baseUrl: live, model: MODEL });

const CALLS = {
  "elevenlabs TTS.synthesize": () => whole(speaker()),
  "elevenlabs TTS.stream": () => streamed(speaker()),
  "elevenlabs TTS.listVoices": async () => ({
    heard: (await speaker().listVoices()).map(({ id }) => id).join(" "),
  }),
  "elevenlabs STT.recognize": () => recognized(listener({ model: MODEL, useRealtime: false })),
  "elevenlabs STT.stream": () =>
    listened(listener({ model: "scribe_v2_realtime", serverVad: { vadSilenceThresholdSecs: 0.5 } })),
  // its TTS.synthesize asks port 443 by https, whatever the address says
  "deepgram TTS.stream": () => streamed(deepgramSpeaker()),
  "deepgram STT.recognize": () => recognized(deepgramListener()),
  "deepgram STT.stream": () => listened(deepgramListener()),
  "deepgram STTv2.stream": () =>
    listened(new deepgram.STTv2({ apiKey, endpointUrl: `${live}/v2/listen`, model: "flux-general-en" })),
  "@deepgram/sdk speak.v1.connect": spoken,
};

for (const [name, call] of Object.entries(CALLS)) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error("nothing came of it")), 60_000);
  });
  const result = await Promise.race([call(), late]).catch((error) => ({
    failed: String(error?.stack ?? error).slice(0, 500),
  }));
  clearTimeout(timer);
  console.log(JSON.stringify({ name, ...result }));
}
process.exit();
