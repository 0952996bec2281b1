/**
 * What an engine has encoded of a voice, as bytes: how many dimensions, each of them, and the values.
 *
 *   u32 dimensions │ u32 each │ f32 values          little-endian, as every machine that is supported is
 */
import type { VoiceEncodingResult } from "../engine/protocol/voice-encoding.ts";

const DIMENSIONS_MAX = 8;

export function encodingBytes({ data, shape }: VoiceEncodingResult): Buffer {
  const head = Uint32Array.of(shape.length, ...shape);
  return Buffer.concat([
    new Uint8Array(head.buffer),
    new Uint8Array(data.buffer, data.byteOffset, data.byteLength),
  ]);
}

/** Throws where the bytes are no encoding. */
export function readEncoding(bytes: Buffer): VoiceEncodingResult {
  const count = bytes.length < 4 ? 0 : bytes.readUInt32LE(0);
  const start = 4 * (1 + count);
  if (count < 1 || count > DIMENSIONS_MAX || bytes.length < start) throw new Error("no voice encoding");
  const shape = Array.from({ length: count }, (_, index) => bytes.readUInt32LE(4 * (index + 1)));
  const copy = new Uint8Array(bytes.subarray(start)); // a copy, because it must be aligned
  const data = new Float32Array(copy.buffer, 0, copy.length >> 2);
  if (data.length !== shape.reduce((product, each) => product * each, 1))
    throw new Error("no voice encoding");
  return { data, shape };
}
