/**
 * Where a recording ends by what it says of its own size, so that what lies behind it is noticed: FFmpeg passes over it. Tables
 * and names may follow the last sound, and belong to it.
 *
 *   RIFF size … │    FORM size … │    box, box … │    EBML, Segment size … │    page, page … │    others: the last sound
 */
import type { Source } from "../source/source.ts";

const HEAD_BYTES = 24;
const EBML_HEAD_BYTES = 256;
const UNTRUE_BYTES = 0x7000_0000; // of files that never learnt their size
const SEGMENT = "\x18\x53\x80\x67";
const NAME = /^[\x20-\x7e\xa9]{4}$/;
const ASF_OBJECT_BYTES_MIN = 24;
const TS_PACKET_BYTES = [188, 192, 204];
const TS_SYNC = 0x47;
const TS_HEADS_BYTES = 32;
const BEGINNING = "\0\0\x01"; // and the kind of what begins
const SEARCHED_BYTES = 128 * 1024; // for the next page or packet, of at most 64 KiB

type Reading = (source: Source, soundEnd: number) => number;

/** By their first bytes. */
const FORMATS: Record<string, Reading> = {
  RIFF: (source) => chunksEnd(source, { name: "RIFF", sizeOf: (head) => head.readUInt32LE(4) }),
  FORM: (source) => chunksEnd(source, { name: "FORM", sizeOf: (head) => head.readUInt32BE(4) }),
  riff: (source) => Number(source.read(0, HEAD_BYTES).readBigUInt64LE(16)),
  caff: (source) => cafEnd(source),
  "\x1a\x45\xdf\xa3": (source, soundEnd) => segmentEnd(source) ?? soundEnd,
  "\x30\x26\xb2\x75": (source) => asfEnd(source),
  OggS: (source, soundEnd) => unitsEnd(source, soundEnd, { marker: "OggS", sizeOf: pageBytes }),
  "\0\0\x01\xba": (source, soundEnd) =>
    unitsEnd(source, soundEnd, { marker: "\0\0\x01", sizeOf: packetBytes }),
};

/** `soundEnd`: behind the last sound and the last picture. */
export function recordingEnd(source: Source, soundEnd: number): number {
  const head = source.read(0, HEAD_BYTES);
  if (head.length < HEAD_BYTES) return source.sizeBytes;
  const reading = FORMATS[head.toString("latin1", 0, 4)];
  const isMovie = reading === undefined && NAME.test(head.toString("latin1", 4, 8));
  const end = reading?.(source, soundEnd) ?? (isMovie ? boxesEnd(source) : soundEnd);
  const isTransport = head[0] === TS_SYNC || head[4] === TS_SYNC;
  const start = Math.max(end, soundEnd);
  return Math.min(source.sizeBytes, isTransport ? tsEnd(source, start) : start);
}

type Units = { marker: string; sizeOf: (unit: Buffer) => number };

/** Behind the pages or packets that the last sound is in, and those that follow: places in the file are those of their beginnings. */
function unitsEnd(source: Source, soundEnd: number, { marker, sizeOf }: Units): number {
  let position = Math.max(0, soundEnd - SEARCHED_BYTES);
  for (;;) {
    const bytes = source.read(position, SEARCHED_BYTES);
    const at = bytes.indexOf(marker, 0, "latin1");
    if (at < 0) return position;
    position += at + Math.max(1, sizeOf(bytes.subarray(at)));
  }
}

/** Of a page of Ogg. */
function pageBytes(page: Buffer): number {
  const lacing = page.subarray(27, 27 + (page[26] ?? 0));
  return 27 + lacing.length + lacing.reduce((sum, size) => sum + size, 0);
}

/** Of a packet of a program stream; 0: none begins here. */
function packetBytes(packet: Buffer): number {
  const code = packet[3] ?? 0;
  if (code === 0xb9) return 4; // the end
  if (code === 0xba) return (packet[4] ?? 0) >> 6 === 1 ? 14 + ((packet[13] ?? 0) & 7) : 12;
  return code >= 0xbb && packet.length >= 6 ? 6 + packet.readUInt16BE(4) : 0;
}

