/** Synthesized sound as a live client reads it: PCM at its own rate, G.711, or one stream of an encoder. */
import type { ClipFormat } from "../audio/formats.ts";
import { encodeAlaw, encodeUlaw } from "../audio/g711.ts";
import { toFloat, toInt16 } from "../audio/pcm.ts";
import { TTS_SAMPLE_RATE } from "../audio/rates.ts";
import { Resampler } from "../audio/resample/resample.ts";
import type { LiveFormat } from "../engine/protocol/live-format.ts";
import type { Claim } from "../engine/runner.ts";
import type { Encoders } from "./encoders.ts";

/** `push` takes 16-bit samples of any length at `TTS_SAMPLE_RATE`; `finish` returns what is left of the stream. */
type LiveSound = { push(samples: Int16Array): Uint8Array; finish(): Uint8Array };

/** The same of an encoder, on its thread. `close` frees it before its end. */
export type EncodedSound = {
  push(samples: Int16Array): Uint8Array | Promise<Uint8Array>;
  finish(): Uint8Array | Promise<Uint8Array>;
  close(): void;
};

const G711_RATE = 8000;

export async function openSound(
  encoders: Encoders,
  format: LiveFormat | ClipFormat,
  claim: Claim,
): Promise<EncodedSound> {
  if ("type" in format) return { ...openLiveSound(format), close: () => {} };
  const encoding = await encoders.open({ ...format, sampleCount: null }, claim);
  return {
    push: (samples) => encoding.encode(toFloat(samples)),
    finish: async () => (await encoding.finish()).tail,
    close: () => encoding.close(),
  };
}

function openLiveSound(format: LiveFormat): LiveSound {
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
