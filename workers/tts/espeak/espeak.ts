/**
 * The engine of the family `espeak`: voices of many languages, in its own process because eSpeak NG is GPL.
 *
 * It reads its data, is confined, and ends when the server closes the channel. Resamples 22.05 kHz to 24 kHz.
 */
import { toFloat } from "../../../src/audio/pcm.ts";
import { TTS_SAMPLE_RATE } from "../../../src/audio/rates.ts";
import { resample } from "../../../src/audio/resample.ts";
import type { SynthesisTask } from "../../../src/engine/protocol/synthesis.ts";
import { espeakText } from "../../g2p/espeak-text.ts";
import { openEspeak } from "../../g2p/open-espeak.ts";
import { serveTasks } from "../../sandbox/serve-tasks.ts";
import { amplify, parseProsody } from "../prosody.ts";
import { timeStretch } from "../time-stretch.ts";
import { trimEdges } from "../trim-silence.ts";

const NATURAL_WPM = 175;
const RATE_RANGE = { min: 0.45, max: 2.5 }; // what its rate control really spans, as a factor of the natural pace
const NATURAL_PITCH = 50;

const { espeak } = await openEspeak();
serveTasks(synthesize);

function synthesize({ text, language, speaker, speed, instructions }: SynthesisTask): Float32Array {
  if (!/[\p{L}\p{N}]/u.test(text)) return new Float32Array(0);
  const { rate, pitch, gain } = parseProsody(instructions);
  if (espeak.set_voice(speaker) !== 0) throw new Error(`eSpeak NG has no voice ${speaker}`);
  const pace = Math.min(RATE_RANGE.max, Math.max(RATE_RANGE.min, speed * rate));
  espeak.set_rate(Math.round(NATURAL_WPM * pace));
  espeak.set_pitch(Math.min(99, Math.round(NATURAL_PITCH * pitch)));
  const native = nativeSamples(plainText(espeakText(text, language)));
  const paced = timeStretch(native, (speed * rate) / pace, espeak.get_samplerate());
  const samples = trimEdges(resample(paced, espeak.get_samplerate(), TTS_SAMPLE_RATE), TTS_SAMPLE_RATE);
  amplify(samples, gain);
  return samples;
}

/** Markup and phoneme notation are read as plain words, never interpreted. */
const plainText = (text: string) => text.replace(/[<>[\]\\|{}]/g, " ").replaceAll("\0", " ");

function nativeSamples(text: string): Float32Array {
  const chunks: Int16Array[] = [];
  espeak.synthesize(text, (audio) => {
    if (audio) chunks.push(audio); // a copy of its own
    return 0;
  });
  const samples = new Float32Array(chunks.reduce((sum, { length }) => sum + length, 0));
  let offset = 0;
  for (const chunk of chunks) {
    samples.set(toFloat(chunk), offset);
    offset += chunk.length;
  }
  return samples;
}
