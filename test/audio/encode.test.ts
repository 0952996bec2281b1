/** Promise: independent decoders get back exactly the encoded clip, in every format and for any chunking. */
import { describe, expect, test } from "bun:test";
import { FLACDecoder } from "@wasm-audio-decoders/flac";
import fc from "fast-check";
import { MPEGDecoder } from "mpg123-decoder";
import { OggOpusDecoder } from "ogg-opus-decoder";
import { openEncoder } from "../../src/audio/encode.ts";
import type { AudioFormat } from "../../src/audio/formats.ts";
import { decodeAlaw, decodeUlaw } from "../../src/audio/g711.ts";
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

describe("at another rate", () => {
  const CLIP = clipOf(RATE);
  const encoded = async (options: { format: AudioFormat; outputRate: number; bitrate?: number }) => {
    const { format, ...rest } = options;
    const encoder = await openEncoder(format, { sampleRate: RATE, sampleCount: null, ...rest });
    const chunks = [CLIP.subarray(0, 999), CLIP.subarray(999)].map((piece) => encoder.encode(piece).slice());
    const { tail, head } = encoder.finish();
    const bytes = Buffer.concat([...chunks, tail]);
    if (head) bytes.set(head, 0);
    return bytes;
  };

  test.each([
    [22_050, 32],
    [22_050, 48],
    [24_000, 48],
    [44_100, 32],
    [44_100, 64],
    [44_100, 96],
    [44_100, 128],
    [44_100, 192],
  ])("MP3 has %d Hz and %d kbit/s", async (outputRate, kbit) => {
    const bytes = await encoded({ format: "mp3", outputRate, bitrate: 1000 * kbit });
    const { samples, rate } = await DECODERS.mp3(bytes);
    expect(rate).toBe(outputRate);
    expect(samples.length / rate).toBeWithin(1, 1.12);
    expect((8 * bytes.length) / (samples.length / rate) / 1000).toBeWithin(0.9 * kbit, 1.12 * kbit);
  });

  test.each([8000, 16_000, 22_050, 32_000, 44_100, 48_000])(
    "WAV, FLAC and PCM have %d Hz",
    async (outputRate) => {
      for (const format of ["wav", "flac"] as const) {
        const { samples, rate } = await DECODERS[format](await encoded({ format, outputRate }));
        expect([rate, samples.length]).toEqual([outputRate, outputRate]);
      }
      expect(await encoded({ format: "pcm", outputRate })).toHaveLength(2 * outputRate);
    },
  );

  test.each([8000, 16_000, 48_000])("Opus is made of %d Hz, in the bitrate", async (outputRate) => {
    const small = await encoded({ format: "opus", outputRate, bitrate: 12_000 });
    const large = await encoded({ format: "opus", outputRate, bitrate: 64_000 });
    expect(small.length).toBeLessThan(large.length / 2);
    const { samples, rate } = await DECODERS.opus(large);
    expect(samples.length / rate).toBeCloseTo(1, 2);
  });
});

describe.each(["ulaw", "alaw"] as const)("%s", (law) => {
  const clip = clipOf(RATE);
  const decode = { ulaw: decodeUlaw, alaw: decodeAlaw }[law];

  test("is a byte a sample at 8 kHz, alone or behind the header of WAV", async () => {
    const options = { sampleRate: RATE, sampleCount: null, outputRate: 8000 };
    const raw = await openEncoder(law, options);
    const bytes = Buffer.concat([raw.encode(clip), raw.finish().tail]);
    expect(bytes).toHaveLength(8000);
    const samples = decode(bytes);
    expect(Math.max(...samples)).toBeWithin(0.36, 1);
    const wav = await openEncoder(`wav-${law}`, options);
    const file = Buffer.concat([wav.encode(clip), wav.finish().tail]);
    expect(file.subarray(44).equals(bytes)).toBe(true);
    expect([file.readUInt16LE(20), file.readUInt32LE(24), file.readUInt16LE(34)]).toEqual([
      ...[law === "ulaw" ? 7 : 6, 8000, 8],
    ]);
    expect(wav.finish().head?.at(40)).toBe(8000 & 0xff);
  });
});
