/** What the Info frame of an MP3 file says: which samples are the sound, and how long it is. */
import type { MpegFrame } from "./mpeg-frames.ts";

const DECODER_DELAY = 529;
const INFO_INITIAL = 0x49;
const XING_INITIAL = 0x58;

/** The samples that are the sound: from `start` to `end` of the `total` that the encoder has counted, and all behind those. */
export type Sound = { start: number; end: number; total: number };

export const ALL_SOUND: Sound = {
  start: 0,
  end: Number.POSITIVE_INFINITY,
  total: Number.POSITIVE_INFINITY,
};

/** By the Info frame of LAME and others; null for a frame with sound of its own. */
export function infoOf({ bytes, infoOffset, sampleCount }: MpegFrame): Sound | null {
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
