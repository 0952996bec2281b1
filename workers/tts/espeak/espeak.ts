/**
 * The engine of the family `espeak`: voices of many languages, in its own process because eSpeak NG is GPL.
 *
 * It reads its data, is confined, and ends when the server closes the channel. Resamples 22.05 kHz to 24 kHz.
 *
 * The first two sentences of a process are slow, because code is compiled as it runs. So it synthesizes its first sentence
 * once more when it has nothing to do. To do so before it is needed would keep a process in memory that may never be.
 */
import { toFloat } from "../../../src/audio/pcm.ts";
import { TTS_SAMPLE_RATE } from "../../../src/audio/rates.ts";
import { resample } from "../../../src/audio/resample/resample.ts";
import { timeStretch } from "../../../src/audio/time-stretch.ts";
import type { SynthesisTask, TimedSamples } from "../../../src/engine/protocol/synthesis.ts";
import { espeakText } from "../../g2p/espeak-text.ts";
import { inLatin, writesHan } from "../../g2p/foreign-script.ts";
import { openEspeak } from "../../g2p/open-espeak.ts";
import { serveTasks } from "../../sandbox/serve-tasks.ts";
import { amplify } from "../level.ts";
import { prosodyOf } from "../prosody.ts";
import { trimEdges } from "../trim-silence.ts";
import { type SpeechEvent, wordsOfEvents } from "../words/events.ts";
import { afterFinishing } from "../words/spoken-words.ts";

const NATURAL_WPM = 175;
const RATE_RANGE = { min: 0.45, max: 2.5 }; // what its rate control really spans, as a factor of the natural pace
const NATURAL_PITCH = 50;

const WARM_AFTER_MS = 50; // a clip of several sentences warms itself

const { espeak } = await openEspeak();
let isWarm = false;
let voiceSet: string | null = null;
serveTasks((task: SynthesisTask) => {
  const result = synthesize(task);
  if (!isWarm) setTimeout(() => synthesize(task), WARM_AFTER_MS);
  isWarm = true;
  return result;
});

function synthesize(task: SynthesisTask): Float32Array | TimedSamples {
  const { text, language, speaker, speed } = task;
  if (!/[\p{L}\p{N}]/u.test(text)) return new Float32Array(0);
  const { rate, pitch, gain } = prosodyOf(task);
  setVoice(speaker);
  const pace = Math.min(RATE_RANGE.max, Math.max(RATE_RANGE.min, speed * rate));
  espeak.set_rate(Math.round(NATURAL_WPM * pace));
  espeak.set_pitch(Math.min(99, Math.round(NATURAL_PITCH * pitch)));
  const read = plainText(espeakText(writesHan(language) ? text : inLatin(text, () => []), language));
  const { native, events } = spoken(read);
  const nativeRate = espeak.get_samplerate();
  const paced = resample(timeStretch(native, (speed * rate) / pace, nativeRate), nativeRate, TTS_SAMPLE_RATE);
  const { samples, cut } = trimEdges(paced, TTS_SAMPLE_RATE);
  amplify(samples, gain);
  if (!task.words) return samples;
  const finishing = { scale: paced.length / native.length, cut, length: samples.length };
  return { samples, words: afterFinishing(wordsOfEvents({ text, read }, events, nativeRate), finishing) };
}

/** Setting a voice reads its files again. */
function setVoice(speaker: string): void {
  if (speaker === voiceSet) return;
  voiceSet = null;
  if (espeak.set_voice(speaker) !== 0) throw new Error(`eSpeak NG has no voice ${speaker}`);
  voiceSet = speaker;
}

/** Markup and phoneme notation are read as plain words, never interpreted. */
const plainText = (text: string) => text.replace(/[<>[\]\\|{}]/g, " ").replaceAll("\0", " ");

function spoken(text: string): { native: Float32Array; events: SpeechEvent[] } {
  const chunks: Int16Array[] = [];
  const events: SpeechEvent[] = [];
  espeak.synthesize(text, (audio, more) => {
    if (audio) chunks.push(audio); // a copy of its own
    events.push(...more);
    return 0;
  });
  const native = new Float32Array(chunks.reduce((sum, { length }) => sum + length, 0));
  let offset = 0;
  for (const chunk of chunks) {
    toFloat(chunk, native.subarray(offset, offset + chunk.length));
    offset += chunk.length;
  }
  return { native, events };
}
