/** What an M4B file tells of itself: titles and a picture as iTunes has them, and chapters once more for players that read no tracks. */
import type { Tags } from "../tags.ts";
import { box, fullBox, text, u16, u32 } from "./boxes.ts";

const UTF_8 = 1;
const PICTURES = { "image/jpeg": 13, "image/png": 14 };
const INTEGER = 21;
const AUDIOBOOK = 2;

export function tagsBox({ title, artist, album, track, chapters, cover }: Tags): Buffer {
  const tags = [
    ...textTag("\xa9nam", title),
    ...textTag("\xa9ART", artist),
    ...textTag("\xa9alb", album ?? title),
    ...(track ? [tag("trkn", 0, u16(0), u16(track.number), u16(track.of), u16(0))] : []),
    tag("stik", INTEGER, Buffer.of(AUDIOBOOK)),
    ...(cover ? [tag("covr", PICTURES[cover.type], cover.bytes)] : []),
  ];
  const reader = fullBox("hdlr", 0, u32(0), text("mdirappl"), Buffer.alloc(9));
  const list = fullBox("meta", 0, reader, box("ilst", ...tags));
  return box("udta", list, ...(chapters.length > 0 ? [chapterList(chapters)] : []));
}

const tag = (name: string, kind: number, ...content: Buffer[]) =>
  box(name, box("data", u32(kind), u32(0), ...content));

const textTag = (name: string, value: string | null) =>
  value === null || value === "" ? [] : [tag(name, UTF_8, Buffer.from(value))];

const TITLE_BYTES_MAX = 255;
const TICKS = 10_000_000; // of 100 ns

/** As Nero's, of 255 chapters at most. */
function chapterList(chapters: Tags["chapters"]): Buffer {
  const entries = chapters.map(({ title, start }, index) => {
    const time = Buffer.alloc(8);
    time.writeBigUInt64BE(index === 0 ? 0n : BigInt(Math.round(start * TICKS)));
    const name = cutTo(title);
    return Buffer.concat([time, Buffer.of(name.length), name]);
  });
  return box("chpl", u32(0x0100_0000), u32(0), Buffer.of(entries.length), ...entries);
}

/** Between two characters. */
function cutTo(title: string): Buffer {
  const bytes = Buffer.from(title);
  if (bytes.length <= TITLE_BYTES_MAX) return bytes;
  let end = TITLE_BYTES_MAX;
  while ((bytes[end]! & 0xc0) === 0x80) end--;
  return bytes.subarray(0, end);
}
