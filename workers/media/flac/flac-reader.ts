/**
 * Reads FLAC. The decoder is ours: those of the registry are under the LGPL, or change
 * samples.
 *
 *   fLaC │ STREAMINFO │ other blocks │ frame │ frame …
 *
 * Bytes that are no frame are passed over, as far as a search for the next one; too many such places end the recording.
 */

import type { Block } from "../source/block.ts";
import type { Cursor } from "../source/cursor.ts";
import { DecodeFailure } from "../source/source.ts";
import {
  type FlacFrame,
  parseStreamInfo,
  readFlacFrame,
  STREAM_INFO_BYTES,
  type StreamInfo,
} from "./flac-frame.ts";

const WINDOW_BYTES = 64 * 1024;
const FRAME_BYTES_MAX = 4 * 1024 * 1024; // 65,535 samples of eight channels with 32 bits, and their headers
const BAD_FRAMES_MAX = 1000;

/** Null where these bytes are not FLAC. */
export function openFlac(cursor: Cursor): Generator<Block> | null {
  if (cursor.peek(4).toString("latin1") !== "fLaC") return null;
  cursor.skip(4);
  return readFlac(cursor);
}

function* readFlac(cursor: Cursor): Generator<Block> {
  const info = readBlocks(cursor);
  for (let bad = 0; !cursor.isAtEnd && bad <= BAD_FRAMES_MAX; ) {
    const frame = frameAt(cursor, info);
    if (frame !== null) {
      cursor.skip(frame.sizeBytes);
      yield frame;
    } else {
      bad++;
      skipToSync(cursor);
    }
  }
}

/** The metadata, of which one block is needed. */
function readBlocks(cursor: Cursor): StreamInfo {
  let info: StreamInfo | null = null;
  for (let isLast = false; !isLast; ) {
    const head = cursor.peek(4 + STREAM_INFO_BYTES);
    if (head.length < 4) throw new DecodeFailure("unreadable");
    isLast = (head[0]! & 0x80) !== 0;
    if ((head[0]! & 0x7f) === 0 && head.length === 4 + STREAM_INFO_BYTES)
      info ??= parseStreamInfo(head.subarray(4));
    cursor.skip(4 + head.readUIntBE(1, 3));
  }
  if (info === null) throw new DecodeFailure("unreadable");
  return info;
}

function frameAt(cursor: Cursor, info: StreamInfo): FlacFrame | null {
  for (let size = WINDOW_BYTES; ; size *= 8) {
    const bytes = cursor.peek(size);
    const frame = readFlacFrame(bytes, info);
    if (frame !== null || bytes.length < size || size >= FRAME_BYTES_MAX) return frame;
    if (bytes[0] !== 0xff || (bytes[1]! & 0xfe) !== 0xf8) return null; // it does not begin here, however long it is
  }
}

function skipToSync(cursor: Cursor): void {
  while (!cursor.isAtEnd) {
    const bytes = cursor.peek(WINDOW_BYTES);
    for (let index = bytes.indexOf(0xff, 1); index >= 0; index = bytes.indexOf(0xff, index + 1)) {
      if (index + 1 < bytes.length && (bytes[index + 1]! & 0xfe) !== 0xf8) continue;
      cursor.skip(index);
      return;
    }
    cursor.skip(bytes.length);
  }
}
