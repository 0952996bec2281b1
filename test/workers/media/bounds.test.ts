/**
 * Promise: no bound of a decoder ends as success. A file just beyond each is refused, read whole, or answered with a warning.
 */

import { afterAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { OggWriter, oggChecksum } from "../../../src/audio/ogg.ts";
import { wavHeader } from "../../../src/audio/pcm.ts";
import { installedFamilies } from "../../../src/engine/families/installed.ts";
import { WITH_FFMPEG, WITHOUT_FFMPEG } from "../../../src/engine/media/decode-program.ts";
import type { WavWork } from "../../../src/engine/media/media-decoder.ts";
import { openDecoder } from "../../../src/engine/media/media-decoder.ts";
import { soleClaim } from "../../../src/engine/runner.ts";
import { openThreadPool } from "../../../src/engine/threads/thread-pool.ts";
import { tone } from "../../audio/hostile.ts";
import { made, type Packing } from "../../audio/packed.ts";

const installed = installedFamilies().has("decode");
const TIMEOUT_MS = 120_000;
const ALIKE = 0.98;
const MEGABYTE = 1024 * 1024;
const ROOT = new URL("../../../", import.meta.url);
/** Constants that bound what is read. */
const BOUND =
  /^(?:export )?const ((?:\w+_)?MAX(?:_\w+)?|\w+_MAX|(?:DECODE_)?(?:PROBED|SEARCHED|CPU|JUMP|BACK)_\w+) =/gm;

const wavReader = openThreadPool<WavWork>(new URL("workers/media/wav.ts", ROOT), { size: 1 });
afterAll(() => wavReader[Symbol.asyncDispose]());

const packed = async (packing: Packing) => (await made([packing]))[0]!;
const SOUND = { encoder: "mp2", seconds: 3, isNoisy: true };

/** A file just beyond a bound, and how many seconds of sound it holds. */
type Beyond = { seconds: number; needsEncoder?: true; bytes: () => Promise<Buffer> };

/** By the file and the name of the bound; a text where no file can be beyond it, or where another test has it. */
const BOUNDS: Record<string, Beyond | string> = {
  "ffmpeg/formats.ts STREAMS_MAX": {
    ...{ seconds: 0.2, needsEncoder: true },
    bytes: () => packed({ muxer: "matroska", encoder: "pcm_s16le", rate: 8000, seconds: 0.2, tracks: 512 }),
  },
  "ffmpeg/formats.ts PROBED_BYTES": {
    ...{ seconds: 3, needsEncoder: true },
    bytes: async () => {
      const film = await packed({ muxer: "vob", ...SOUND, hasPictures: true });
      const padding = Buffer.alloc(65_536 + 6);
      padding.write("\0\0\x01\xbe\xff\xff", "latin1");
      const packHead = film.subarray(0, 14);
      return Buffer.concat([packHead, ...Array<Buffer>(1030).fill(padding), film]);
    },
  },
  "ffmpeg/formats.ts PROBED_MICROSECONDS": {
    ...{ seconds: 704, needsEncoder: true },
    bytes: () => packed({ muxer: "vob", ...SOUND, hasPictures: true, startSeconds: 701 }),
  },
  "ffmpeg/ffmpeg-decoder.ts FAILURES_MAX": {
    ...{ seconds: 6, needsEncoder: true },
    bytes: async () => {
      const whole = await packed({
        ...{ muxer: "mp4", encoder: "aac", seconds: 6, isNoisy: true },
        muxing: { movflags: "faststart" },
      });
      return whole.subarray(0, whole.length / 2);
    },
  },
  "ffmpeg/ffmpeg-decoder.ts JUMP_SECONDS": {
    ...{ seconds: 17, needsEncoder: true },
    bytes: () => joined([0, 14]),
  },
  "ffmpeg/ffmpeg-decoder.ts BACK_SECONDS": {
    ...{ seconds: 6, needsEncoder: true },
    bytes: () => joined([4, 0]),
  },
  "ffmpeg/input.ts DECLARED_SECONDS_MAX": "a header that says more is not believed",
  "ffmpeg/joined-parts.ts SEARCHED_BYTES": {
    ...{ seconds: 6, needsEncoder: true },
    bytes: async () => {
      const one = await packed({ muxer: "w64", encoder: "pcm_s16le", seconds: 3 });
      return Buffer.concat([one, Buffer.alloc(MEGABYTE - 8), one]);
    },
  },
  "ffmpeg/recording-end.ts SEARCHED_BYTES": "what is not found is told of: joined.test.ts",
  "ffmpeg/output.ts CHANNELS_MAX": { seconds: 1, bytes: async () => wavOf65Channels() },
  "source/block.ts CHANNELS_MAX": "FLAC has 8 channels at most, and Opus is refused beyond 8",
  "source/block.ts GAP_SECONDS_MAX": "longer than any recording that is accepted",
  "decode-exit.ts DECODE_CPU_SECONDS": "a process that is ended is a refusal: media-decoder.test.ts",
  "mp3/mpeg-frames.ts FRAME_BYTES_MAX": "the longest frame of the format",
  "mp3/mpeg-frames.ts SEARCHED_BYTES": {
    seconds: 3,
    bytes: async () => Buffer.concat([Buffer.alloc(MEGABYTE), await tone("mp3", 3)]),
  },
  "ogg/ogg-pages.ts PAGE_BYTES_MAX": "the longest page of the format",
  "ogg/ogg-pages.ts PACKET_BYTES_MAX": {
    seconds: 3,
    bytes: async () => {
      const ogg = Buffer.from(await tone("opus", 3));
      const serial = ogg.readUInt32LE(14);
      const pages = Array.from({ length: 260 }, (_, index) => endlessPage(serial, 100 + index, index > 0));
      return Buffer.concat([ogg.subarray(0, ogg.lastIndexOf("OggS")), ...pages]);
    },
  },
  "ogg/ogg-pages.ts STREAMS_MAX": {
    seconds: 3,
    bytes: async () => {
      const heads = Array.from({ length: 64 }, (_, index) => firstPage(index));
      return Buffer.concat([...heads, await tone("opus", 3)]);
    },
  },
  "ogg/opus-stream.ts PACKET_BYTES_MAX": { seconds: 2.4, bytes: async () => opusWithLongPacket() },
  "flac/flac-reader.ts FRAME_BYTES_MAX": "the longest frame of the format",
  "flac/flac-reader.ts SEARCHED_BYTES_MAX": {
    seconds: 3,
    bytes: async () => {
      const sync = Buffer.alloc(16 * 1024);
      sync.write("\xff\xf8\xc9\x08", "latin1"); // a frame's beginning, and no frame
      return Buffer.concat([await tone("flac", 3), ...Array<Buffer>(700).fill(sync)]);
    },
  },
  "decode-report.ts REPORT_BYTES_MAX": "a report has a few numbers and a name of 80 characters",
};

/** Transport streams whose times begin at these seconds. */
async function joined(starts: number[]): Promise<Buffer> {
  return Buffer.concat(
    await made(starts.map((startSeconds) => ({ muxer: "mpegts", ...SOUND, startSeconds }))),
  );
}

function wavOf65Channels(): Buffer {
  const head = Buffer.from(wavHeader(65 * 8000, 8000));
  head.writeUInt16LE(65, 22);
  head.writeUInt16LE(65 * 2, 32);
  return Buffer.concat([head, Buffer.alloc(65 * 2 * 8000, "loud")]);
}

/** A page of Ogg whose packet goes on, and perhaps has begun before. */
const endlessPage = (serial: number, sequence: number, isContinued: boolean) =>
  pageOf(Buffer.alloc(255 * 255), { serial, sequence, flags: isContinued ? 1 : 0 });

/** A page that begins a stream of no sound. */
const firstPage = (serial: number) => pageOf(Buffer.from("fishead\0"), { serial, sequence: 0, flags: 2 });

function pageOf(body: Buffer, { serial, sequence, flags }: Record<"serial" | "sequence" | "flags", number>) {
  const lacing = body.length < 255 ? [body.length] : Array<number>(255).fill(255);
  const page = Buffer.concat([Buffer.from("OggS"), Buffer.alloc(23), Buffer.from(lacing), body]);
  page[5] = flags;
  page.fill(0xff, 6, 14); // no packet ends here
  page.writeUInt32LE(serial, 14);
  page.writeUInt32LE(sequence, 18);
  page[26] = lacing.length;
  page.writeUInt32LE(oggChecksum(page), 22);
  return page;
}

/** Packets of 120 ms, of which the tenth is longer than Opus allows. */
function opusWithLongPacket(): Buffer {
  const writer = new OggWriter(1);
  const head = Buffer.from("OpusHead\x01\x01\0\0\x80\xbb\0\0\0\0\0", "latin1");
  const pages = [writer.header(head), writer.header(Buffer.from(`OpusTags${"\0".repeat(8)}`))];
  for (let index = 1; index <= 20; index++) {
    const packet = index === 10 ? Buffer.alloc(61_441, 0xfb) : Uint8Array.of(0xfb, 6);
    const page = writer.packet(packet, BigInt(index * 5760));
    if (page) pages.push(page);
  }
  return Buffer.concat([...pages, writer.finish(20n * 5760n)]);
}

const programs = [
  { name: "without FFmpeg", program: WITHOUT_FFMPEG },
  ...(installed ? [{ name: "with FFmpeg", program: WITH_FFMPEG }] : []),
];

/** Null where the answer is true, else what was answered. */
async function untruth({ bytes, seconds }: Beyond): Promise<string[]> {
  const file = await bytes();
  const answers = await Promise.all(
    programs.map(async ({ name, program }) => {
      const options = { maxSeconds: 2000, timeoutMs: TIMEOUT_MS, childrenMax: 1, wavReader, program };
      const answer = await openDecoder(options).decode(file, soleClaim());
      if ("refusal" in answer || answer.warnings.length > 0) return [];
      return answer.durationSeconds >= seconds * ALIKE ? [] : [`${name}: ${answer.durationSeconds} seconds`];
    }),
  );
  return answers.flat();
}

describe("a file just beyond", () => {
  for (const [bound, beyond] of Object.entries(BOUNDS)) {
    if (typeof beyond === "string") continue;
    const isMade = installed || !beyond.needsEncoder;
    test.skipIf(!isMade)(
      `${bound} is not answered as if it were whole${isMade ? "" : " (skipped: node-av is not installed)"}`,
      async () => expect(await untruth(beyond)).toEqual([]),
      TIMEOUT_MS,
    );
  }
});

test("every bound of a decoder is in the list above", () => {
  const found = ["workers/media", "src/engine/media"].flatMap((folder) => {
    const path = fileURLToPath(new URL(`${folder}/`, ROOT));
    return [...new Bun.Glob("**/*.ts").scanSync(path)]
      .filter((file) => !file.startsWith("encode"))
      .flatMap((file) =>
        [...readFileSync(path + file, "utf8").matchAll(BOUND)].map(([, name]) => `${file} ${name}`),
      );
  });
  expect(found.toSorted()).toEqual(Object.keys(BOUNDS).toSorted());
});
