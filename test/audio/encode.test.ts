/** Promise: independent decoders get back exactly the encoded clip, in every format and for any chunking. */
import { describe, expect, test } from "bun:test";
import { FLACDecoder } from "@wasm-audio-decoders/flac";
import fc from "fast-check";
import { MPEGDecoder } from "mpg123-decoder";
import { OggOpusDecoder } from "ogg-opus-decoder";
import { openEncoder } from "../../src/audio/encode.ts";
import type { AudioFormat } from "../../src/audio/formats.ts";
import { parseWav } from "../../src/audio/reading/wav-file.ts";

const RATE = 24_000;
const FRAME_SAMPLES: Record<AudioFormat, number> = { wav: 0, pcm: 0, flac: 0, mp3: 576, opus: 480 };
const LENGTHS = [1, 479, 480, 576, 577, 23_999, 24_000, 60_001];

/** A gliding tone with a click 20 ms before its end, where a lost tail would lose it. */
function clipOf(length: number): Float32Array {
  const clip = Float32Array.from(
    { length },
    (_, i) => 0.4 * Math.sin((2 * Math.PI * (200 + i / 400) * i) / RATE),
  );
  const click = length - RATE / 50;
  if (click > 0) clip[click] = 0.95;
  return clip;
}

async function encodeIn(
  format: AudioFormat,
  pieces: Float32Array[],
  sampleCount: number | null,
): Promise<Uint8Array> {
  const encoder = await openEncoder(format, { sampleRate: RATE, sampleCount });
  const body = Buffer.concat(pieces.map((piece) => encoder.encode(piece)));
  const { tail, head } = encoder.finish();
  const whole = Buffer.concat([body, tail]);
  if (head && sampleCount === null) whole.set(head, 0);
  return whole;
}

const DECODERS: Record<AudioFormat, (bytes: Uint8Array) => Promise<{ samples: Float32Array; rate: number }>> =
  {
    async wav(bytes) {
      const parsed = parseWav(bytes, 600)!;
      return { samples: parsed.samples, rate: parsed.sampleRate };
    },
    async pcm(bytes) {
      const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
      const samples = Float32Array.from(
        { length: bytes.length / 2 },
        (_, i) => view.getInt16(2 * i, true) / 32_768,
      );
      return { samples, rate: RATE };
    },
    async mp3(bytes) {
      const decoder = new MPEGDecoder({ enableGapless: true });
      await decoder.ready;
      const { channelData, sampleRate } = decoder.decode(bytes);
      return { samples: channelData[0]!, rate: sampleRate };
    },
    async flac(bytes) {
      const decoder = new FLACDecoder();
      await decoder.ready;
      const { channelData, sampleRate } = await decoder.decodeFile(bytes);
      return { samples: channelData[0]!, rate: sampleRate };
    },
    async opus(bytes) {
      const decoder = new OggOpusDecoder({ forceStereo: false });
      await decoder.ready;
      const { channelData, sampleRate } = await decoder.decodeFile(bytes);
      return { samples: channelData[0]!, rate: sampleRate };
    },
  };

describe.each(Object.keys(DECODERS) as AudioFormat[])("%s", (format) => {
  test.each(LENGTHS)("encodes %d samples with their length", async (length) => {
    for (const known of [null, length]) {
      const { samples, rate } = await DECODERS[format](await encodeIn(format, [clipOf(length)], known));
      expect(Math.abs(samples.length / rate - length / RATE)).toBeLessThanOrEqual(
        FRAME_SAMPLES[format] / RATE,
      );
    }
  });

  test("keeps the sound at its place, to the last click", async () => {
    const clip = clipOf(60_001);
    const { samples, rate } = await DECODERS[format](await encodeIn(format, [clip], null));
    const step = rate / RATE;
    const sampleAt = (i: number) => samples[Math.round(i * step)] ?? 0;
    let both = 0;
    let inPower = 0;
    let outPower = 0;
    for (let i = 0; i < clip.length; i++) {
      both += clip[i]! * sampleAt(i);
      inPower += clip[i]! ** 2;
      outPower += sampleAt(i) ** 2;
    }
    expect(both / Math.sqrt(inPower * outPower)).toBeGreaterThan(0.98);
    const click = clip.length - RATE / 50;
    const around = Array.from({ length: 80 }, (_, i) =>
      Math.abs(sampleAt(click - 40 + i) - clip[click - 40 + i]! * (i === 40 ? 0 : 1)),
    );
    expect(Math.max(...around)).toBeGreaterThan(0.2);
  });

  test("is the same sound as a stream, whose length is not known at first", async () => {
    const clip = clipOf(60_001);
    const encoder = await openEncoder(format, { sampleRate: RATE, sampleCount: null });
    const chunks = [clip.subarray(0, 12_000), clip.subarray(12_000)].map((piece) => encoder.encode(piece));
    const streamed = await DECODERS[format](Buffer.concat([...chunks, encoder.finish().tail]));
    const whole = await DECODERS[format](await encodeIn(format, [clip], null));
    const delay = format === "mp3" ? 1105 : 0; // this decoder cuts it off where the length is known
    expect(streamed.samples.length).toBeGreaterThanOrEqual(delay + whole.samples.length);
    const same = streamed.samples.subarray(delay, delay + whole.samples.length);
    expect(same.every((sample, i) => Math.abs(sample - whole.samples[i]!) < 1e-6)).toBe(true);
  });

  test("gives the first half of a second of a stream at least 0.3 s of sound", async () => {
    const encoder = await openEncoder(format, { sampleRate: RATE, sampleCount: null });
    const bytes = encoder.encode(clipOf(12_000)).slice();
    const { samples, rate } = await DECODERS[format](bytes);
    expect(samples.length / rate).toBeGreaterThan(0.3);
  });

  test("gives the same bytes for any chunking", async () => {
    const clip = clipOf(5_000);
    const whole = await encodeIn(format, [clip], null);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 0, max: 5_000 }), { maxLength: 6 }), async (cuts) => {
        const places = [0, ...cuts.toSorted((a, b) => a - b), clip.length];
        const pieces = places.slice(1).map((end, i) => clip.slice(places[i], end));
        expect(Buffer.compare(await encodeIn(format, pieces, null), whole)).toBe(0);
      }),
      { numRuns: 20 },
    );
  });
});