type Chunks = { name: string; sizeOf: (head: Buffer) => number };

/** One, or several as in large AVI files. */
function chunksEnd(source: Source, { name, sizeOf }: Chunks): number {
  let position = 0;
  while (position < source.sizeBytes) {
    const head = source.read(position, 8);
    if (head.length < 8 || head.toString("latin1", 0, 4) !== name) break;
    const size = sizeOf(head);
    if (size === 0 || size > UNTRUE_BYTES) return source.sizeBytes;
    position += 8 + size + (size % 2);
  }
  return position;
}

function boxesEnd(source: Source): number {
  let position = 0;
  while (position < source.sizeBytes) {
    const head = source.read(position, 16);
    if (head.length < 8 || !NAME.test(head.toString("latin1", 4, 8))) break;
    const short = head.readUInt32BE(0);
    if (short === 0) return source.sizeBytes;
    const size = short === 1 && head.length === 16 ? Number(head.readBigUInt64BE(8)) : short;
    const isBeyond =
      position + size > source.sizeBytes && !["mdat", "moov"].includes(head.toString("latin1", 4, 8));
    if (size < 8 || isBeyond) break;
    position += size;
  }
  return position;
}

function cafEnd(source: Source): number {
  let position = 8;
  while (position < source.sizeBytes) {
    const head = source.read(position, 12);
    if (head.length < 12 || !NAME.test(head.toString("latin1", 0, 4))) break;
    const size = head.readBigInt64BE(4);
    if (size < 0n) return source.sizeBytes;
    const end = position + 12 + Number(size);
    if (end > source.sizeBytes && head.toString("latin1", 0, 4) !== "data") break; // it is no chunk
    position = end;
  }
  return position;
}

/** Null where its size is not known, as in live recordings. */
function segmentEnd(source: Source): number | null {
  const head = source.read(0, EBML_HEAD_BYTES);
  const at = head.indexOf(SEGMENT, 4, "latin1");
  if (at < 0 || at + 12 > head.length) return null;
  const length = Math.clz32(head[at + 4]!) - 23; // of the number behind it
  if (length > 8) return null;
  let size = head[at + 4]! & (0xff >> length);
  let isKnown = size !== 0xff >> length;
  for (const byte of head.subarray(at + 5, at + 4 + length)) {
    size = size * 256 + byte;
    isKnown ||= byte !== 0xff;
  }
  return isKnown && size > 0 ? at + 4 + length + size : null;
}

function asfEnd(source: Source): number {
  let position = 0;
  while (position < source.sizeBytes) {
    const head = source.read(position, HEAD_BYTES);
    const size = head.length < HEAD_BYTES ? 0 : Number(head.readBigUInt64LE(16));
    const isInside = position + size <= source.sizeBytes;
    if (size < ASF_OBJECT_BYTES_MIN || (!isInside && position > 0)) break;
    position += size;
  }
  return position;
}

/** Behind the packets of a transport stream that begin within one from here: the last sound goes on in them. */
function tsEnd(source: Source, start: number): number {
  for (const size of TS_PACKET_BYTES) {
    const bytes = source.read(start, 2 * size);
    const isSync = (at: number) =>
      bytes[at] === TS_SYNC && [TS_SYNC, 0, undefined].includes(bytes[at + size]); // or padding, or the end
    const first = Array.from({ length: Math.min(size, bytes.length) }, (_, at) => at).find(isSync);
    let position = start + (first ?? 0);
    while (position < source.sizeBytes && goesOn(source.read(position, size))) position += size;
    if (position - start >= size) return position;
  }
  return start;
}

/** A packet that begins no other sound, as where it could not be decoded. */
function goesOn(packet: Buffer): boolean {
  const begins = packet.subarray(0, TS_HEADS_BYTES).indexOf(BEGINNING, 0, "latin1");
  const kind = begins < 0 ? 0 : (packet[begins + 3] ?? 0);
  const isSound = (kind >= 0xc0 && kind <= 0xdf) || kind === 0xbd;
  return packet[0] === TS_SYNC && !isSound;
}
