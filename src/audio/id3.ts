/**
 * The tag at the start of an MP3 file: ID3 version 2.3, with its addendum of chapters.
 *
 *   "ID3" │ version │ size │ TIT2, TPE1 … │ APIC, the cover │ CTOC, the list of chapters │ CHAP, one each
 */

import type { Picture, Tags } from "./tags.ts";

export function id3Tag({ title, artist, album, track, chapters, cover }: Tags): Buffer {
  const ids = chapters.map((_, index) => `chapter${index + 1}`);
  const frames = [
    ...textFrame("TIT2", title),
    ...textFrame("TPE1", artist),
    ...textFrame("TALB", album),
    ...textFrame("TRCK", track && `${track.number}/${track.of}`),
    ...(cover ? [frame("APIC", pictureOf(cover))] : []),
    ...(ids.length > 0 ? [frame("CTOC", tableOf(ids))] : []),
    ...chapters.map((chapter, index) => frame("CHAP", chapterOf(ids[index]!, chapter))),
  ];
  if (frames.length === 0) return Buffer.alloc(0);
  const body = Buffer.concat(frames);
  const head = Buffer.from("ID3\x03\x00\x00\x00\x00\x00\x00", "latin1");
  for (let at = 0; at < 4; at++) head[6 + at] = (body.length >> (7 * (3 - at))) & 0x7f; // seven bits a byte
  return Buffer.concat([head, body]);
}

function frame(id: string, content: Buffer): Buffer {
  const head = Buffer.alloc(10);
  head.write(id, "latin1");
  head.writeUInt32BE(content.length, 4);
  return Buffer.concat([head, content]);
}

const UTF_16 = 1;
const BYTE_ORDER_MARK = "\ufeff";

function textFrame(id: string, text: string | null): Buffer[] {
  if (text === null || text === "") return [];
  return [frame(id, Buffer.concat([Buffer.of(UTF_16), Buffer.from(BYTE_ORDER_MARK + text, "utf16le")]))];
}

const FRONT_COVER = 3;

/** Without a description. */
const pictureOf = ({ type, bytes }: Picture) =>
  Buffer.concat([Buffer.of(0), named(type), Buffer.of(FRONT_COVER, 0), bytes]);

const named = (id: string) => Buffer.from(`${id}\0`, "latin1");

/** The top of the table, whose chapters are in order. */
const TOP_AND_ORDERED = 0x03;

const tableOf = (ids: readonly string[]) =>
  Buffer.concat([named("toc"), Buffer.of(TOP_AND_ORDERED, ids.length), ...ids.map(named)]);

function chapterOf(id: string, { title, start, end }: Tags["chapters"][number]): Buffer {
  const times = Buffer.alloc(16, 0xff); // the last two are places in the file, which are not told
  times.writeUInt32BE(Math.round(start * 1000), 0);
  times.writeUInt32BE(Math.round(end * 1000), 4);
  return Buffer.concat([named(id), times, ...textFrame("TIT2", title)]);
}
