/**
 * MP3: LAME at 64 kbit/s mono, behind an Info frame that declares the exact length of the clip.
 *
 *   Info frame │ 576 of delay · the clip · padding to whole frames
 *
 * Frames are counted from the samples, so a clip of known length has a true Info frame from its first byte.
 */
import { createMp3Encoder } from "wasm-media-encoders";
import type { Encoder, EncoderOptions } from "./encoder.ts";

const BITRATE = 64;
const FRAME_SAMPLES = 576; // MPEG-2 layer III
const DELAY = 576; // LAME's own; decoders add theirs
const FRAME_HEADER = [0xff, 0xf3, 0x84, 0xc4]; // MPEG-2 layer III, 64 kbit/s, 24 kHz, mono
const FRAME_BYTES = (72 * BITRATE * 1000) / 24_000;
const INFO_AT = 13; // behind the frame header and 9 bytes of side information

export async function openMp3({ sampleRate, sampleCount }: EncoderOptions): Promise<Encoder> {
  if (sampleRate !== 24_000) throw new Error(`mp3 is written at 24 kHz, not ${sampleRate}`);
  const lame = await createMp3Encoder();
  lame.configure({ sampleRate, channels: 1, bitrate: BITRATE });
  let count = 0;
  let begun = false;
  const behindInfo = (bytes: Uint8Array): Uint8Array => {
    if (begun) return bytes.slice();
    begun = true;
    return Buffer.concat([infoFrame(sampleCount ?? 0), bytes]);
  };
  return {
    encode(samples) {
      count += samples.length;
      return behindInfo(samples.length > 0 ? lame.encode([samples]) : new Uint8Array(0));
    },
    finish: () => ({ tail: behindInfo(lame.finalize()), head: infoFrame(count) }),
  };
}

function infoFrame(sampleCount: number): Uint8Array {
  const frames = Math.ceil(sampleCount / FRAME_SAMPLES) + 2;
  const padding = frames * FRAME_SAMPLES - DELAY - sampleCount;
  const frame = new DataView(new ArrayBuffer(FRAME_BYTES));
  for (const [index, byte] of FRAME_HEADER.entries()) frame.setUint8(index, byte);
  ascii(frame, INFO_AT, "Info");
  frame.setUint32(INFO_AT + 4, 0b11); // frames and bytes follow
  frame.setUint32(INFO_AT + 8, frames);
  frame.setUint32(INFO_AT + 12, (frames + 1) * FRAME_BYTES);
  const lameAt = INFO_AT + 16;
  ascii(frame, lameAt, "LAME3.100");
  frame.setUint8(lameAt + 9, 0x01); // constant bitrate
  frame.setUint8(lameAt + 20, BITRATE);
  frame.setUint8(lameAt + 21, DELAY >> 4); // two fields of 12 bits
  frame.setUint8(lameAt + 22, ((DELAY & 0x0f) << 4) | (padding >> 8));
  frame.setUint8(lameAt + 23, padding & 0xff);
  frame.setUint32(lameAt + 28, (frames + 1) * FRAME_BYTES);
  return new Uint8Array(frame.buffer);
}

function ascii(view: DataView, offset: number, text: string): void {
  for (let i = 0; i < text.length; i++) view.setUint8(offset + i, text.charCodeAt(i));
}
