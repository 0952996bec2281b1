/** Promise: a recording decoded piece by piece has the samples of one that is decoded whole, in every format. */
import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openEncoder } from "../../src/audio/encode.ts";
import { join as joined } from "../../src/audio/pcm.ts";
import { ASR_SAMPLE_RATE } from "../../src/audio/rates.ts";
import { parseWav } from "../../src/audio/reading/wav-file.ts";
import { resample } from "../../src/audio/resample/resample.ts";
import { installedFamilies } from "../../src/engine/families/installed.ts";
import { decodeProgram } from "../../src/engine/media/decode-program.ts";
import { decodeRecording } from "../../src/transcription/decode-recording.ts";

const folder = mkdtempSync(join(tmpdir(), "loquat-recording-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const installed = installedFamilies().has("decode");

async function decode(bytes: Uint8Array): Promise<Float32Array> {
  const path = join(folder, "recording");
  writeFileSync(path, bytes);
  const options = { program: decodeProgram(installed), signal: new AbortController().signal, warn: () => {} };
  const chunks = await Array.fromAsync(decodeRecording(path, options));
  return chunks.reduce((all, chunk) => joined(all, chunk), new Float32Array(0));
}

type Wav = {
  channels: number;
  bits: number;
  sampleRate: number;
  seconds: number;
  size?: number;
  after?: string;
};

/** PCM of a deterministic noise. `size`: what the header claims; `after`: a chunk behind the samples. */
function wavOf({ channels, bits, sampleRate, seconds, size, after = "" }: Wav): Buffer {
  const dataBytes = ((sampleRate * seconds * channels * bits) / 8) | 0;
  const header = Buffer.alloc(44);
  header.write("RIFF", 0);
  header.writeUInt32LE(36 + dataBytes, 4);
  header.write("WAVEfmt ", 8);
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(channels, 22);
  header.writeUInt32LE(sampleRate, 24);
  header.writeUInt32LE((sampleRate * channels * bits) / 8, 28);
  header.writeUInt16LE((channels * bits) / 8, 32);
  header.writeUInt16LE(bits, 34);
  header.write("data", 36);
  header.writeUInt32LE(size ?? dataBytes, 40);
  const data = Buffer.from(Uint8Array.from({ length: dataBytes }, (_, index) => (index * 7919) >> 5));
  return Buffer.concat([header, data, Buffer.from(after)]);
}

describe("WAV", () => {
  test.each<[string, Wav]>([
    ["16 bits at the recognizer's rate", { channels: 1, bits: 16, sampleRate: 16_000, seconds: 21 }],
    ["24 bits, two channels, 44.1 kHz", { channels: 2, bits: 24, sampleRate: 44_100, seconds: 12.5 }],
    [
      "a length that was never written",
      { channels: 1, bits: 16, sampleRate: 8000, seconds: 11, size: 0xffff_ffff },
    ],
    [
      "a chunk behind the samples",
      { channels: 1, bits: 8, sampleRate: 8000, seconds: 11, after: "LIST\x08\0\0\0INFOabcd" },
    ],
  ])("%s", async (_what, wav) => {
    const bytes = wavOf(wav);
    const { samples, sampleRate } = parseWav(bytes, 60)!;
    expect(await decode(bytes)).toEqual(resample(samples, sampleRate, ASR_SAMPLE_RATE));
  });
});

test("a compressed recording is decoded completely by the confined process", async () => {
  const encoder = await openEncoder("flac", { sampleRate: ASR_SAMPLE_RATE, sampleCount: null });
  const tone = Float32Array.from({ length: 40 * ASR_SAMPLE_RATE }, (_, index) => 0.5 * Math.sin(index / 9));
  const body = encoder.encode(tone).slice();
  const decoded = await decode(Buffer.concat([body, encoder.finish().tail]));
  expect(decoded.length).toBe(tone.length);
  for (let index = 0; index < tone.length; index += 997) expect(decoded[index]).toBeCloseTo(tone[index]!, 3);
});

test.each([
  ["an empty file", Buffer.alloc(0), /empty/],
  ["a WAV without samples", wavOf({ channels: 1, bits: 16, sampleRate: 16_000, seconds: 0 }), /no sound/],
  ["text", Buffer.from("These are only words. ".repeat(100)), /not audio/],
])("%s is refused", async (_what, bytes, message) => {
  await expect(decode(bytes)).rejects.toThrow(message);
});
