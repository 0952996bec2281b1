/**
 * Whether the log of a SQLite database (WAL) has lost what was committed. SQLite reads it up to the first damaged frame, says
 * nothing, and then writes over the rest. See https://www.sqlite.org/fileformat2.html#walformat
 *
 *   header 32 │ frame: header 24 (salts at 8, checksums at 16), page │ frame │ … │ frames of an earlier round: other salts
 *
 * A crash leaves a torn end. A frame of this round behind a damaged one was committed, or might have been.
 */
import { copyFileSync, existsSync, readFileSync } from "node:fs";

const HEADER_BYTES = 32;
const FRAME_HEAD_BYTES = 24;
const MAGIC = 0x377f0682; // its last bit: checksums are of big-endian words

/** Keeps a copy of a damaged log and returns its path; null where the log is whole, or there is none. */
export function keepDamagedLog(path: string): string | null {
  if (!existsSync(path) || !isDamaged(readFileSync(path))) return null;
  const kept = `${path}.damaged`;
  copyFileSync(path, kept);
  return kept;
}

function isDamaged(log: Buffer): boolean {
  if (log.length < HEADER_BYTES + FRAME_HEAD_BYTES) return false; // nothing was committed to it
  const isBig = (log.readUInt32BE(0) & 1) === 1;
  const pageBytes = log.readUInt32BE(8);
  let sums: Sums = [0, 0];
  const isNext = (at: number, ...parts: Buffer[]) => {
    for (const part of parts) sums = added(sums, part, isBig);
    return log.readUInt32BE(at) === sums[0] && log.readUInt32BE(at + 4) === sums[1];
  };
  const isLog = (log.readUInt32BE(0) & ~1) === MAGIC && pageBytes >= 512;
  if (!isLog || !isNext(24, log.subarray(0, 24))) return true;
  let isBroken = false;
  const frameBytes = FRAME_HEAD_BYTES + pageBytes;
  for (let at = HEADER_BYTES; at + frameBytes <= log.length; at += frameBytes) {
    const isOfRound = log.compare(log, 16, 24, at + 8, at + 16) === 0;
    if (isBroken && isOfRound) return true;
    const page = log.subarray(at + FRAME_HEAD_BYTES, at + frameBytes);
    isBroken ||= !isOfRound || !isNext(at + 16, log.subarray(at, at + 8), page);
  }
  return false;
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
