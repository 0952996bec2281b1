/**
 * Divides a file of joined recordings, of which FFmpeg reads only the first:
 *
 *   ftyp … moov … mdat │ ftyp … moov … mdat        MP4: by its boxes, since the sound may be anywhere in them
 *   EBML, Segment … │ EBML, Segment …               Matroska: at each head, since each has tracks of its own
 *   .snd, bytes │ .snd, bytes                       AU: by its size, since FFmpeg reads on as if all were samples
 *   RIFF … │ RIFF …                                 others: what begins as the first does, behind the last of its sound
 */
import { part, type Source } from "../source/source.ts";

const HEAD_BYTES = 20;
const EBML = "\x1a\x45\xdf\xa3";
const EBML_HEAD_BYTES = 96;
const AU = ".snd";
const AU_HEAD_BYTES = 24;
const UNKNOWN_SIZE = 0xffff_ffff;
const SEARCHED_BYTES = 1024 * 1024; // at once

/** `compared`: which of its first bytes the beginnings of two recordings of a format share. */
const BEGINNINGS: { name: string; compared: [start: number, end: number][] }[] = [
  {
    name: "RIFF",
    compared: [
      [0, 4],
      [8, 12],
    ],
  }, // WAV, AVI
  {
    name: "FORM",
    compared: [
      [0, 4],
      [8, 11],
    ],
  }, // AIFF
  { name: "riff", compared: [[0, 16]] }, // Wave64
  { name: "\x30\x26\xb2\x75", compared: [[0, 16]] }, // ASF
  { name: "caff", compared: [[0, 8]] },
  {
    name: "wvpk",
    compared: [
      [0, 4],
      [16, 20],
    ],
  }, // the first of its blocks
  { name: "TTA1", compared: [[0, 4]] },
];

/** The MP4, Matroska or AU recordings in a file, in order; the whole file where it is not several of them. */
export function joinedParts(source: Source): Source[] {
  const head = source.read(0, HEAD_BYTES);
  const name = head.toString("latin1", 0, 4);
  const starts =
    name === EBML ? matroskaStarts(source) : name === AU ? auStarts(source) : movieStarts(source);
  return starts.map((start, index) => part(source, start, starts[index + 1] ?? source.sizeBytes));
}

/** At heads whose type of document is one of Matroska's. */
function matroskaStarts(source: Source): number[] {
  const starts = [0];
  for (let position = 0; position < source.sizeBytes; position += SEARCHED_BYTES) {
    const bytes = source.read(position, SEARCHED_BYTES + EBML_HEAD_BYTES);
    for (let at = bytes.indexOf(EBML, 1, "latin1"); at >= 0; at = bytes.indexOf(EBML, at + 1, "latin1")) {
      const head = bytes.toString("latin1", at, at + EBML_HEAD_BYTES);
      if (at <= SEARCHED_BYTES && (head.includes("matroska") || head.includes("webm")))
        starts.push(position + at);
    }
  }
  return [...new Set(starts)];
}

function auStarts(source: Source): number[] {
  const starts: number[] = [];
  for (let position = 0; position < source.sizeBytes; ) {
    const head = source.read(position, HEAD_BYTES);
    if (head.toString("latin1", 0, 4) !== AU || head.length < 12) break;
    starts.push(position);
    const [offset, sizeBytes] = [head.readUInt32BE(4), head.readUInt32BE(8)];
    if (offset < AU_HEAD_BYTES || sizeBytes === UNKNOWN_SIZE) break;
    position += offset + sizeBytes;
  }
  return starts;
}

function movieStarts(source: Source): number[] {
  const starts: number[] = [];
  const complete = new Set<number>();
  let position = 0;
  while (position < source.sizeBytes) {
    const box = boxAt(source, position);
    if (box === null) break;
    if (box.name === "ftyp") starts.push(position);
    if (box.name === "moov") complete.add(starts.length - 1);
    position += box.sizeBytes;
  }
  return starts.length < 2 || starts.some((_, index) => !complete.has(index)) ? [0] : starts;
}

function boxAt(source: Source, position: number): { name: string; sizeBytes: number } | null {
  const head = source.read(position, HEAD_BYTES);
  if (head.length < 8) return null;
  const name = head.toString("latin1", 4, 8);
  const size = head.readUInt32BE(0);
  if (position === 0 && name !== "ftyp") return null;
  if (size >= 8) return { name, sizeBytes: size };
  if (size === 0) return { name, sizeBytes: source.sizeBytes - position };
  const large = size === 1 && head.length >= 16 ? Number(head.readBigUInt64BE(8)) : 0;
  return large >= 16 ? { name, sizeBytes: large } : null;
}

/** The recording of the same format that begins at `from` or later; null where none does. */
export function followingPart(source: Source, from: number): Source | null {
  const head = source.read(0, HEAD_BYTES).toString("latin1");
  const beginning = BEGINNINGS.find(({ name }) => head.startsWith(name));
  if (beginning === undefined) return null;
  for (let position = from; position < source.sizeBytes; position += SEARCHED_BYTES) {
    const text = source.read(position, SEARCHED_BYTES + HEAD_BYTES).toString("latin1");
    for (let at = text.indexOf(beginning.name); at >= 0; at = text.indexOf(beginning.name, at + 1))
      if (
        beginning.compared.every(
          ([start, end]) => text.slice(at + start, at + end) === head.slice(start, end),
        )
      )
        return part(source, position + at, source.sizeBytes);
  }
  return null;
}
