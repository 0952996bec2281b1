/**
 * Finds the frames of MPEG audio layer III in a file: behind tags, and after damage.
 *
 *   ID3 … │ frame │ frame │ frame … │ TAG …
 *
 * A frame's header tells its size, so a header is believed where another one follows: the frames of a file have the same
 * version, layer and sampling rate.
 */
import type { Cursor } from "../source/cursor.ts";

/** Samples of each channel. `skippedBytes`: what was no frame and no tag before it. */
export type MpegFrame = {
  bytes: Uint8Array;
  sampleCount: number;
  sampleRate: number;
  infoOffset: number;
  skippedBytes: number;
};

const HEADER_BYTES = 4;
const FRAME_BYTES_MAX = 1441 + HEADER_BYTES; // 320 kbit/s at 32 kHz, and the header behind it
const KBITS = {
  mpeg1: [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  mpeg2: [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
};
const RATES = [44_100, 48_000, 32_000];
const VERSIONS = { mpeg25: 0, mpeg2: 2, mpeg1: 3 };
const LAYER_3 = 1;
const MONO = 3;
/** Of the first frame: by chance, so many headers do not follow each other. */
const FRAMES_EXPECTED = 4;
const ID3V1_BYTES = 128;
const SEARCHED_BYTES = 1024 * 1024;

type Header = { sizeBytes: number; sampleCount: number; sampleRate: number; infoOffset: number };

/** Null where the bytes are not a header of layer III; one without a bitrate ("free format") is not read. */
function headerOf(bytes: Uint8Array, offset: number): Header | null {
  if (offset + HEADER_BYTES > bytes.length) return null;
  const [sync, second, third, fourth] = bytes.subarray(offset, offset + HEADER_BYTES) as unknown as number[];
  if (sync !== 0xff || (second! & 0xe0) !== 0xe0) return null;
  const version = (second! >> 3) & 3;
  const rate = RATES[(third! >> 2) & 3];
  const isMpeg1 = version === VERSIONS.mpeg1;
  const kbits = (isMpeg1 ? KBITS.mpeg1 : KBITS.mpeg2)[third! >> 4];
  if (version === 1 || ((second! >> 1) & 3) !== LAYER_3 || !rate || !kbits) return null;
  const sampleRate = rate / (isMpeg1 ? 1 : version === VERSIONS.mpeg2 ? 2 : 4);
  const sampleCount = isMpeg1 ? 1152 : 576;
  const isMono = fourth! >> 6 === MONO;
  const sideBytes = isMpeg1 ? (isMono ? 17 : 32) : isMono ? 9 : 17;
  return {
    sizeBytes: Math.floor((sampleCount / 8) * ((kbits * 1000) / sampleRate)) + ((third! >> 1) & 1),
    sampleCount,
    sampleRate,
    infoOffset: HEADER_BYTES + sideBytes,
  };
}

const areAlike = (a: Header, b: Header) => a.sampleRate === b.sampleRate && a.sampleCount === b.sampleCount;

/** How many frames follow each other from here, at most `most`; infinite where they reach the end. */
function countFrames(bytes: Uint8Array, offset: number, most: number): number {
  const first = headerOf(bytes, offset);
  if (first === null) return 0;
  let position = offset + first.sizeBytes;
  for (let count = 1; count < most; count++) {
    if (position >= bytes.length) return Number.POSITIVE_INFINITY;
    const next = headerOf(bytes, position);
    if (next === null || !areAlike(first, next)) return count;
    position += next.sizeBytes;
  }
  return most;
}

/** Whether the bytes at the cursor are a file of layer III. Moves it behind tags and what else is before the first frame. */
export function findMpeg(cursor: Cursor): boolean {
  for (let size = tagBytes(cursor); size > 0; size = tagBytes(cursor)) cursor.skip(size);
  const start = cursor.position;
  const bytes = cursor.peek(SEARCHED_BYTES);
  for (let offset = 0; offset < bytes.length; offset++) {
    if (bytes[offset] !== 0xff) continue;
    const count = countFrames(bytes, offset, FRAMES_EXPECTED);
    const isFile = offset === 0 ? count > 1 : count >= FRAMES_EXPECTED && count < Number.POSITIVE_INFINITY;
    if (!isFile) continue;
    cursor.position = start + offset;
    return true;
  }
  return false;
}

/** The size of a tag that begins here, ID3v2 or ID3v1; 0 where none does. */
export function tagBytes(cursor: Cursor): number {
  const head = cursor.peek(10);
  const name = head.toString("latin1", 0, 3);
  if (name === "TAG") return ID3V1_BYTES;
  if (head.length < 10 || name !== "ID3") return 0;
  return 10 + head.subarray(6, 10).reduce((sum, byte) => sum * 128 + (byte & 0x7f), 0);
}

/** By another frame, by a tag, as in joined files, or by nothing. */
function isFollowed(bytes: Buffer, { sizeBytes }: Header): boolean {
  if (countFrames(bytes.subarray(0, sizeBytes + HEADER_BYTES), 0, 2) > 1) return true;
  return ["ID3", "TAG"].includes(bytes.toString("latin1", sizeBytes, sizeBytes + 3));
}

/** From the first frame on. Bytes that are no frame are passed over; returns where the last frame ends. */
export function* mpegFrames(cursor: Cursor): Generator<MpegFrame, number> {
  let end = cursor.position;
  let skippedBytes = 0;
  const skip = (sizeBytes: number) => {
    skippedBytes += sizeBytes;
    cursor.skip(sizeBytes);
  };
  while (!cursor.isAtEnd) {
    const bytes = cursor.peek(FRAME_BYTES_MAX);
    const header = headerOf(bytes, 0);
    if (header !== null && header.sizeBytes <= bytes.length && isFollowed(bytes, header)) {
      yield { ...header, bytes: bytes.subarray(0, header.sizeBytes), skippedBytes };
      cursor.skip(header.sizeBytes);
      end = cursor.position;
      skippedBytes = 0;
    } else if (header !== null && header.sizeBytes > bytes.length) {
      break; // the last frame is cut short
    } else if (tagBytes(cursor) > 0) {
      cursor.skip(tagBytes(cursor)); // of a joined file
    } else {
      const next = bytes.indexOf(0xff, 1);
      skip(next > 0 ? next : bytes.length);
    }
  }
  return end;
}
