/** Recordings of people who talk to each other: speech, and with it the tones by which the small graphs tell who speaks. */
import { toInt16, wavHeader } from "../../src/audio/pcm.ts";
import { ASR_SAMPLE_RATE } from "../../src/audio/rates.ts";
import { parseWav } from "../../src/audio/reading/wav-file.ts";
import { resample } from "../../src/audio/resample/resample.ts";
import { recordingOf } from "./families/speakers.ts";

/** One turn of a speaker, from WAV bytes. */
export type Saying = { speaker: number; wav: Uint8Array };

const PAUSE_SECONDS = 0.8;

/** One after the other, at 16 kHz. */
export function conversationOf(sayings: readonly Saying[]): Uint8Array {
  let start = PAUSE_SECONDS;
  const placed = sayings.map(({ speaker, wav }) => {
    const { samples, sampleRate } = parseWav(wav, 60)!;
    const speech = resample(samples, sampleRate, ASR_SAMPLE_RATE);
    const turn = { speaker, start, end: start + speech.length / ASR_SAMPLE_RATE };
    start = turn.end + PAUSE_SECONDS;
    return { speech, ...turn };
  });
  const samples = recordingOf(start, placed);
  for (const { speech, start } of placed) {
    const from = Math.round(start * ASR_SAMPLE_RATE);
    for (let at = 0; at < speech.length && from + at < samples.length; at++)
      samples[from + at]! += speech[at]!;
  }
  return wavOf(samples);
}

/** So many seconds of the voice of one speaker. */
export const voiceOf = (speaker: number, seconds: number): Uint8Array =>
  wavOf(recordingOf(seconds, [{ speaker, start: 0, end: seconds }]));

function wavOf(samples: Float32Array): Uint8Array {
  const pcm = toInt16(samples);
  return Buffer.concat([wavHeader(pcm.length, ASR_SAMPLE_RATE), new Uint8Array(pcm.buffer)]);
}
