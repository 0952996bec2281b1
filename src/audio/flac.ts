/** FLAC, 16 bit: libFLAC, with the clip's length written into STREAMINFO as soon as it is known. */
import openFlacEncoder from "@audio/encode-flac";
import type { Encoder, EncoderOptions } from "./encoder.ts";
import { toInt16 } from "./pcm.ts";

const TOTAL_AT = 21; // 36 bits: the low nibble of this byte and the four after it
const FULL_SCALE = 32_767; // what the encoder multiplies by

export async function openFlac({ sampleRate, sampleCount }: EncoderOptions): Promise<Encoder> {
  const flac = await openFlacEncoder({ sampleRate, channels: 1, bitDepth: 16 });
  let count = 0;
  let header: Uint8Array | null = null; // the first bytes: signature and STREAMINFO
  const seen = (bytes: Uint8Array): Uint8Array => {
    if (header || bytes.length === 0) return bytes;
    const whole = withLength(bytes, sampleCount);
    header = whole.slice(0, TOTAL_AT + 5);
    return whole;
  };
  return {
    encode(samples) {
      count += samples.length;
      return seen(flac.encode([rounded(samples)]));
    },
    finish() {
      const tail = seen(flac.flush());
      return { tail, head: header && withLength(header, count) };
    },
  };
}

function rounded(samples: Float32Array): Float32Array {
  const integers = toInt16(samples);
  const out = new Float32Array(integers.length);
  for (let i = 0; i < out.length; i++) out[i] = integers[i]! / FULL_SCALE;
  return out;
}

function withLength(bytes: Uint8Array, sampleCount: number | null): Uint8Array {
  const copy = bytes.slice();
  if (sampleCount === null) return copy;
  copy[TOTAL_AT] = (copy[TOTAL_AT]! & 0xf0) | Math.floor(sampleCount / 2 ** 32);
  new DataView(copy.buffer).setUint32(TOTAL_AT + 1, sampleCount % 2 ** 32);
  return copy;
}
