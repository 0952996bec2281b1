/**
 * What an agent of LiveKit does with the defaults of its OpenAI plugin: it speaks, transcribes what it said, and listens
 * to it live. Writes what came of it as one line of JSON.
 */
import { initializeLogger, mergeFrames, stt } from "@livekit/agents";
import { STT, TTS } from "@livekit/agents-plugin-openai";
import { AudioFrame } from "@livekit/rtc-node";

const [baseURL, apiKey, text] = process.argv.slice(2);
const FRAME_MS = 50;
initializeLogger({ pretty: false, level: "error" });

async function speak() {
  const frames = [];
  for await (const { frame } of new TTS({ baseURL, apiKey }).synthesize(text)) frames.push(frame);
  return mergeFrames(frames);
}

async function transcribe(speech) {
  const recording = new STT({ baseURL, apiKey, useRealtime: false });
  const { alternatives } = await recording.recognize(speech);
  return alternatives[0].text;
}

/** Speech in frames, and a second without any, in which the plugin finds the end of what was spoken. */
function* framesOf({ data, sampleRate }) {
  const length = (sampleRate * FRAME_MS) / 1000;
  const samples = new Int16Array(data.length + sampleRate);
  samples.set(data);
  for (let start = 0; start + length <= samples.length; start += length)
    yield new AudioFrame(samples.slice(start, start + length), sampleRate, 1, length);
}

async function listen(speech) {
  const live = new STT({ baseURL, apiKey });
  const stream = live.stream();
  for (const frame of framesOf(speech)) stream.pushFrame(frame);
  for await (const { type, alternatives } of stream) {
    if (type !== stt.SpeechEventType.FINAL_TRANSCRIPT) continue;
    stream.close();
    return alternatives[0].text;
  }
}

const speech = await speak();
const seconds = speech.samplesPerChannel / speech.sampleRate;
const result = { seconds, recorded: await transcribe(speech), live: await listen(speech) };
process.stdout.write(`${JSON.stringify(result)}\n`, () => process.exit(0));
