/** Promise: of joined recordings all are heard, whatever they differ in, or the answer says that there is more in the file. */

import { afterAll, expect, test } from "bun:test";
import { wavHeader } from "../../../src/audio/pcm.ts";
import { installedFamilies } from "../../../src/engine/families/installed.ts";
import { WITH_FFMPEG, WITHOUT_FFMPEG } from "../../../src/engine/media/decode-program.ts";
import type { WavWork } from "../../../src/engine/media/media-decoder.ts";
import { openDecoder } from "../../../src/engine/media/media-decoder.ts";
import { soleClaim } from "../../../src/engine/runner.ts";
import { openThreadPool } from "../../../src/engine/threads/thread-pool.ts";
import { made, type Packing } from "../../audio/packed.ts";
import { noise } from "./noise.ts";

const installed = installedFamilies().has("decode");
const needsFfmpeg = installed ? "" : " (skipped: node-av is not installed)";
const SECONDS = 3;
const wavReader = openThreadPool<WavWork>(new URL("../../../workers/media/wav.ts", import.meta.url), {
  size: 1,
});
afterAll(() => wavReader[Symbol.asyncDispose]());
const [withFfmpeg, withoutFfmpeg] = [WITH_FFMPEG, WITHOUT_FFMPEG].map((program) =>
  openDecoder({ maxSeconds: 600, timeoutMs: 60_000, childrenMax: 2, wavReader, program }),
) as [ReturnType<typeof openDecoder>, ReturnType<typeof openDecoder>];

const packed = async (...packings: Packing[]) =>
  Buffer.concat(await made(packings.map((one) => ({ seconds: SECONDS, isNoisy: true, ...one }))));

async function answerOf(bytes: Uint8Array, decoder = installed ? withFfmpeg : withoutFfmpeg) {
  const answer = await decoder.decode(bytes, soleClaim());
  return "refusal" in answer ? { seconds: 0, text: answer.message } : textOf(answer);
}

const textOf = ({ durationSeconds, warnings }: { durationSeconds: number; warnings: string[] }) => ({
  seconds: durationSeconds,
  text: warnings.join(" "),
});

const DIFFERENT: [string, Packing, Packing][] = [
  ["AU of two rates", ...pair("au pcm_s16be", { channels: 2 }, { rate: 24_000 })],
  ["FLV of two rates", ...pair("flv libmp3lame", { rate: 44_100 }, { rate: 22_050 })],
  ["Matroska of one channel and of two", ...pair("matroska aac", {}, { channels: 2, rate: 24_000 })],
  ["Matroska of two codecs", ...pair("matroska aac", {}, { encoder: "libopus" })],
  ["WebM as it is recorded", ...pair("webm libopus", { muxing: { live: 1 } }, { channels: 2 })],
  ["MPEG-TS of two codecs", ...pair("mpegts mp2", {}, { encoder: "aac" })],
  [
    "MPEG-TS whose program changes its track",
    ...pair("mpegts aac", {}, { muxing: { mpegts_start_pid: 400 } }),
  ],
];

function pair(name: string, one: Partial<Packing>, two: Partial<Packing>) {
  const [muxer = "", encoder = ""] = name.split(" ");
  return [
    { muxer, encoder, ...one },
    { muxer, encoder, ...two },
  ] as [Packing, Packing];
}

test.skipIf(!installed).each(DIFFERENT)(
  `both recordings are heard in %s${needsFfmpeg}`,
  async (_name, one, two) => {
    for (const packings of [
      [one, two],
      [two, one],
    ]) {
      const { seconds, text } = await answerOf(await packed(...packings));
      if (text === "") expect(seconds).toBeGreaterThan(SECONDS * 2 * 0.98);
      expect(text).not.toContain("could not be decoded");
    }
  },
);

const OWN = ["wav", "flac", "mp3", "opus"] as const;
const decoders = [
  { name: "without FFmpeg", decoder: withoutFfmpeg },
  ...(installed ? [{ name: "with FFmpeg", decoder: withFfmpeg }] : []),
];

test.each(decoders)(
  "a recording behind one of another kind is told of, or heard, $name",
  async ({ decoder }) => {
    for (const first of OWN)
      for (const second of OWN) {
        if (first === second) continue;
        const file = Buffer.concat([await noise(first, SECONDS), await noise(second, SECONDS)]);
        const { seconds, text } = await answerOf(file, decoder);
        if (seconds < SECONDS * 2 * 0.98)
          expect(`${first}, ${second}: ${text}`).toMatch(/not (read|be decoded)|could be read/);
      }
  },
);

test.skipIf(!installed).each<[string, string]>([
  ["ipod", "aac"],
  ["webm", "libopus"],
  ["aiff", "pcm_s16be"],
  ["avi", "libmp3lame"],
  ["caf", "alac"],
  ["asf", "wmav2"],
  ["mpegts", "aac"],
])(`a recording behind one in %s is told of, and padding is not${needsFfmpeg}`, async (muxer, encoder) => {
  const film = await packed({ muxer, encoder });
  const flac = await noise("flac", SECONDS);
  const { seconds, text } = await answerOf(Buffer.concat([film, flac]));
  expect(text).toMatch(/The last \d+ bytes of the file were not read|nothing behind 3\.0 seconds/);
  expect(seconds).toBeGreaterThan(SECONDS * 0.98);
  const padded = await answerOf(Buffer.concat([film, Buffer.alloc(5000), Buffer.from("TAG".padEnd(128))]));
  expect(padded.text).toBe("");
});

test("MP3 behind AAC is not taken for the whole without FFmpeg", async () => {
  const aac = Buffer.alloc(2000);
  aac.write("\xff\xf1\x50\x80", "latin1");
  const { text } = await answerOf(Buffer.concat([aac, await noise("mp3", SECONDS)]), withoutFfmpeg);
  expect(text).toContain("The audio is AAC, which is not read here");
});

test("Ogg that is cut before its end, and joined to another, is heard without FFmpeg", async () => {
  const ogg = await noise("opus", SECONDS);
  const { seconds } = await answerOf(
    Buffer.concat([ogg.subarray(0, ogg.lastIndexOf("OggS")), ogg]),
    withoutFfmpeg,
  );
  expect(seconds).toBeGreaterThan(SECONDS * 1.3);
});

test.skipIf(!installed)(
  `a joined recording that cannot be read takes nothing from the first${needsFfmpeg}`,
  async () => {
    const one = await packed({ muxer: "matroska", encoder: "aac" });
    const { seconds, text } = await answerOf(Buffer.concat([one, one.subarray(0, 200)]));
    expect(seconds).toBeGreaterThan(SECONDS * 0.98);
    expect(text).toContain("The last 200 bytes of the file were not read");
  },
);

test("samples that the header of a WAV file does not count are told of", async () => {
  const head = wavHeader(8000, 8000);
  const loud = new Uint8Array(8000 * 2 * 4).map((_, index) => (index * 7) % 13);
  const { seconds, text } = await answerOf(Buffer.concat([head, loud]));
  expect(seconds).toBe(1);
  expect(text).toContain(`The last ${8000 * 2 * 3} bytes of the file were not read`);
});
