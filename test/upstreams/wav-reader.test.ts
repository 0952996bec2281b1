/** Promise: audio is read as it is, whatever its header claims, and in any chunking. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { WavReader } from "../../src/upstreams/dialects/wav-reader.ts";
import { header, tone } from "./stand-in.ts";

const joined = (...parts: Uint8Array[]) => new Uint8Array(Buffer.concat(parts));

function read(bytes: Uint8Array, cuts: number[] = [], rate: number | null = null): number[] {
  const reader = new WavReader(rate);
  const samples: number[] = [];
  let from = 0;
  for (const cut of [...new Set(cuts.map((each) => each % (bytes.length + 1)))].sort((a, b) => a - b)) {
    samples.push(...reader.push(bytes.subarray(from, cut)));
    from = cut;
  }
  samples.push(...reader.push(bytes.subarray(from)));
  samples.push(...reader.finish());
  return samples;
}

const audio = tone(0.05);
const count = audio.length / 2;
const expected = read(audio, [], 24_000);
const list = new Uint8Array(
  Buffer.from("LIST\x1a\x00\x00\x00INFOISFT\x0e\x00\x00\x00Lavf60.16.100\x00", "latin1"),
);
const tag = new Uint8Array(Buffer.from("id3 \x04\x00\x00\x00abcd", "latin1"));

const FILES: [claim: string, bytes: Uint8Array][] = [
  ["a true length", joined(header(24_000, audio.length), audio)],
  ["no length", joined(header(24_000, 0), audio)],
  ["the largest length", joined(header(24_000, 0xffff_ffff), audio)],
  ["a billion frames", joined(header(24_000, 2_000_000_000), audio)],
  ["a length that is too short", joined(header(24_000, 400), audio)],
  ["a length that is too long", joined(header(24_000, audio.length * 2), audio)],
  ["an odd byte at its end", joined(header(24_000, 0), audio, new Uint8Array(1))],
  ["a chunk after its samples", joined(header(24_000, audio.length), audio, tag)],
  ["a chunk after samples without a length", joined(header(24_000, 0xffff_ffff), audio, list)],
];

describe("a file with", () => {
  test.each(FILES)("%s gives its samples", (_claim, bytes) => {
    expect(read(bytes)).toEqual(expected);
  });
});

test("a header that is repeated within a stream is no audio", () => {
  const bytes = joined(header(24_000, 0xffff_ffff), audio, header(24_000, 0xffff_ffff), audio);
  expect(read(bytes)).toEqual([...expected, ...expected]);
});

test("PCM without a header is read at the rate that is known of it", () => {
  expect(expected).toHaveLength(count);
});

test("any chunking gives the same samples", () => {
  const bytes = joined(header(24_000, 400), audio, header(24_000, audio.length), audio, tag);
  const whole = read(bytes);
  fc.assert(
    fc.property(fc.array(fc.nat(bytes.length), { maxLength: 20 }), (cuts) => {
      expect(read(bytes, cuts)).toEqual(whole);
    }),
    { numRuns: 200 },
  );
});

test.each([
  ["MP3 with a tag", "ID3\x04\x00\x00\x00\x00\x00\x00\x00\x00"],
  ["Ogg", "OggS\x00\x02\x00\x00\x00\x00\x00\x00"],
  ["JSON", '{"detail":"no"}'],
])("%s in place of PCM is refused", (_name, text) => {
  expect(() => read(new Uint8Array(Buffer.from(text, "latin1")), [], 24_000)).toThrow("no WAV file");
});

test("a file whose header does not end is refused", () => {
  const bytes = joined(header(24_000, 0).subarray(0, 36), new Uint8Array(70_000));
  expect(() => read(bytes)).toThrow("header");
});
