/**
 * Reads the Ogg container (RFC 3533): pages, and the packets of the streams in them.
 *
 *   page     OggS │ flags │ granule position │ serial │ sequence │ checksum │ lacing │ bytes
 *   packet   segments of 255 bytes and a shorter one, which may go on in the next page
 *
 * A page with a wrong checksum is skipped, and the packet that it belongs to is lost.
 */
import { oggChecksum } from "../../../src/audio/ogg.ts";
import type { Cursor } from "../source/cursor.ts";
import { DecodeFailure } from "../source/source.ts";

/** `granule`: where the last packet that ends in the page ends; negative where none does. */
export type OggPage = {
  serial: number;
  isFirst: boolean;
  isLast: boolean;
  granule: number;
  packets: Uint8Array[];
};

const HEADER_BYTES = 27;
const PAGE_BYTES_MAX = HEADER_BYTES + 255 + 255 * 255;
const SEGMENT = 255;
const FLAGS = { continued: 1, first: 2, last: 4 };
const PACKET_BYTES_MAX = 16 * 1024 * 1024;
const STREAMS_MAX = 64; // at once

type Unfinished = { sequence: number; parts: Uint8Array[]; sizeBytes: number };

export function* oggPages(cursor: Cursor): Generator<OggPage> {
  const unfinished = new Map<number, Unfinished>();
  while (!cursor.isAtEnd) {
    const page = pageAt(cursor.peek(PAGE_BYTES_MAX));
    if (page === null) {
      skipToCapture(cursor);
      continue;
    }
    cursor.skip(page.length);
    const serial = page.readUInt32LE(14);
    if (!unfinished.has(serial) && unfinished.size === STREAMS_MAX)
      throw new DecodeFailure("unsupported", `in a file of more than ${STREAMS_MAX} tracks`);
    const flags = page[5]!;
    const before = unfinished.get(serial);
    const { packets, rest } = packetsOf(page, before);
    if (rest.sizeBytes > PACKET_BYTES_MAX) throw new DecodeFailure("unreadable");
    if ((flags & FLAGS.last) === 0) unfinished.set(serial, rest);
    else unfinished.delete(serial); // as many streams may follow one another as there are
    yield {
      serial,
      isFirst: (flags & FLAGS.first) !== 0,
      isLast: (flags & FLAGS.last) !== 0,
      granule: Number(page.readBigInt64LE(6)),
      packets,
    };
  }
}

/** The page that begins these bytes, or null where none does, or a damaged one. */
function pageAt(bytes: Buffer): Buffer | null {
  if (bytes.length < HEADER_BYTES || bytes.toString("latin1", 0, 5) !== "OggS\0") return null;
  const segments = bytes[26]!;
  let sizeBytes = HEADER_BYTES + segments;
  if (bytes.length < sizeBytes) return null;
  for (let index = 0; index < segments; index++) sizeBytes += bytes[HEADER_BYTES + index]!;
  if (bytes.length < sizeBytes) return null;
  const page = Buffer.from(bytes.subarray(0, sizeBytes)); // a copy, whose checksum is computed with zeros in its place
  const checksum = page.readUInt32LE(22);
  page.writeUInt32LE(0, 22);
  return oggChecksum(page) === checksum ? page : null;
}

function skipToCapture(cursor: Cursor): void {
  const bytes = cursor.peek(PAGE_BYTES_MAX);
  const next = bytes.indexOf("OggS", 1, "latin1");
  cursor.skip(next >= 0 ? next : Math.max(1, bytes.length - 3)); // it may begin in the last three bytes
}

/** The packets that end in a page, and what of the last one is to be continued. */
function packetsOf(
  page: Buffer,
  before: Unfinished | undefined,
): { packets: Uint8Array[]; rest: Unfinished } {
  const sequence = page.readUInt32LE(18);
  const isContinued = (page[5]! & FLAGS.continued) !== 0;
  const follows = before !== undefined && sequence === before.sequence + 1 && before.parts.length > 0;
  let isLost = isContinued && !follows; // the beginning of its first packet is missing
  let parts = isContinued && follows ? before.parts : [];
  let sizeBytes = isContinued && follows ? before.sizeBytes : 0;
  const packets: Uint8Array[] = [];
  const segments = page[26]!;
  let offset = HEADER_BYTES + segments;
  for (let index = 0; index < segments; index++) {
    const length = page[HEADER_BYTES + index]!;
    if (!isLost) parts.push(page.subarray(offset, offset + length));
    if (!isLost) sizeBytes += length;
    offset += length;
    if (length === SEGMENT) continue;
    if (!isLost) packets.push(parts.length === 1 ? parts[0]! : Buffer.concat(parts));
    isLost = false;
    parts = [];
    sizeBytes = 0;
  }
  return { packets, rest: { sequence, parts, sizeBytes } };
}
