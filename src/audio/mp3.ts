/**
 * MP3: LAME in mono at a constant bitrate, behind an Info frame that declares the delay, and the exact length of the clip
 * where it is known: a decoder would cut off what exceeds a length.
 *
 *   Info frame │ delay · the clip · padding to whole frames
 *
 * Frames are counted from the samples, so a clip of known length has a true Info frame from its first byte. Of frames that
 * differ in length, at 22.05 and 44.1 kHz, it has none.
 */
import { createMp3Encoder } from "wasm-media-encoders";
import type { Encoder, EncoderOptions } from "./encoder.ts";

const BITRATE = 64_000;
const DELAY = 576; // LAME's own; decoders add theirs
const UNKNOWN = 0xffff_ffff;
const KBIT = 1000;

/** MPEG-1 has rates from 32 kHz on; MPEG-2 those below. `infoAt`: behind the frame header and its side information. */
const MPEG_1 = {
  version: 0xfb,
  frameSamples: 1152,
  infoAt: 21,
  rates: [44_100, 48_000, 32_000],
  kbits: [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
};
const MPEG_2 = {
  version: 0xf3,
  frameSamples: 576,
  infoAt: 13,
  rates: [22_050, 24_000, 16_000],
  kbits: [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
};

/** `bytes`: of a frame without padding, which is each where `isEven`. */
type Layout = typeof MPEG_1 & { sampleRate: number; kbit: number; bytes: number; isEven: boolean };

/** Of clips that have ended: to make one takes longer than to encode a second of speech. */
const idle: Awaited<ReturnType<typeof createMp3Encoder>>[] = [];
const IDLE_MAX = 4;

export async function openMp3({
  sampleRate,
  sampleCount,
  bitrate = BITRATE,
}: EncoderOptions): Promise<Encoder> {
  const layout = layoutOf(sampleRate, bitrate / KBIT);
  const lame = idle.pop() ?? (await createMp3Encoder());
  const rates = { sampleRate, outputSampleRate: sampleRate as 24_000 };
  lame.configure({ ...rates, channels: 1, bitrate: layout.kbit as 64 });
  const infoOf = (count: number | null) => infoFrame(layout, layout.isEven ? count : null);
  let count = 0;
  let begun = false;
  const behindInfo = (bytes: Uint8Array): Uint8Array => {
    if (begun) return bytes.slice();
    begun = true;
    return Buffer.concat([infoOf(sampleCount), bytes]);
  };
  return {
    encode(samples) {
      count += samples.length;
      return behindInfo(samples.length > 0 ? lame.encode([samples]) : new Uint8Array(0));
    },
    finish() {
      const tail = behindInfo(lame.finalize());
      if (idle.length < IDLE_MAX) idle.push(lame);
      return { tail, head: infoOf(count) };
    },
  };
}

function layoutOf(sampleRate: number, kbit: number): Layout {
  const layer = [MPEG_1, MPEG_2].find(({ rates }) => rates.includes(sampleRate));
  if (!layer?.kbits.includes(kbit)) throw new Error(`mp3 is not written at ${sampleRate} Hz, ${kbit} kbit/s`);
  const bytes = (layer.frameSamples / 8) * ((kbit * KBIT) / sampleRate);
  const isEven = Number.isInteger(bytes) && layer === MPEG_2;
  return { ...layer, sampleRate, kbit, bytes: Math.floor(bytes), isEven };
}

/** `sampleCount` null: not known. */
function infoFrame(layout: Layout, sampleCount: number | null): Uint8Array {
  const { infoAt, frameSamples } = layout;
  const frame = new DataView(new ArrayBuffer(layout.bytes));
  for (const [index, byte] of headerOf(layout).entries()) frame.setUint8(index, byte);
  ascii(frame, infoAt, "Info");
  const { kbit } = layout;
  if (sampleCount === null) {
    frame.setUint32(infoAt + 4, 0b10); // bytes alone follow: with neither, FFmpeg takes this frame for sound
    frame.setUint32(infoAt + 8, UNKNOWN);
    return withEncoder(frame, { at: infoAt + 12, padding: 0, kbit, bytes: UNKNOWN });
  }
  const frames = Math.ceil(sampleCount / frameSamples) + 2;
  frame.setUint32(infoAt + 4, 0b11); // frames and bytes follow
  frame.setUint32(infoAt + 8, frames);
  const bytes = (frames + 1) * layout.bytes;
  frame.setUint32(infoAt + 12, bytes);
  const padding = frames * frameSamples - DELAY - sampleCount;
  return withEncoder(frame, { at: infoAt + 16, padding, kbit, bytes });
}

/** Of layer III without a checksum, mono, an original. */
function headerOf({ version, kbits, kbit, rates, sampleRate }: Layout): number[] {
  const rate = (kbits.indexOf(kbit) + 1) << 4;
  return [0xff, version, rate | (rates.indexOf(sampleRate) << 2), 0xc4];
}

/** The name of the encoder, and how many samples to leave out at both ends. */
function withEncoder(
  frame: DataView,
  { at, padding, kbit, bytes }: Record<"at" | "padding" | "kbit" | "bytes", number>,
) {
  ascii(frame, at, "LAME3.100");
  frame.setUint8(at + 9, 0x01); // constant bitrate
  frame.setUint8(at + 20, kbit);
  frame.setUint8(at + 21, DELAY >> 4); // two fields of 12 bits
  frame.setUint8(at + 22, ((DELAY & 0x0f) << 4) | (padding >> 8));
  frame.setUint8(at + 23, padding & 0xff);
  frame.setUint32(at + 28, bytes);
  return new Uint8Array(frame.buffer);
}

function ascii(view: DataView, offset: number, text: string): void {
  for (let i = 0; i < text.length; i++) view.setUint8(offset + i, text.charCodeAt(i));
}
