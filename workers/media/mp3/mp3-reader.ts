/**
 * Reads MP3: frames are found here and decoded by minimp3, one at a time.
 *
 * An Info frame says how many samples the encoder and the decoder have put before and behind the sound; they are left out.
 * In joined files another one follows, and begins anew; frames behind those that it counts are sound. A frame that needs an
 * earlier one that is missing is silence.
 */

import type { DecodeReport } from "../../../src/engine/media/decode-report.ts";
import { type Block, cut } from "../source/block.ts";
import type { Cursor } from "../source/cursor.ts";
import { restBehind } from "../source/source.ts";
import { MINIMP3_BASE64 } from "./minimp3-module.ts";
import { findMpeg, type MpegFrame, mpegFrames } from "./mpeg-frames.ts";

/** See `scripts/minimp3/minimp3.c`. Offsets are in its memory. */
type Minimp3 = {
  memory: WebAssembly.Memory;
  frame_offset(): number;
  pcm_offset(): number;
  decode(frameBytes: number): number;
  channel_count(): number;
};

const MINIMP3 = Uint8Array.fromBase64(MINIMP3_BASE64);

/** Null where these bytes are not MP3. */
export function openMp3(cursor: Cursor, report: DecodeReport): Generator<Block> | null {
  return findMpeg(cursor) ? readMp3(cursor, report) : null;
}

function* readMp3(cursor: Cursor, report: DecodeReport): Generator<Block> {
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(MINIMP3));
  const native = exports as unknown as Minimp3;
  let sound = ALL_SOUND;
  let count = 0;
  const frames = mpegFrames(cursor);
  let next = frames.next();
  for (; !next.done; next = frames.next()) {
    const frame = next.value;
    const { sampleCount, sampleRate, bytes, skippedBytes } = frame;
    const info = infoOf(frame);
    if (info !== null) {
      sound = info;
      count = 0;
      if (Number.isFinite(sound.end))
        report.declaredSeconds = (report.declaredSeconds ?? 0) + (sound.end - sound.start) / sampleRate;
      continue;
    }
    report.lostSeconds =
      (report.lostSeconds ?? 0) + (skippedBytes / bytes.length) * (sampleCount / sampleRate);
    const block = decodeFrame(native, frame);
    const from = Math.min(Math.max(0, sound.start - count), sampleCount);
    yield cut(block, from, count < sound.total ? Math.min(sound.end - count, sampleCount) : sampleCount);
    count += sampleCount;
  }
  report.unreadBytes = restBehind(cursor.source, next.value);
}

/** A frame that cannot be decoded leaves silence. */
function decodeFrame(native: Minimp3, { bytes, sampleCount, sampleRate }: MpegFrame): Block {
  const { buffer } = native.memory;
  new Uint8Array(buffer).set(bytes, native.frame_offset());
  const decodedCount = Math.min(native.decode(bytes.length), sampleCount);
  const channelCount = Math.max(1, native.channel_count());
  const pcm = new Int16Array(buffer, native.pcm_offset(), decodedCount * channelCount);
  const channels = Array.from({ length: channelCount }, () => new Float32Array(sampleCount));
  for (let i = 0; i < pcm.length; i++)
    channels[i % channelCount]![Math.floor(i / channelCount)] = pcm[i]! / 32_768;
  return { channels, sampleRate, layout: null };
}

const DECODER_DELAY = 529;
const INFO_INITIAL = 0x49;
const XING_INITIAL = 0x58;

/** The samples that are the sound: from `start` to `end` of the `total` that the encoder has counted, and all behind those. */
type Sound = { start: number; end: number; total: number };

const ALL_SOUND: Sound = {
  start: 0,
  end: Number.POSITIVE_INFINITY,
  total: Number.POSITIVE_INFINITY,
};

/**
 * What the Info frame of LAME and others says: which samples are the sound, and how long it is. Null for a frame with sound
 * of its own.
 */
function infoOf({ bytes, infoOffset, sampleCount }: MpegFrame): Sound | null {
  if (bytes[infoOffset] !== INFO_INITIAL && bytes[infoOffset] !== XING_INITIAL) return null;
  const info = Buffer.from(bytes.subarray(infoOffset));
  const name = info.toString("latin1", 0, 4);
  if (name !== "Info" && name !== "Xing") return null;
  const flags = info.length >= 12 ? info.readUInt32BE(4) : 0;
  const total = (flags & 1) === 0 ? Number.POSITIVE_INFINITY : info.readUInt32BE(8) * sampleCount;
  const sizes = [4, 4, 100, 4]; // frames, bytes, table of contents, quality
  const tagOffset = sizes.reduce((sum, size, bit) => sum + ((flags >> bit) & 1) * size, 8);
  if (
    info.length < tagOffset + 24 ||
    !/^(LAME|Lavf|Lavc)/.test(info.toString("latin1", tagOffset, tagOffset + 4))
  )
    return { start: 0, end: total, total };
  const fields = info.readUIntBE(tagOffset + 21, 3); // two of 12 bits
  const start = (fields >> 12) + DECODER_DELAY;
  return { start, end: total - (fields & 0xfff) + DECODER_DELAY, total };
}
