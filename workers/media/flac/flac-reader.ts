/**
 * Reads FLAC. The decoder is ours: those of the registry are under the LGPL, or change
 * samples.
 *
 *   fLaC │ STREAMINFO │ other blocks │ frame │ frame …
 *
 * Bytes that are no frame are passed over, and become silence: frames are numbered. Where searching takes too long, the file
 * is refused.
 */

import type { DecodeReport } from "../../../src/engine/media/decode-report.ts";
import { type Block, GAP_SECONDS_MAX, silenceLike } from "../source/block.ts";
import type { Cursor } from "../source/cursor.ts";
import { DecodeFailure, restBehind } from "../source/source.ts";
import {
  type FlacFrame,
  parseStreamInfo,
  readFlacFrame,
  STREAM_INFO_BYTES,
  type StreamInfo,
} from "./flac-frame.ts";

const WINDOW_BYTES = 64 * 1024;
const FRAME_BYTES_MAX = 4 * 1024 * 1024; // 65,535 samples of eight channels with 32 bits, and their headers
const SEARCHED_BYTES_MAX = 1024 * 1024 * 1024; // in frames that turned out to be damaged

/** Null where these bytes are not FLAC. */
export function openFlac(cursor: Cursor, report: DecodeReport): Generator<Block> | null {
  if (cursor.peek(4).toString("latin1") !== "fLaC") return null;
  cursor.skip(4);
  return readFlac(cursor, report);
}

function* readFlac(cursor: Cursor, report: DecodeReport): Generator<Block> {
  const info = readBlocks(cursor);
  if (info.sampleCount > 0) report.declaredSeconds = info.sampleCount / info.sampleRate;
  const search = { leftBytes: SEARCHED_BYTES_MAX };
  /** Where the next frame begins by what was read, in samples, and by how much its number may differ. */
  let [count, shift] = [0, 0];
  let end = cursor.position;
  while (!cursor.isAtEnd) {
    const frame = frameAt(cursor, info, search);
    if (frame === null) {
      skipToSync(cursor);
      continue;
    }
    cursor.skip(frame.sizeBytes);
    end = cursor.position;
    const gap = (frame.isVariable ? frame.number : frame.number * info.blockSize) + shift - count;
    if (gap < 0 || gap > GAP_SECONDS_MAX * frame.sampleRate)
      shift -= gap; // a joined file
    else if (gap > 0) {
      yield* silenceLike(frame, gap);
      report.lostSeconds = (report.lostSeconds ?? 0) + gap / frame.sampleRate;
      count += gap;
    }
    yield frame;
    count += frame.channels[0]!.length;
  }
  report.unreadBytes = restBehind(cursor.source, end);
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

function frameAt(cursor: Cursor, info: StreamInfo, search: { leftBytes: number }): FlacFrame | null {
  for (let size = WINDOW_BYTES; ; size *= 8) {
    const bytes = cursor.peek(size);
    const frame = readFlacFrame(bytes, info);
    if (frame === null) search.leftBytes -= isSync(bytes) ? bytes.length : 2;
    if (search.leftBytes < 0) throw new DecodeFailure("unreadable");
    if (frame !== null || bytes.length < size || size >= FRAME_BYTES_MAX) return frame;
    if (!isSync(bytes)) return null; // it does not begin here, however long it is
  }
}

const isSync = (bytes: Uint8Array) => bytes[0] === 0xff && (bytes[1]! & 0xfe) === 0xf8;

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
