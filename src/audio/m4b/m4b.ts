/**
 * An M4B file (ISO/IEC 14496-12 and -14, with chapters as QuickTime has them) of AAC frames that lie elsewhere. What it tells comes
 * before its sound, so that a player knows it first.
 *
 *   ftyp │ moov: sound, titles of chapters, tags │ mdat: titles │ frames …
 *   stored, as the encoder gives them:                            frames … │ free: size of each, how many
 *
 * The box that is free is at the end of the file, too: players pass over it.
 */

import { TTS_SAMPLE_RATE } from "../rates.ts";
import type { Tags } from "../tags.ts";
import { box, fullBox, text, UNTURNED, u16, u32, u32s } from "./boxes.ts";
import { soundTrack, titleTrack } from "./tracks.ts";

/** What is stored behind the frames. */
export function frameTable(sizes: readonly number[]): Buffer {
  const table = Buffer.alloc(2 * sizes.length);
  for (const [index, size] of sizes.entries()) table.writeUInt16BE(size, 2 * index);
  return box("free", table, u32(sizes.length));
}

/** The sizes of frames, from what is stored: `tail` gives the bytes from one on to the end. */
export async function readFrameTable(
  bytes: number,
  tail: (from: number) => Promise<Buffer>,
): Promise<Uint16Array> {
  const count = (await tail(bytes - 4)).readUInt32BE();
  const table = await tail(bytes - 4 - 2 * count);
  const sizes = new Uint16Array(count);
  const read = Buffer.from(sizes.buffer);
  table.copy(read, 0, 0, read.length);
  read.swap16();
  return sizes;
}

function bytesOf(frameSizes: Uint16Array): number {
  let bytes = 0;
  for (const size of frameSizes) bytes += size;
  return bytes;
}

/** `frameSizes`: in bytes. `sampleCount`: of what is heard. */
type Sound = { frameSizes: Uint16Array; sampleCount: number };

/** All that comes before the frames. */
export function m4bHead(sound: Sound, tags: Tags): Buffer {
  const titles = tags.chapters.map(({ title }) => titleSample(title));
  const told = Buffer.concat(titles);
  const soundBytes = bytesOf(sound.frameSizes);
  const kind = box("ftyp", text("M4B "), u32(0), text("M4B mp42isom"));
  const { length } = movie({ sound, tags, titles, titlesAt: 0, soundAt: 0 }); // whatever the places are
  const titlesAt = kind.length + length + 8;
  const soundAt = titlesAt + told.length;
  const data = [u32(8 + told.length + soundBytes), text("mdat"), told];
  return Buffer.concat([kind, movie({ sound, tags, titles, titlesAt, soundAt }), ...data]);
}

/** Says that a title is in UTF-8. */
const IN_UTF_8 = box("encd", u32(0x100));

function titleSample(title: string): Buffer {
  const bytes = Buffer.from(title);
  return Buffer.concat([u16(bytes.length), bytes, IN_UTF_8]);
}

/** `titlesAt`, `soundAt`: where they begin in the file. */
type Movie = { sound: Sound; tags: Tags; titles: Buffer[]; titlesAt: number; soundAt: number };

function movie({ sound, tags, titles, titlesAt, soundAt }: Movie): Buffer {
  const { sampleCount } = sound;
  const hasTitles = titles.length > 0;
  // the silence between two chapters belongs to the first
  const starts = tags.chapters.map(({ start }, index) =>
    index === 0 ? 0 : Math.round(start * TTS_SAMPLE_RATE),
  );
  return box(
    "moov",
    movieHeader(sampleCount, hasTitles ? 3 : 2),
    soundTrack({ ...sound, at: soundAt, hasTitles }),
    ...(hasTitles ? [titleTrack({ titles, starts, sampleCount, at: titlesAt })] : []),
    tagsBox(tags),
  );
}

/** At full rate and volume. */
const movieHeader = (sampleCount: number, nextTrack: number) =>
  fullBox(
    "mvhd",
    0,
    ...[u32s([0, 0, TTS_SAMPLE_RATE, sampleCount, 0x1_0000]), u16(0x100), Buffer.alloc(10), UNTURNED],
    ...[Buffer.alloc(24), u32(nextTrack)],
  );

const UTF_8 = 1;
const PICTURES = { "image/jpeg": 13, "image/png": 14 };
const INTEGER = 21;
const AUDIOBOOK = 2;

/** What an M4B file tells of itself: titles and a picture as iTunes has them, and chapters once more for players that read no tracks. */
function tagsBox({ title, artist, album, track, chapters, cover }: Tags): Buffer {
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
