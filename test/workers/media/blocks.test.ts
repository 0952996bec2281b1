/** Promise: the decoders without FFmpeg give back what was encoded, and any damage ends soon, with samples or an error. */
import { describe, expect, spyOn, test } from "bun:test";
import fc from "fast-check";
import { openEncoder } from "../../../src/audio/encode.ts";
import type { AudioFormat } from "../../../src/audio/formats.ts";
import { OggWriter } from "../../../src/audio/ogg.ts";
import { toInt16 } from "../../../src/audio/pcm.ts";
import { TTS_SAMPLE_RATE } from "../../../src/audio/rates.ts";
import { blocksOf } from "../../../workers/media/blocks.ts";
import type { Block } from "../../../workers/media/source/block.ts";
import { DecodeFailure, type Source } from "../../../workers/media/source/source.ts";
import { notAudio, tone } from "../../audio/hostile.ts";

spyOn(console, "error").mockImplementation(() => {}); // libopus reports each damaged packet

const sourceOf = (bytes: Uint8Array): Source => ({
  sizeBytes: bytes.length,
  read: (position, size) => Buffer.from(bytes.subarray(position, position + size)),
});

const blocks = async (bytes: Uint8Array): Promise<Block[]> => Array.fromAsync(blocksOf(sourceOf(bytes)));

const lengthOf = (found: readonly Block[]) =>
  found.reduce((sum, { channels, sampleRate }) => sum + (channels[0]?.length ?? 0) / sampleRate, 0);

/** The first channel. */
const samplesOf = (found: readonly Block[]) =>
  Float32Array.from(found.flatMap(({ channels }) => [...channels[0]!]));

/** Two tones that glide, a second and a half of them. */
const sound = Float32Array.from(
  { length: 1.5 * TTS_SAMPLE_RATE },
  (_, i) => 0.3 * Math.sin(i / (30 + i / 3000)) + 0.2 * Math.sin(i / 7),
);

async function encoded(format: AudioFormat): Promise<Uint8Array> {
  const encoder = await openEncoder(format, { sampleRate: TTS_SAMPLE_RATE, sampleCount: sound.length });
  const body = encoder.encode(sound).slice();
  return Buffer.concat([body, encoder.finish().tail]);
}

/** In decibels: what was encoded over the difference. */
function fidelity(samples: Float32Array, expected: Float32Array): number {
  let [power, error] = [0, 0];
  for (let i = 0; i < expected.length; i++) {
    power += expected[i]! ** 2;
    error += (expected[i]! - (samples[i] ?? 0)) ** 2;
  }
  return 10 * Math.log10(power / error);
}

describe("what our encoders wrote", () => {
  test("as FLAC is the same to the bit", async () => {
    const found = await blocks(await encoded("flac"));
    expect(found[0]!.sampleRate).toBe(TTS_SAMPLE_RATE);
    expect(toInt16(samplesOf(found))).toEqual(toInt16(sound));
  });

  test("as MP3 has its exact length and no delay", async () => {
    const samples = samplesOf(await blocks(await encoded("mp3")));
    expect(samples.length).toBe(sound.length);
    expect(fidelity(samples, sound)).toBeGreaterThan(15);
  });

  test("as Opus has its exact length and no delay", async () => {
    const found = await blocks(await encoded("opus"));
    expect(lengthOf(found)).toBeCloseTo(sound.length / TTS_SAMPLE_RATE, 6);
    const at16kHz = sound.filter((_, i) => i % 3 === 0); // both rates have these samples
    const samples = samplesOf(found).filter((_, i) => i % 2 === 0);
    expect(fidelity(samples, at16kHz)).toBeGreaterThan(15);
  });

  test("as FLAC in Ogg is the same to the bit", async () => {
    const flac = Buffer.from(await encoded("flac"));
    const info = flac.subarray(4, 42);
    const { length } = (await blocks(flac))[0]!.channels[0]!;
    const frames = flac.indexOf(Buffer.from([0xff, 0xf8]), 42);
    const next = flac.indexOf(flac.subarray(frames, frames + 4), frames + 4); // the header of the second frame
    const ogg = new OggWriter(1);
    const head = Buffer.concat([Buffer.from("\x7fFLAC\x01\0\0\x01fLaC", "latin1"), info]);
    const pages = [
      ogg.header(head),
      ogg.packet(flac.subarray(frames, next), BigInt(length)),
      ogg.finish(BigInt(length)),
    ];
    const samples = samplesOf(await blocks(Buffer.concat(pages.filter((page) => page !== null))));
    expect(toInt16(samples)).toEqual(toInt16(sound.subarray(0, length)));
  });
});

test("a tag before FLAC and MP3 is passed over", async () => {
  const tag = Buffer.concat([Buffer.from("ID3\x04\0\0\0\0\x01\0", "latin1"), new Uint8Array(128)]);
  for (const format of ["flac", "mp3"] as const)
    expect(lengthOf(await blocks(Buffer.concat([tag, await tone(format)])))).toBeCloseTo(1, 6);
});

describe("a recording in damaged bytes", () => {
  const formats = ["mp3", "flac", "opus"] as const;

  test.each(formats)("cut short, as %s, gives what is left of it", async (format) => {
    const whole = await encoded(format);
    const half = lengthOf(await blocks(whole.subarray(0, whole.length / 2)));
    expect(half).toBeWithin(0, 1.1);
    if (format === "opus") return; // a page has a second
    expect(half).toBeGreaterThan(0.5);
  });

  test.each(formats)("with noise in its middle, as %s, is found again behind it", async (format) => {
    const whole = Buffer.from(await tone(format, 4));
    const middle = whole.length >> 1;
    whole.fill(0x5a, middle - 1000, middle);
    expect(lengthOf(await blocks(whole))).toBeWithin(2.4, 4.01);
  });

  test("changed anywhere gives samples that are finite, or an error", async () => {
    const files = { mp3: await tone("mp3"), flac: await tone("flac"), opus: await tone("opus") };
    const damage = fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...formats), damage, async (format, hits) => {
        const broken = new Uint8Array(files[format]);
        for (const [index, value] of hits) broken[index % broken.length] = value;
        const found = await blocks(broken).catch((error: unknown) => error as Error);
        if (found instanceof Error) return;
        expect(lengthOf(found)).toBeLessThan(60);
        for (const { channels } of found)
          expect(channels.every((samples) => samples.every(Number.isFinite))).toBe(true);
      }),
      { numRuns: 30 },
    );
  });

  test.each(Object.entries(notAudio()))("%s is no recording", async (_name, bytes) => {
    await expect(blocks(bytes)).rejects.toThrow(DecodeFailure);
  });
});
