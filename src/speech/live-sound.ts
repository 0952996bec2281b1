/** Synthesized sound as a live client reads it: PCM at its own rate, or G.711. */
import { encodeAlaw, encodeUlaw } from "../audio/g711.ts";
import { toFloat, toInt16 } from "../audio/pcm.ts";
import { TTS_SAMPLE_RATE } from "../audio/rates.ts";
import { Resampler } from "../audio/resample/resample.ts";
import type { LiveFormat } from "../engine/protocol/vad.ts";

/** `push` takes 16-bit samples of any length at `TTS_SAMPLE_RATE`; `finish` returns what is left of the stream. */
export type LiveSound = { push(samples: Int16Array): Uint8Array; finish(): Uint8Array };

const G711_RATE = 8000;

export function openLiveSound(format: LiveFormat): LiveSound {
  const rate = format.type === "audio/pcm" ? format.rate : G711_RATE;
  if (format.type === "audio/pcm" && rate === TTS_SAMPLE_RATE)
    return { push: bytesOf, finish: () => new Uint8Array(0) };
  const encode = encoderOf(format.type);
  const resampler = new Resampler(TTS_SAMPLE_RATE, rate);
  return {
    push: (samples) => encode(resampler.push(toFloat(samples))),
    finish: () => encode(resampler.finish()),
  };
}

const bytesOf = ({ buffer, byteOffset, byteLength }: Int16Array): Uint8Array =>
  new Uint8Array(buffer as ArrayBuffer, byteOffset, byteLength);

function encoderOf(type: LiveFormat["type"]): (samples: Float32Array) => Uint8Array {
  if (type === "audio/pcmu") return encodeUlaw;
  if (type === "audio/pcma") return encodeAlaw;
  return (samples) => bytesOf(toInt16(samples));
}
