/**
 * Promise: a recording that was cut, joined, damaged or put into another container is as long as FFmpeg says, or the answer has
 * a warning. Damage of a part takes nothing from the length of the whole. FUZZ_SECONDS makes the run longer, and prints what was tried.
 */

import { afterAll, expect, test } from "bun:test";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { installedFamilies } from "../../src/engine/families/installed.ts";
import { WITH_FFMPEG, WITHOUT_FFMPEG } from "../../src/engine/media/decode-program.ts";
import type { WavWork } from "../../src/engine/media/media-decoder.ts";
import { openDecoder } from "../../src/engine/media/media-decoder.ts";
import { soleClaim } from "../../src/engine/runner.ts";
import { openThreadPool } from "../../src/engine/threads/thread-pool.ts";
import { made, type Packing } from "../audio/packed.ts";
import { CHANGES } from "./changes.ts";
import type { FfmpegSeconds } from "./ffmpeg-seconds.ts";
import { type Chance, FUZZ_TIMEOUT_MS, fuzz } from "./random.ts";

const installed = installedFamilies().has("decode");
const needsFfmpeg = installed ? "" : " (skipped: node-av is not installed)";
const isLong = process.env.FUZZ_SECONDS !== undefined;
const ALIKE = 0.98;
const SLACK_SECONDS = 0.2; // shorter losses are no damage, and not warned of
const TOGETHER = 4;
const JOINED_ONCE = 4; // of so many files one is joined to another

/** Muxer and encoder. */
const MADE: readonly [string, string][] = [
  ...(["pcm_s16le", "adpcm_ima_wav"] as const).map((encoder): [string, string] => ["wav", encoder]),
  ...(["libopus", "libvorbis", "flac"] as const).map((encoder): [string, string] => ["ogg", encoder]),
  ...(["mp3:libmp3lame", "flac:flac", "adts:aac", "ac3:ac3", "eac3:eac3", "mp2:mp2", "dts:dca"] as const).map(
    pair,
  ),
  ...(["truehd:truehd", "wv:wavpack", "tta:tta", "aiff:pcm_s16be", "au:pcm_s16be", "caf:alac"] as const).map(
    pair,
  ),
  ...(
    ["w64:pcm_s16le", "ipod:aac", "mp4:libopus", "mov:pcm_s16be", "matroska:flac", "webm:libopus"] as const
  ).map(pair),
  ...(["avi:libmp3lame", "asf:wmav2", "flv:libmp3lame", "mpegts:aac", "mpegts:mp2", "vob:ac3"] as const).map(
    pair,
  ),
];
const FILMS = [
  "matroska:libopus",
  "mp4:aac",
  "avi:libmp3lame",
  "mpegts:aac",
  "vob:mp2",
  "asf:wmav2",
  "flv:aac",
].map(pair);
const LIVE: Packing[] = [
  { muxer: "mp4", encoder: "aac", muxing: { movflags: "frag_keyframe+empty_moov", frag_duration: 500_000 } },
  { muxer: "webm", encoder: "libopus", muxing: { live: 1 } },
  { muxer: "mp3", encoder: "libmp3lame", muxing: { write_xing: 0 } },
];
const MUXERS = [
  "matroska",
  "mp4",
  "mov",
  "mpegts",
  "avi",
  "ogg",
  "flv",
  "wav",
  "caf",
  "mp3",
  "adts",
  "asf",
  "vob",
];
const shared = fileURLToPath(new URL("../../../shared/audio/", import.meta.url));
const REAL = [
  ...["stereo.mp3", "vad-60s.mp3", "vad-60s.opus", "stereo.opus", "audio-stereo-24-bit-44100Hz.flac"].map(
    (name) => `formats/${name}`,
  ),
  ...["big_buck_bunny_small.mp4", "audio-mono-16-bit-44100Hz.aiff", "stereo.wav"].map(
    (name) => `formats/${name}`,
  ),
  ...["layer2.mp2", "starts-at-4s.mkv", "speech.wav"].map((name) => `field/${name}`),
  "speech-en/jfk.flac",
].map((name) => join(shared, name));

function pair(name: string): [string, string] {
  const [muxer = "", encoder = ""] = name.split(":");
  return [muxer, encoder];
}

