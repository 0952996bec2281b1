/**
 * The engine of the family `espeak`: voices of many languages, in a process of its own because eSpeak NG is GPL.
 *
 *   { id, task } ──> this process ──> { id, samples } or { id, error }        one at a time, in order
 *
 * It reads what it needs, is confined, and ends when the server's end of the channel does. 22.05 kHz in, 24 kHz out.
 */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { toFloat } from "../../../src/audio/pcm.ts";
import { TTS_SAMPLE_RATE } from "../../../src/audio/rates.ts";
import { resample } from "../../../src/audio/resample.ts";
import type { SynthesisTask } from "../../../src/engine/protocol/task.ts";
import { confine } from "../../sandbox/confine.ts";
import { amplify, parseProsody } from "../prosody.ts";
import { timeStretch } from "../time-stretch.ts";
import { trimEdges } from "../trim-silence.ts";

type Espeak = {
  set_voice(name: string): number;
  set_rate(wordsPerMinute: number): void;
  set_pitch(percent: number): void;
  get_samplerate(): number;
  synthesize(text: string, heard: (audio: ArrayBufferView | null) => number): void;
};

const NATURAL_WPM = 175;
const REACH = { min: 0.45, max: 2.5 }; // what its rate control really spans, as a factor of the natural pace
const NATURAL_PITCH = 50;

const espeak = await load();
confine({ cpuSeconds: null });
process.on("message", ({ id, task }: { id: number; task: SynthesisTask }) => {
  try {
    process.send!({ id, samples: speak(task) });
  } catch (error) {
    process.send!({ id, error: String(error) });
  }
});
process.on("disconnect", () => process.exit(0));

async function load(): Promise<Espeak> {
  const name = "@echogarden/espeak-ng-emscripten";
  const data = readFileSync(fileURLToPath(import.meta.resolve(`${name}/espeak-ng.data`)));
  const { default: open } = await import(name);
  const module = await open({ getPreloadedPackage: () => data.buffer, print: () => {}, printErr: () => {} });
  return new module.eSpeakNGWorker();
}

function speak({ text, speaker, speed, instructions }: SynthesisTask): Float32Array {
  if (!/[\p{L}\p{N}]/u.test(text)) return new Float32Array(0);
  const { rate, pitch, gain } = parseProsody(instructions);
  if (espeak.set_voice(speaker) !== 0) throw new Error(`eSpeak NG has no voice ${speaker}`);
  const pace = Math.min(REACH.max, Math.max(REACH.min, speed * rate));
  espeak.set_rate(Math.round(NATURAL_WPM * pace));
  espeak.set_pitch(Math.min(99, Math.round(NATURAL_PITCH * pitch)));
  const native = synthesize(plain(text));
  const paced = timeStretch(native, (speed * rate) / pace, espeak.get_samplerate());
  const samples = trimEdges(resample(paced, espeak.get_samplerate(), TTS_SAMPLE_RATE), TTS_SAMPLE_RATE);
  amplify(samples, gain);
  return samples;
}

/** Markup and phoneme notation are read as plain words, never obeyed. */
const plain = (text: string) => text.replace(/[<>[\]\\|{}]/g, " ").replaceAll("\0", " ");

function synthesize(text: string): Float32Array {
  const chunks: Buffer[] = [];
  espeak.synthesize(text, (audio) => {
    if (audio) chunks.push(Buffer.from(Buffer.from(audio.buffer, audio.byteOffset, audio.byteLength)));
    return 0;
  });
  const bytes = Buffer.concat(chunks);
  return toFloat(new Int16Array(bytes.buffer, bytes.byteOffset, bytes.length >> 1));
}
