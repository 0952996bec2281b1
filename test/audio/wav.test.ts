/** Promise: uncompressed WAV of every sample format is read by its actual content, whatever its header claims. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { wavHeader } from "../../src/audio/pcm.ts";
import { parseWav } from "../../src/audio/reading/wav-file.ts";

type Made = {
  format?: number;
  bits?: number;
  channels?: number;
  rate?: number;
  data: Uint8Array;
  dataSize?: number;
  before?: Uint8Array;
};

function wavOf({
  format = 1,
  bits = 16,
  channels = 1,
  rate = 8000,
  data,
  dataSize = data.length,
  before = new Uint8Array(0),
}: Made): Uint8Array {
  const fmt = Buffer.alloc(24);
  fmt.write("fmt ", 0, "latin1");
  fmt.writeUInt32LE(16, 4);
  fmt.writeUInt16LE(format, 8);
  fmt.writeUInt16LE(channels, 10);
  fmt.writeUInt32LE(rate, 12);
  fmt.writeUInt16LE(bits, 22);
  const head = Buffer.from("RIFF\xff\xff\xff\xffWAVE", "latin1");
  const size = Buffer.alloc(4);
  size.writeUInt32LE(dataSize);
  return Buffer.concat([head, fmt, before, Buffer.from("data"), size, data]);
}

const samplesOf = (made: Made) => [...(parseWav(wavOf(made), 600)?.samples ?? [])];

describe("a WAV file of", () => {
  const cases: [string, Made, number[]][] = [
    ["8 bit", { bits: 8, data: Uint8Array.of(128, 255, 0) }, [0, 127 / 128, -1]],
    ["16 bit", { data: new Uint8Array(Int16Array.of(0, 16_384, -32_768).buffer) }, [0, 0.5, -1]],
    ["24 bit", { bits: 24, data: Uint8Array.of(0, 0, 0x40, 0, 0, 0x80) }, [0.5, -1]],
    ["32 bit", { bits: 32, data: new Uint8Array(Int32Array.of(2 ** 30, -(2 ** 31)).buffer) }, [0.5, -1]],
    [
      "float",
      { format: 3, bits: 32, data: new Uint8Array(Float32Array.of(0.25, Number.NaN, 9).buffer) },
      [0.25, 0, 1],
    ],
    ["double", { format: 3, bits: 64, data: new Uint8Array(Float64Array.of(-0.25).buffer) }, [-0.25]],
    [
      "stereo",
      { channels: 2, data: new Uint8Array(Int16Array.of(16_384, 0, 8192, -8192).buffer) },
      [0.25, 0],
    ],
    ["µ-law silence", { format: 7, bits: 8, data: Uint8Array.of(0xff, 0x7f) }, [0, 0]],
    [
      "µ-law extremes",
      { format: 7, bits: 8, data: Uint8Array.of(0x80, 0x00) },
      [32_124 / 32_768, -32_124 / 32_768],
    ],
    [
      "A-law extremes",
      { format: 6, bits: 8, data: Uint8Array.of(0xaa, 0x2a) },
      [32_256 / 32_768, -32_256 / 32_768],
    ],
  ];
  test.each(cases)("%s", (_name, made, expected) => {
    const samples = samplesOf(made);
    expect(samples.length).toBe(expected.length);
    for (const [i, value] of expected.entries()) expect(samples[i]).toBeCloseTo(value, 4);
  });
});

describe("a wrong header", () => {
  const data = new Uint8Array(Int16Array.of(1, 2, 3, 4).buffer);
  test.each([0, 0xffff_ffff, 1_000_000])("with a data size of %d is read to the actual end", (dataSize) => {
    expect(samplesOf({ data, dataSize }).length).toBe(4);
  });
  test("with odd chunks before the data is read", () => {
    const before = Buffer.from("LIST\x03\0\0\0abc\0", "latin1");
    expect(samplesOf({ data, before }).length).toBe(4);
  });
  test("with more data than the limit is cut there and reported as cut", () => {
    const parsed = parseWav(wavOf({ rate: 1000, data: new Uint8Array(2 * 5000) }), 3);
    expect(parsed).toMatchObject({ truncated: true });
    expect(parsed!.samples.length).toBe(3000);
  });
  test.each([
    { rate: 0 },
    { rate: 2 ** 31 },
    { channels: 0 },
    { channels: 255 },
    { bits: 12 },
    { format: 2 },
  ])("of %j is left to another decoder", (odd) => {
    expect(parseWav(wavOf({ data, ...odd }), 600)).toBeNull();
  });
  test("a header without bytes is refused", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        parseWav(bytes, 600);
        parseWav(Buffer.concat([Buffer.from("RIFF....WAVE"), bytes]), 600);
      }),
    );
  });
});

test("a written file reads back the same", () => {
  const body = new Uint8Array(Int16Array.of(5, -5).buffer);
  expect(parseWav(Buffer.concat([wavHeader(2, 24_000), body]), 600)).toMatchObject({
    sampleRate: 24_000,
    truncated: false,
  });
  expect(parseWav(Buffer.concat([wavHeader(null, 24_000), body]), 600)!.samples.length).toBe(2);
});

describe("a file of several parts", () => {
  const data = new Uint8Array(Int16Array.of(1, 2, 3, 4).buffer);
  const one = wavOf({ data });
  const chunk = (name: string, bytes: Uint8Array) => {
    const head = Buffer.from(`${name}\0\0\0\0`, "latin1");
    head.writeUInt32LE(bytes.length, 4);
    return Buffer.concat([head, bytes]);
  };
  test("is read whole: joined files, and two data chunks", () => {
    expect(parseWav(Buffer.concat([one, one]), 600)!.samples.length).toBe(8);
    expect(parseWav(Buffer.concat([one, chunk("data", data)]), 600)!.samples.length).toBe(8);
  });
  test("of different formats tells what was not read", () => {
    const other = wavOf({ data, rate: 16_000 });
    expect(parseWav(Buffer.concat([one, other]), 600)).toMatchObject({ unreadBytes: data.length + 8 });
  });
  test("is read where a chunk of odd size is followed at once", () => {
    const before = chunk("LIST", Buffer.from("abc"));
    expect(samplesOf({ data, before }).length).toBe(4);
  });
  test("that ends early tells how long it should be", () => {
    const cut = parseWav(wavOf({ data, dataSize: 16_000 }), 600)!;
    expect([cut.seconds, cut.declaredSeconds]).toEqual([4 / 8000, 1]);
  });
});

test("floating-point samples in the range of integers are scaled", () => {
  const data = new Uint8Array(Float32Array.of(16_384, -32_768, 0).buffer);
  expect(samplesOf({ format: 3, bits: 32, data })).toEqual([0.5, -1, 0]);
});
