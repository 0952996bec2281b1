/** Promise: AAC is whole, arrives while it is encoded, and is encoded by a confined process whose death fails its clips only. */
import { afterAll, expect, test } from "bun:test";
import { TTS_SAMPLE_RATE } from "../../../src/audio/rates.ts";
import { installedFamilies } from "../../../src/engine/families/installed.ts";
import { WITH_FFMPEG } from "../../../src/engine/media/decode-program.ts";
import { openDecoder } from "../../../src/engine/media/media-decoder.ts";
import { openProcessPool } from "../../../src/engine/process-pool.ts";
import { lazily, soleClaim } from "../../../src/engine/runner.ts";
import { openEncoders } from "../../../src/speech/encoders.ts";
import { confined, pidsOfChildren } from "../../children.ts";

const installed = installedFamilies().has("decode");
const needsFfmpeg = installed ? "" : " (skipped: node-av is not installed)";
const confines = installed && process.platform === "linux";
const needsBoth = confines ? "" : " (skipped: needs node-av and /proc)";

const script = new URL("../../../workers/media/encode-aac.ts", import.meta.url);
const open = (worker = script) =>
  openEncoders({
    openThread: () => {
      throw new Error("AAC needs no thread");
    },
    openProcess: () => openProcessPool(worker, { size: 1 }),
    count: 1,
  });
const encoders = open();
afterAll(() => encoders[Symbol.asyncDispose]());
const decoder = openDecoder({
  maxSeconds: 600,
  timeoutMs: 60_000,
  childrenMax: 1,
  wavReader: lazily(() => {
    throw new Error("AAC is no WAV");
  }),
  program: WITH_FFMPEG,
});

const tone = (seconds: number) =>
  Float32Array.from({ length: seconds * TTS_SAMPLE_RATE }, (_, i) => 0.5 * Math.sin(i / 8));

const CLIP = { format: "aac", sampleCount: null } as const;

/** The chunks of a clip of so many samples, given so many at a time. */
async function encode(samples: Float32Array, step: number, from = encoders): Promise<Uint8Array[]> {
  const encoding = await from.open(CLIP, soleClaim());
  const chunks: Uint8Array[] = [];
  for (let at = 0; at < samples.length; at += step)
    chunks.push(await encoding.encode(samples.subarray(at, at + step)));
  return [...chunks, (await encoding.finish()).tail];
}

test.skipIf(!installed)(`a clip contains the encoded tone, to its end${needsFfmpeg}`, async () => {
  const clip = Buffer.concat(await encode(tone(30), TTS_SAMPLE_RATE));
  const answer = await decoder.decode(clip, soleClaim());
  if ("refusal" in answer) throw new Error(answer.message);
  const { samples, durationSeconds } = answer;
  expect(durationSeconds).toBeGreaterThan(30);
  expect(durationSeconds).toBeLessThan(30.1); // the encoder's delay, and silence that fills its last frame
  for (const start of [1, 15, 29]) {
    const second = samples.subarray(start * 16_000, (start + 0.5) * 16_000);
    const power = second.reduce((sum, value) => sum + value * value, 0) / second.length;
    expect(Math.sqrt(2 * power)).toBeCloseTo(0.5, 1);
  }
});

test.skipIf(!installed)(
  `every chunk has whole frames, soon, and the same for any chunking${needsFfmpeg}`,
  async () => {
    const chunks = await encode(tone(1), TTS_SAMPLE_RATE / 4);
    expect(chunks.slice(0, 4).map(framesIn)).toEqual([4, 6, 6, 6]); // of 1024 samples; the encoder holds one back
    const all = Buffer.concat(chunks);
    expect(framesIn(all)).toBe(Math.ceil(TTS_SAMPLE_RATE / 1024) + 1); // one more for the encoder's delay
    expect(Buffer.concat(await encode(tone(1), 999)).equals(all)).toBe(true);
  },
);

/** Each behind the header of its length. */
function framesIn(bytes: Uint8Array): number {
  let frames = 0;
  for (let at = 0; at < bytes.length; frames++) {
    expect([bytes[at], bytes[at + 1]]).toEqual([0xff, 0xf1]);
    at += ((bytes[at + 3]! & 3) << 11) | (bytes[at + 4]! << 3) | (bytes[at + 5]! >> 5);
    expect(at).toBeLessThanOrEqual(bytes.length);
  }
  return frames;
}

test.skipIf(!installed)(`clips at once do not mix${needsFfmpeg}`, async () => {
  const clips = [tone(1), tone(1).fill(0), tone(2)];
  const alone: Buffer[] = [];
  for (const clip of clips) alone.push(Buffer.concat(await encode(clip, 5000)));
  const together = await Promise.all(clips.map((clip) => encode(clip, 5000)));
  expect(together.map((chunks) => Buffer.concat(chunks).equals(alone[together.indexOf(chunks)]!))).toEqual([
    true,
    true,
    true,
  ]);
});

test.skipIf(!confines)(`the process is confined${needsBoth}`, async () => {
  await encode(tone(1), TTS_SAMPLE_RATE);
  const [pid] = pidsOfChildren("encode-aac");
  await confined(pid!);
});

test.skipIf(!confines)(
  `a process that dies fails its clips, and the next one has another${needsBoth}`,
  async () => {
    const encoding = await encoders.open(CLIP, soleClaim());
    process.kill(pidsOfChildren("encode-aac")[0]!, "SIGKILL");
    const failed = Promise.resolve(encoding.encode(tone(1))).then(() => encoding.finish());
    await expect(failed).rejects.toMatchObject({ code: "inference_unavailable" });
    expect((await encode(tone(1), 5000)).length).toBeGreaterThan(1);
  },
);

test("a process that cannot encode is a refusal", async () => {
  await using broken = open(new URL("../../engine/broken.ts", import.meta.url));
  await expect(encode(tone(1), 5000, broken)).rejects.toMatchObject({ code: "inference_unavailable" });
});
