/** Reads the boxes of an MP4 file as their definition has them (ISO/IEC 14496-12), for tests. */
import { expect } from "bun:test";

export type Box = { name: string; content: Buffer };

/** The boxes that a content consists of, to its last byte. */
export function boxesIn(content: Buffer): Box[] {
  const boxes: Box[] = [];
  for (let at = 0; at < content.length; ) {
    const length = content.readUInt32BE(at);
    expect(length).toBeGreaterThanOrEqual(8);
    expect(at + length).toBeLessThanOrEqual(content.length);
    const name = content.toString("latin1", at + 4, at + 8);
    boxes.push({ name, content: content.subarray(at + 8, at + length) });
    at += length;
  }
  return boxes;
}

/** The content of the first box at a path of names; `meta` has a version before its boxes. */
export function inside(content: Buffer, path: string): Buffer {
  const [name, ...rest] = path.split("/");
  const found = boxesIn(content).find((each) => each.name === name);
  if (!found) throw new Error(`there is no box ${path}`);
  const within = name === "meta" ? found.content.subarray(4) : found.content;
  return rest.length === 0 ? within : inside(within, rest.join("/"));
}

export const tracksIn = (file: Buffer): Buffer[] =>
  boxesIn(inside(file, "moov"))
    .filter(({ name }) => name === "trak")
    .map(({ content }) => content);

/** The numbers of a table, behind its version. */
export const numbersIn = (table: Buffer): number[] =>
  Array.from({ length: (table.length - 4) / 4 }, (_, index) => table.readUInt32BE(4 + 4 * index));

/** The samples of a track, each with its duration: as its tables say where they lie. */
export function samplesIn(file: Buffer, track: Buffer): { bytes: Buffer; duration: number }[] {
  const table = (name: string) => numbersIn(inside(track, `mdia/minf/stbl/${name}`));
  const [, count = 0, ...sizes] = table("stsz");
  expect(sizes.length).toBe(count);
  const durations: number[] = [];
  const [, ...times] = table("stts");
  for (let at = 0; at < times.length; at += 2)
    for (let sample = 0; sample < times[at]!; sample++) durations.push(times[at + 1]!);
  const [, ...places] = table("stco");
  const [, ...runs] = table("stsc");
  const samples: { bytes: Buffer; duration: number }[] = [];
  for (const [chunk, place] of places.entries()) {
    let inChunk = 0;
    for (let at = 0; at < runs.length; at += 3) if (runs[at]! <= chunk + 1) inChunk = runs[at + 1]!;
    let from = place;
    for (let sample = 0; sample < inChunk; sample++) {
      const size = sizes[samples.length]!;
      samples.push({ bytes: file.subarray(from, from + size), duration: durations[samples.length]! });
      from += size;
    }
  }
  expect(samples.length).toBe(count);
  return samples;
}

/** Chapters, in seconds: of the track of their titles, which the sound names. */
export function chaptersIn(file: Buffer): { title: string; start: number }[] {
  const [sound, titles] = tracksIn(file);
  if (!titles) return [];
  const id = inside(titles, "tkhd").readUInt32BE(12);
  expect(inside(sound!, "tref/chap").readUInt32BE()).toBe(id);
  const rate = inside(titles, "mdia/mdhd").readUInt32BE(12);
  let at = 0;
  return samplesIn(file, titles).map(({ bytes, duration }) => {
    const start = at / rate;
    at += duration;
    return { title: bytes.toString("utf8", 2, 2 + bytes.readUInt16BE()), start };
  });
}

/** Chapters as Nero has them: again, for players that read no tracks. */
export function listedChaptersIn(file: Buffer): { title: string; start: number }[] {
  const list = inside(file, "moov/udta/chpl");
  const found: { title: string; start: number }[] = [];
  for (let at = 9; at < list.length; ) {
    const length = list[at + 8]!;
    const title = list.toString("utf8", at + 9, at + 9 + length);
    found.push({ title, start: Number(list.readBigUInt64BE(at)) / 1e7 });
    at += 9 + length;
  }
  expect(found.length).toBe(list[8]!);
  return found;
}

/** The value of a tag of iTunes, and its kind: 1 is text, 13 JPEG, 14 PNG. */
export function tagIn(file: Buffer, name: string): { kind: number; value: Buffer } {
  const data = inside(file, `moov/udta/meta/ilst/${name}/data`);
  return { kind: data.readUInt32BE(), value: data.subarray(8) };
}
