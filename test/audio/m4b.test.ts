/** Promise: an M4B file tells its chapters, tags and cover before its sound, and where each of its frames lies, however many there are. */
import { expect, test } from "bun:test";
import { frameTable, m4bHead, readFrameTable } from "../../src/audio/m4b/m4b.ts";
import type { Tags } from "../../src/audio/tags.ts";
import {
  boxesIn,
  chaptersIn,
  inside,
  listedChaptersIn,
  numbersIn,
  samplesIn,
  tagIn,
  tracksIn,
} from "./mp4-boxes.ts";

const FRAME_SAMPLES = 1024;
const RATE = 24_000;
const NONE: Tags = { title: null, artist: null, album: null, track: null, chapters: [], cover: null };

/** Frames of different lengths, each of its own bytes. */
const framesOf = (count: number) =>
  Array.from({ length: count }, (_, index) => Buffer.alloc(1 + (index % 700), index % 251));

function fileOf(frames: Buffer[], tags: Tags): Buffer {
  const sound = {
    frameSizes: Uint16Array.from(frames, ({ length }) => length),
    sampleCount: (frames.length - 1) * FRAME_SAMPLES,
  };
  return Buffer.concat([m4bHead(sound, tags), ...frames]);
}

test.each([1, 23, 24, 25, 48, 5000])("of %i frames, each lies where the file says", (count) => {
  const frames = framesOf(count);
  const chapters = [
    { title: "One", start: 0, end: 0.01 },
    { title: "Two", start: 0.02, end: 0.03 },
  ];
  const file = fileOf(frames, { ...NONE, chapters });
  expect(boxesIn(file).map(({ name }) => name)).toEqual(["ftyp", "moov", "mdat"]);
  const [sound] = tracksIn(file);
  const samples = samplesIn(file, sound!);
  expect(
    samples.every(({ bytes, duration }, index) => bytes.equals(frames[index]!) && duration === 1024),
  ).toBe(true);
  expect(numbersIn(inside(sound!, "edts/elst"))).toEqual([
    1,
    (count - 1) * FRAME_SAMPLES,
    FRAME_SAMPLES,
    0x1_0000,
  ]);
});

test("chapters have their titles and times in a track and in a list", () => {
  const frames = framesOf(200);
  const seconds = (199 * FRAME_SAMPLES) / RATE;
  const long = `${"ü".repeat(130)}…`;
  const chapters = [
    { title: "Am Fluß", start: 0, end: 2 },
    { title: long, start: 3, end: 5 },
    { title: "", start: 6, end: seconds },
  ];
  const file = fileOf(frames, { ...NONE, chapters });
  expect(chaptersIn(file)).toEqual(chapters.map(({ title, start }) => ({ title, start })));
  const listed = chapters.map(({ title, start }) => ({
    title: title === long ? "ü".repeat(127) : title,
    start,
  }));
  expect(listedChaptersIn(file)).toEqual(listed);
  const titles = samplesIn(file, tracksIn(file)[1]!);
  expect(titles.reduce((sum, { duration }) => sum + duration, 0)).toBe(199 * FRAME_SAMPLES);
});

test("titles, track and cover are tags, and without chapters there is one track", () => {
  const cover = { type: "image/png", bytes: Buffer.from("a picture") } as const;
  const file = fileOf(framesOf(10), {
    ...{ title: "Two", artist: "Ünal", album: "The book", track: { number: 2, of: 3 }, chapters: [], cover },
  });
  expect(tracksIn(file).length).toBe(1);
  for (const [name, value] of [
    ["\xa9nam", "Two"],
    ["\xa9ART", "Ünal"],
    ["\xa9alb", "The book"],
  ] as const)
    expect(tagIn(file, name)).toEqual({ kind: 1, value: Buffer.from(value) });
  expect([...tagIn(file, "trkn").value]).toEqual([0, 0, 0, 2, 0, 3, 0, 0]);
  expect(tagIn(file, "covr")).toEqual({ kind: 14, value: cover.bytes });
});

test("the sizes of frames are read from the end of what is stored", async () => {
  const sizes = framesOf(3000).map(({ length }) => length);
  const stored = Buffer.concat([Buffer.alloc(10_000), frameTable(sizes)]);
  const read = await readFrameTable(stored.length, async (from) => stored.subarray(from));
  expect([...read]).toEqual(sizes);
});