const folder = mkdtempSync(join(tmpdir(), "loquat-shorter-"));
const wavReader = openThreadPool<WavWork>(new URL("../../workers/media/wav.ts", import.meta.url), {
  size: 1,
});
afterAll(async () => {
  await wavReader[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});
const programs = [WITH_FFMPEG, WITHOUT_FFMPEG].map((program) =>
  openDecoder({ maxSeconds: 600, timeoutMs: 60_000, childrenMax: 2, wavReader, program }),
);

/** `seconds`: what FFmpeg decodes of it. */
type Original = { name: string; bytes: Buffer; seconds: number };

async function originals(): Promise<Original[]> {
  const sound = { channels: 2, seconds: 6, isNoisy: true };
  const packings: Packing[] = [
    ...MADE.map(([muxer, encoder]) => ({ muxer, encoder, ...sound })),
    ...FILMS.map(([muxer, encoder]) => ({ muxer, encoder, ...sound, hasPictures: true })),
    ...LIVE.map((packing) => ({ ...packing, ...sound })),
  ];
  const files = await made(packings);
  const nameOf = ({ muxer, encoder, hasPictures }: Packing) =>
    `${muxer} ${encoder}${hasPictures ? " film" : ""}`;
  const ours = packings.map((packing, index) => ({ name: nameOf(packing), bytes: files[index]! }));
  const all = [...ours, ...(await remuxed())];
  const theirs = await ffmpegSeconds(all.map(({ bytes }) => bytes));
  return all.map((one, index) => ({ ...one, seconds: theirs[index]?.decoded ?? 0 }));
}

/** Real recordings, and what of them other containers take. */
async function remuxed(): Promise<Omit<Original, "seconds">[]> {
  const real = REAL.filter((path) => existsSync(path));
  const pairs = real.flatMap((path) => MUXERS.map((muxer) => [path, muxer]));
  await run(new URL("remux.ts", import.meta.url), [folder, JSON.stringify(pairs)]);
  const files = pairs.flatMap(([path, muxer], index) => {
    const written = join(folder, String(index));
    if (!existsSync(written)) return [];
    return [{ name: `${path!.slice(shared.length)} as ${muxer}`, bytes: readFileSync(written) }];
  });
  const asTheyAre = real.map((path) => ({ name: path.slice(shared.length), bytes: readFileSync(path) }));
  return [...asTheyAre, ...files].filter(({ bytes }) => bytes.length > 1000);
}

async function run(script: URL, args: string[]): Promise<string> {
  const child = Bun.spawn([process.execPath, fileURLToPath(script), ...args], {
    stdout: "pipe",
    stderr: "ignore",
  });
  return child.stdout.text();
}

async function ffmpegSeconds(files: Buffer[]): Promise<(FfmpegSeconds | null)[]> {
  const paths = files.map((_, index) => join(folder, `case-${index}`));
  for (const [index, path] of paths.entries()) writeFileSync(path, files[index]!);
  const lines = (await run(new URL("ffmpeg-seconds.ts", import.meta.url), paths)).trim().split("\n");
  return paths.map((_, index) => JSON.parse(lines[index] || "null"));
}

const counts = { answers: 0, refused: 0, warned: 0 };

/** Where an answer is shorter than it may be without a word, how long both are. */
async function shortfall(bytes: Buffer, least: number, theirs: FfmpegSeconds | null): Promise<string | null> {
  for (const decoder of programs) {
    const answer = await decoder.decode(bytes, soleClaim());
    counts.answers++;
    if ("refusal" in answer) counts.refused++;
    else if (answer.warnings.length > 0) counts.warned++;
    else {
      const expected = Math.max(least, theirs?.declared ?? 0, theirs?.decoded ?? 0);
      if (answer.durationSeconds + SLACK_SECONDS < expected * ALIKE)
        return `${answer.durationSeconds} seconds without a warning; FFmpeg: ${JSON.stringify(theirs)}`;
    }
  }
  return null;
}

test.skipIf(!installed)(
  `nothing is shorter than FFmpeg says without a warning${needsFfmpeg}`,
  async () => {
    const files = await originals();
    const faults: string[] = [];
    const caseCount = await fuzz(async (chance: Chance, number) => {
      const cases = Array.from({ length: TOGETHER }, () => {
        const { name, bytes, seconds } = chance.pick(files);
        if (chance.once(JOINED_ONCE)) {
          const other = chance.pick(files);
          return {
            name: `${number}: ${name}, joined to ${other.name}`,
            bytes: Buffer.concat([bytes, other.bytes]),
            least: seconds + other.seconds,
          };
        }
        const change = chance.pick(Object.keys(CHANGES));
        const isWhole = change === "unchanged" || change === "with zeros inside";
        return {
          name: `${number}: ${name}, ${change}`,
          bytes: CHANGES[change]!(bytes, chance),
          least: isWhole ? seconds : 0,
        };
      });
      const theirs = await ffmpegSeconds(cases.map(({ bytes }) => bytes));
      const found = await Promise.all(
        cases.map(({ bytes, least }, index) => shortfall(bytes, least, theirs[index]!)),
      );
      for (const [index, fault] of found.entries())
        if (fault !== null) faults.push(`${cases[index]!.name}: ${fault}`);
    });
    if (isLong) console.log({ originals: files.length, files: caseCount * TOGETHER, ...counts, faults });
    expect(faults).toEqual([]);
  },
  FUZZ_TIMEOUT_MS,
);
