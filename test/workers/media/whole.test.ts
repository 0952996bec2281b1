/** Promise: what is decoded is all that a file holds, or the answer says what is missing. */

import { afterAll, describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { installedFamilies } from "../../../src/engine/families/installed.ts";
import { type DecodeProgram, WITH_FFMPEG, WITHOUT_FFMPEG } from "../../../src/engine/media/decode-program.ts";
import { parseReport } from "../../../src/engine/media/decode-report.ts";
import type { WavWork } from "../../../src/engine/media/media-decoder.ts";
import { openDecoder } from "../../../src/engine/media/media-decoder.ts";
import { soleClaim } from "../../../src/engine/runner.ts";
import { openThreadPool } from "../../../src/engine/threads/thread-pool.ts";
import { made, type Packing } from "../../audio/packed.ts";
import { noise } from "./noise.ts";

const installed = installedFamilies().has("decode");
const needsFfmpeg = installed ? "" : " (skipped: node-av is not installed)";
const field = new URL("../../../../shared/audio/field/", import.meta.url);
const needsField = !installed
  ? needsFfmpeg
  : existsSync(field)
    ? ""
    : " (skipped: no shared recordings here)";
const programs: [string, DecodeProgram][] = [
  ["without FFmpeg", WITHOUT_FFMPEG],
  ...(installed ? ([["with FFmpeg", WITH_FFMPEG]] as [string, DecodeProgram][]) : []),
];
const wavReader = openThreadPool<WavWork>(new URL("../../../workers/media/wav.ts", import.meta.url), {
  size: 1,
});
afterAll(() => wavReader[Symbol.asyncDispose]());

async function decoded(bytes: Uint8Array, program: DecodeProgram) {
  const options = { maxSeconds: 600, timeoutMs: 60_000, childrenMax: 2, wavReader, program };
  const answer = await openDecoder(options).decode(bytes, soleClaim());
  return "refusal" in answer ? answer.message : answer;
}

async function samplesOf(bytes: Uint8Array, program: DecodeProgram) {
  const answer = await decoded(bytes, program);
  if (typeof answer === "string") throw new Error(answer);
  return answer;
}

/** Where the pages begin. */
function pagesOf(ogg: Buffer): number[] {
  const starts: number[] = [];
  for (let at = ogg.indexOf("OggS"); at >= 0; at = ogg.indexOf("OggS", at + 1)) starts.push(at);
  return starts;
}

/** Without its middle pages, an eighth of all. */
function withoutPages(ogg: Buffer): Buffer {
  const starts = pagesOf(ogg);
  const [middle, lost] = [starts.length >> 1, starts.length >> 3];
  return Buffer.concat([ogg.subarray(0, starts[middle]!), ogg.subarray(starts[middle + lost]!)]);
}

describe.each(programs)("a recording, %s,", (_name, program) => {
  test("of joined MP3 files is heard to its end", async () => {
    const one = await noise("mp3", 2);
    const { durationSeconds } = await samplesOf(Buffer.concat([one, one]), program);
    expect(durationSeconds).toBeWithin(3.95, 4.3);
  });

  test("that ends early says so", async () => {
    const flac = await noise("flac", 4);
    const { durationSeconds, warnings } = await samplesOf(flac.subarray(0, flac.length / 2), program);
    expect(durationSeconds).toBeLessThan(3);
    expect(warnings).toEqual([expect.stringContaining("it says that it is 4.0 seconds long")]);
  });

  test("of which almost nothing is there is refused", async () => {
    const flac = await noise("flac", 20);
    expect(await decoded(flac.subarray(0, flac.length * 0.03), program)).toContain("ends early");
  });

  test("with damage inside keeps its times, and says so", async () => {
    const flac = await noise("flac", 4);
    flac.fill(0, flac.length * 0.4, flac.length * 0.6);
    const { durationSeconds, warnings } = await samplesOf(flac, program);
    expect(durationSeconds).toBeWithin(3.9, 4.1);
    expect(warnings).toEqual([expect.stringContaining("could not be decoded")]);
  });

  test("with big-endian numbers is refused by its name", async () => {
    expect(await decoded(Buffer.from("RIFX\0\0\0\0WAVEfmt "), program)).toContain("RIFX");
  });
});

/** Made by FFmpeg, with noise, so that all bytes count. */
async function noisy(packing: Partial<Packing> & Pick<Packing, "muxer" | "encoder">): Promise<Buffer> {
  return (await made([{ seconds: 6, isNoisy: true, ...packing }]))[0]!;
}

const JOINED: [muxer: string, encoder: string][] = [
  ["wav", "adpcm_ima_wav"],
  ["w64", "pcm_s16le"],
  ["aiff", "pcm_s16be"],
  ["au", "pcm_s16be"],
  ["caf", "pcm_s16be"],
  ["avi", "libmp3lame"],
  ["asf", "wmav2"],
  ["tta", "tta"],
  ["wv", "wavpack"],
  ["matroska", "flac"],
  ["mp4", "aac"],
];

test.skipIf(!installed).each([2, 9, 33, 64])(
  `%i equal channels are heard as one${needsFfmpeg}`,
  async (channels) => {
    const { samples } = await samplesOf(toneOf(channels), WITH_FFMPEG);
    const { samples: one } = await samplesOf(toneOf(1), WITH_FFMPEG);
    expect(samples.length).toBe(one.length);
    expect(Math.max(...samples.map((sample, index) => Math.abs(sample - one[index]!)))).toBeLessThan(1e-3);
  },
);

/** An AU file of half a second at 16 kHz. */
function toneOf(channels: number): Buffer {
  const head = [0x2e73_6e64, 24, 0xffff_ffff, 3, 16_000, channels]; // magic, offset, size unknown, 16 bits
  const file = Buffer.alloc(24 + 8000 * 2 * channels);
  for (const [index, field] of head.entries()) file.writeUInt32BE(field, index * 4);
  for (let index = 0; index < 8000 * channels; index++)
    file.writeInt16BE(8000 * Math.sin(Math.floor(index / channels) / 9), 24 + index * 2);
  return file;
}

test.skipIf(!installed).each(JOINED)(
  `two joined recordings in %s are both heard${needsFfmpeg}`,
  async (muxer, encoder) => {
    const one = await noisy({ muxer, encoder, seconds: 2 });
    const { durationSeconds } = await samplesOf(Buffer.concat([one, one]), WITH_FFMPEG);
    expect(durationSeconds).toBeWithin(3.9, 4.4);
  },
);

const CUT: [muxer: string, encoder: string][] = [
  ["flv", "aac"],
  ["matroska", "libopus"],
  ["avi", "pcm_s16le"],
  ["avi", "libmp3lame"],
  ["asf", "wmav2"],
];

test.skipIf(!installed).each(CUT)(
  `a film in %s with %s that is cut short says so${needsFfmpeg}`,
  async (muxer, encoder) => {
    const film = await noisy({ muxer, encoder, hasPictures: true });
    const { durationSeconds, warnings } = await samplesOf(film.subarray(0, film.length * 0.6), WITH_FFMPEG);
    expect(durationSeconds).toBeLessThan(5);
    expect(warnings).toEqual([expect.stringContaining("The file ends early")]);
  },
);

test.skipIf(!installed).each(["aac", "mp2", "ac3"])(
  `bare frames of %s with damage inside say so, and tags are no damage${needsFfmpeg}`,
  async (encoder) => {
    const whole = await noisy({ muxer: encoder === "aac" ? "adts" : encoder, encoder });
    const tag = Buffer.concat([Buffer.from("TAG"), Buffer.alloc(20_000)]);
    expect((await samplesOf(Buffer.concat([whole, tag]), WITH_FFMPEG)).warnings).toEqual([]);
    whole.fill(0, Math.floor(whole.length * 0.4), Math.floor(whole.length * 0.6));
    const { durationSeconds, warnings } = await samplesOf(whole, WITH_FFMPEG);
    expect(durationSeconds).toBeLessThan(5.2);
    expect(warnings).toEqual([expect.stringMatching(/1\.\d seconds of it could not be decoded/)]);
  },
);

test.skipIf(!installed)(`times that jump hours ahead leave nothing out${needsFfmpeg}`, async () => {
  const [early, late] = await made(
    [0, 7200].map((startSeconds) => ({ muxer: "mpegts", encoder: "mp2", seconds: 3, startSeconds })),
  );
  const { durationSeconds, warnings } = await samplesOf(Buffer.concat([early!, late!]), WITH_FFMPEG);
  expect(durationSeconds).toBeWithin(5.9, 6.2);
  expect(warnings).toEqual([expect.stringMatching(/jump forward by 719\d\.\d seconds/)]);
});

test.each(programs)(
  "lost pages of Ogg are silence, %s, and the rest keeps its time",
  async (_name, program) => {
    const opus = await noise("opus", 8);
    const { durationSeconds, warnings } = await samplesOf(withoutPages(opus), program);
    expect(durationSeconds).toBeWithin(7.9, 8.1);
    expect(warnings).toEqual([expect.stringContaining("could not be decoded")]);
  },
);

test.each(programs)("pages of Ogg that are there twice are heard twice, %s", async (_name, program) => {
  const opus = await noise("opus", 8);
  const pages = pagesOf(opus);
  const [start, end] = [pages[pages.length >> 1]!, pages[(pages.length * 3) >> 2]!];
  const again = Buffer.concat([opus.subarray(0, end), opus.subarray(start)]);
  const { durationSeconds } = await samplesOf(again, program);
  expect(durationSeconds).toBeGreaterThan(8.9);
});

const FIELD: [string, number][] = [
  ["streams-16.mkv", 1.9],
  ["streams-17.mkv", 1.9],
  ["streams-17.mp4", 1.9],
  ["streams-17.ts", 1.08],
  ["layer2.mp2", 1.92],
  ["layer2.mpg", 1.92],
  ["layer2.ts", 1.92],
  ["starts-at-4s.mkv", 5.92],
  ["starts-at-4s.mp4", 5.92],
  ["gap-5s.mkv", 6.9],
  ["joined.mp3", 3.95],
  ["odd-chunk-no-pad.wav", 1.9],
  ["ten-minutes.aac", 600.15],
];

test.skipIf(needsField !== "").each(FIELD)(`%s is heard whole${needsField}`, async (name, seconds) => {
  const { durationSeconds, warnings } = await samplesOf(readFileSync(new URL(name, field)), WITH_FFMPEG);
  expect(Math.abs(durationSeconds - seconds)).toBeLessThan(0.1);
  expect(warnings).toEqual([]);
});

test.skipIf(!installed)(`every codec that is meant has a decoder${needsFfmpeg}`, async () => {
  const { CODEC_IDS, INPUT_OPTIONS } = await import("../../../workers/media/ffmpeg/formats.ts");
  const names = INPUT_OPTIONS.codec_whitelist.split(",");
  expect(names.length).toBe(CODEC_IDS.length);
  expect(names).not.toContain("");
});

test("a report of a process is believed in plain names and numbers only", () => {
  expect(parseReport('{"found":"<b>","lostSeconds":-1,"declaredSeconds":3,"brokenAtSeconds":"2"}')).toEqual({
    declaredSeconds: 3,
  });
  expect(parseReport("panic")).toEqual({});
});
