/** Promise: the audio of a stream is one channel without a header, however it is cut, and what is none is refused at once. */
import { describe, expect, test } from "bun:test";
import { AudioStream } from "../../../src/api/dialects/deepgram/audio-stream.ts";
import { headerOf, type RawAudio } from "../../../src/api/dialects/raw-audio.ts";

const STEREO: RawAudio = { encoding: "linear16", sampleRate: 16_000, channels: 2 };
const samples = Int16Array.from([100, 300, -2, -4, 7, 8]);
const bytes = Buffer.from(samples.buffer);

function heard(stream: AudioStream, parts: Iterable<Uint8Array>) {
  const audio: Uint8Array[] = [];
  let found: RawAudio | null = null;
  for (const part of parts) {
    const step = stream.push(part);
    if (step.audio) audio.push(step.audio);
    found ??= step.found;
  }
  const all = Buffer.concat(audio);
  return { found, samples: [...new Int16Array(new Uint8Array(all).buffer)] };
}

function* cut(whole: Uint8Array, size: number) {
  for (let at = 0; at < whole.length; at += size) yield whole.subarray(at, at + size);
}

test.each([1, 3, 7, 1000])("channels are mixed, and a header is read, in pieces of %d bytes", (size) => {
  expect(heard(new AudioStream(STEREO), cut(bytes, size)).samples).toEqual([200, -3, 8]);
  const file = Buffer.concat([headerOf(STEREO), bytes]);
  expect(heard(new AudioStream(null), cut(file, size))).toEqual({ found: STEREO, samples: [200, -3, 8] });
});

test("a header may hold other chunks, and an extended format", () => {
  const head = Buffer.from(headerOf({ ...STEREO, channels: 1 }));
  const format = Buffer.alloc(48);
  format.write("fmt ", 0, "latin1");
  format.writeUInt32LE(40, 4);
  head.copy(format, 8, 20, 36);
  format.writeUInt16LE(0xfffe, 8);
  format.writeUInt16LE(1, 32);
  const list = Buffer.from("LIST\x03\0\0\0abc\0", "latin1");
  const file = Buffer.concat([head.subarray(0, 12), list, format, head.subarray(36), bytes]);
  const { found, samples: read } = heard(new AudioStream(null), cut(file, 5));
  expect(found).toEqual({ ...STEREO, channels: 1 });
  expect(read).toEqual([...samples]);
});

describe("is refused:", () => {
  const head = () => Buffer.from(headerOf(STEREO));
  const cases: [name: string, stream: Buffer][] = [
    ["another container", Buffer.from("OggS")],
    [
      "a header without a format",
      Buffer.concat([head().subarray(0, 12), Buffer.from("data\0\0\0\0", "latin1")]),
    ],
    [
      "a format that is too short",
      Buffer.concat([head().subarray(0, 12), Buffer.from("fmt \x02\0\0\0", "latin1")]),
    ],
    ["an unknown format", Buffer.concat([head().fill(0x55, 20, 22), bytes])],
    ["no channel", Buffer.concat([head().fill(0, 22, 24), bytes])],
    [
      "a header without an end",
      Buffer.concat([
        head().subarray(0, 12),
        Buffer.from("LIST\xff\xff\xff\x7f", "latin1"),
        Buffer.alloc(17_000),
      ]),
    ],
  ];
  test.each(cases)("%s", (_name, stream) => {
    expect(() => heard(new AudioStream(null), cut(stream, 4000))).toThrow(
      expect.objectContaining({ code: "invalid_audio" }),
    );
  });
});
