/**
 * Whether the log of a SQLite database (WAL) has lost what was committed. SQLite reads it up to the first damaged frame, says
 * nothing, and then writes over the rest. See https://www.sqlite.org/fileformat2.html#walformat
 *
 *   header 32 │ frame: header 24 (salts at 8, checksums at 16), page │ frame │ … │ frames of an earlier round: other salts
 *
 * A crash leaves a torn end. A frame of this round behind a damaged one was committed, or might have been.
 */
import { closeSync, copyFileSync, existsSync, openSync, readSync } from "node:fs";

const HEADER_BYTES = 32;
const FRAME_HEAD_BYTES = 24;
const PAGE_BYTES = { min: 512, max: 65_536 };
const MAGIC = 0x377f0682; // its last bit: checksums are of big-endian words
const READ_BYTES = 1024 * 1024;

/** Keeps a copy of a damaged log and returns its path; null where the log is whole, or there is none. */
export function keepDamagedLog(path: string): string | null {
  if (!existsSync(path) || !isDamaged(path)) return null;
  const kept = `${path}.damaged`;
  copyFileSync(path, kept);
  return kept;
}

function isDamaged(path: string): boolean {
  const file = openSync(path, "r");
  try {
    return hasLost(file);
  } finally {
    closeSync(file);
  }
}

function hasLost(file: number): boolean {
  const head = Buffer.alloc(HEADER_BYTES + FRAME_HEAD_BYTES);
  if (fill(file, head, 0) < head.length) return false; // nothing was committed to it
  const isBig = (head.readUInt32BE(0) & 1) === 1;
  const pageBytes = head.readUInt32BE(8);
  let sums: Sums = [0, 0];
  const isNext = (expected: Buffer, ...parts: Buffer[]) => {
    for (const part of parts) sums = added(sums, part, isBig);
    return expected.readUInt32BE(0) === sums[0] && expected.readUInt32BE(4) === sums[1];
  };
  const isLog =
    (head.readUInt32BE(0) & ~1) === MAGIC && pageBytes >= PAGE_BYTES.min && pageBytes <= PAGE_BYTES.max;
  if (!isLog || !isNext(head.subarray(24, 32), head.subarray(0, 24))) return true;
  let isBroken = false;
  for (const frame of framesOf(file, FRAME_HEAD_BYTES + pageBytes)) {
    const isOfRound = head.compare(frame, 8, 16, 16, 24) === 0;
    if (isBroken && isOfRound) return true;
    isBroken ||=
      !isOfRound || !isNext(frame.subarray(16), frame.subarray(0, 8), frame.subarray(FRAME_HEAD_BYTES));
  }
  return false;
}

/** The whole frames of a file, which may be larger than memory; each is valid until the next one. */
function* framesOf(file: number, frameBytes: number): Generator<Buffer> {
  const piece = Buffer.alloc(frameBytes * Math.max(1, Math.floor(READ_BYTES / frameBytes)));
  for (let position = HEADER_BYTES; ; position += piece.length) {
    const filled = fill(file, piece, position);
    for (let at = 0; at + frameBytes <= filled; at += frameBytes) yield piece.subarray(at, at + frameBytes);
    if (filled < piece.length) return;
  }
}

/** Returns how many bytes there were. */
function fill(file: number, piece: Buffer, position: number): number {
  for (let filled = 0; ; ) {
    const count = readSync(file, piece, filled, piece.length - filled, position + filled);
    filled += count;
    if (count === 0 || filled === piece.length) return filled;
  }
}

type Sums = readonly [number, number];

function added([first, second]: Sums, bytes: Buffer, isBig: boolean): Sums {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  let [one, two] = [first, second];
  for (let at = 0; at < bytes.length; at += 8) {
    one = (one + view.getUint32(at, !isBig) + two) >>> 0;
    two = (two + view.getUint32(at + 4, !isBig) + one) >>> 0;
  }
  return [one, two];
}
