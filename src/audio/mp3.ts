/**
 * MP3: LAME at 64 kbit/s mono, behind an Info frame that declares the delay, and the exact length of the clip where it is
 * known: a decoder would cut off what exceeds a length.
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
const UNKNOWN = 0xffff_ffff;
const INFO_AT = 13; // behind the frame header and 9 bytes of side information

/** Of clips that have ended: to make one takes longer than to encode a second of speech. */
const idle: Awaited<ReturnType<typeof createMp3Encoder>>[] = [];
const IDLE_MAX = 4;

export async function openMp3({ sampleRate, sampleCount }: EncoderOptions): Promise<Encoder> {
  if (sampleRate !== 24_000) throw new Error(`mp3 is written at 24 kHz, not ${sampleRate}`);
  const lame = idle.pop() ?? (await createMp3Encoder());
  lame.configure({ sampleRate, channels: 1, bitrate: BITRATE });
  let count = 0;
  let begun = false;
  const behindInfo = (bytes: Uint8Array): Uint8Array => {
    if (begun) return bytes.slice();
    begun = true;
    return Buffer.concat([infoFrame(sampleCount), bytes]);
  };
  return {
    encode(samples) {
      count += samples.length;
      return behindInfo(samples.length > 0 ? lame.encode([samples]) : new Uint8Array(0));
    },
    finish() {
      const tail = behindInfo(lame.finalize());
      if (idle.length < IDLE_MAX) idle.push(lame);
      return { tail, head: infoFrame(count) };
    },
  };
}

/** `sampleCount` null: not known yet. */
function infoFrame(sampleCount: number | null): Uint8Array {
  const frame = new DataView(new ArrayBuffer(FRAME_BYTES));
  for (const [index, byte] of FRAME_HEADER.entries()) frame.setUint8(index, byte);
  ascii(frame, INFO_AT, "Info");
  if (sampleCount === null) {
    frame.setUint32(INFO_AT + 4, 0b10); // bytes alone follow: with neither, FFmpeg takes this frame for sound
    frame.setUint32(INFO_AT + 8, UNKNOWN);
    return withEncoder(frame, { at: INFO_AT + 12, padding: 0, bytes: UNKNOWN });
  }
  const frames = Math.ceil(sampleCount / FRAME_SAMPLES) + 2;
  const bytes = (frames + 1) * FRAME_BYTES;
  frame.setUint32(INFO_AT + 4, 0b11); // frames and bytes follow
  frame.setUint32(INFO_AT + 8, frames);
  frame.setUint32(INFO_AT + 12, bytes);
  return withEncoder(frame, {
    at: INFO_AT + 16,
    padding: frames * FRAME_SAMPLES - DELAY - sampleCount,
    bytes,
  });
}

/** The name of the encoder, and how many samples to leave out at both ends. */
function withEncoder(frame: DataView, { at, padding, bytes }: Record<"at" | "padding" | "bytes", number>) {
  ascii(frame, at, "LAME3.100");
  frame.setUint8(at + 9, 0x01); // constant bitrate
  frame.setUint8(at + 20, BITRATE);
  frame.setUint8(at + 21, DELAY >> 4); // two fields of 12 bits
  frame.setUint8(at + 22, ((DELAY & 0x0f) << 4) | (padding >> 8));
  frame.setUint8(at + 23, padding & 0xff);
  frame.setUint32(at + 28, bytes);
  return new Uint8Array(frame.buffer);
}

function ascii(view: DataView, offset: number, text: string): void {
  for (let i = 0; i < text.length; i++) view.setUint8(offset + i, text.charCodeAt(i));
}
