/** One frame of FLAC (RFC 9639, section 9): header, a subframe for each channel, checksum. */
import type { Layout } from "../../../src/audio/reading/downmix.ts";
import { type Block, isPossible } from "../source/block.ts";
import { BitReader } from "./bit-reader.ts";
import { readSubframe } from "./flac-subframe.ts";

/** From the beginning of the file. `sampleCount`: of each channel; 0: unknown. */
export type StreamInfo = { sampleRate: number; bits: number; blockSize: number; sampleCount: number };

const RATES = [0, 88_200, 176_400, 192_000, 8000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 96_000];
const BITS = [0, 8, 12, null, 16, 20, 24, 32];
const LEFT_SIDE = 8;
const SIDE_RIGHT = 9;
const MID_SIDE = 10;

export const STREAM_INFO_BYTES = 34;

/** The bytes of the block STREAMINFO. */
export function parseStreamInfo(block: Uint8Array): StreamInfo {
  const bits = new BitReader(block);
  bits.unsigned(16); // the smallest block
  const blockSize = bits.unsigned(16);
  bits.unsigned(24); // sizes of frames
  bits.unsigned(24);
  const sampleRate = bits.unsigned(20);
  bits.unsigned(3);
  const sampleBits = bits.unsigned(5) + 1;
  const sampleCount = bits.unsigned(4) * 2 ** 32 + bits.unsigned(32);
  return { sampleRate, bits: sampleBits, blockSize, sampleCount };
}

/** `number`: of the frame, or of its first sample where blocks differ in size. */
export type FlacFrame = Block & { sizeBytes: number; number: number; isVariable: boolean };

const LAYOUTS: Record<number, Layout> = {
  3: [0, 1, 2],
  4: [0, 1, 4, 5],
  5: [0, 1, 2, 4, 5],
  6: [0, 1, 2, 3, 4, 5],
  7: [0, 1, 2, 3, 8, 9, 10],
  8: [0, 1, 2, 3, 4, 5, 9, 10],
};

/** Null where the bytes do not begin with a frame that is whole and undamaged. */
export function readFlacFrame(bytes: Uint8Array, info: StreamInfo): FlacFrame | null {
  try {
    const frame = decodeFrame(bytes, info);
    return isPossible(frame.channels.length, frame.sampleRate) ? frame : null;
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

function decodeFrame(bytes: Uint8Array, info: StreamInfo): FlacFrame {
  const reader = new BitReader(bytes);
  const { count, sampleRate, assignment, bits, number, isVariable } = readHeader(reader, info);
  const channelCount = assignment < LEFT_SIDE ? assignment + 1 : 2;
  const sides = { [LEFT_SIDE]: 1, [SIDE_RIGHT]: 0, [MID_SIDE]: 1 } as Record<number, number>;
  const samples = Array.from({ length: channelCount }, (_, channel) =>
    readSubframe(reader, count, bits + (sides[assignment] === channel ? 1 : 0)),
  );
  reader.align();
  const end = reader.bytesRead;
  if (crc16(bytes.subarray(0, end)) !== reader.unsigned(16)) throw new RangeError("a wrong checksum");
  restoreStereo(samples, assignment);
  const scale = 2 ** (1 - bits);
  const channels = samples.map((channel) => scaled(channel, scale));
  const layout = LAYOUTS[channelCount] ?? null;
  return { channels, sampleRate, layout, sizeBytes: end + 2, number, isVariable };
}

function scaled(channel: ArrayLike<number>, scale: number): Float32Array {
  const out = new Float32Array(channel.length);
  for (let i = 0; i < out.length; i++) out[i] = channel[i]! * scale;
  return out;
}

function readHeader(reader: BitReader, info: StreamInfo) {
  if (reader.unsigned(15) !== 0x7ffc) throw new RangeError("not a frame");
  const isVariable = reader.unsigned(1) === 1;
  const sizeCode = reader.unsigned(4);
  const rateCode = reader.unsigned(4);
  const assignment = reader.unsigned(4);
  const bits = BITS[reader.unsigned(3)];
  const reserved = reader.unsigned(1);
  if (sizeCode === 0 || rateCode === 15 || assignment > MID_SIDE || bits === null || reserved !== 0)
    throw new RangeError("not a frame");
  const number = readNumber(reader);
  const count = blockSize(reader, sizeCode);
  const sampleRate = rateOf(reader, rateCode) || info.sampleRate;
  const headerBytes = reader.bytesRead;
  if (crc8(reader.bytes.subarray(0, headerBytes)) !== reader.unsigned(8))
    throw new RangeError("a wrong checksum");
  return { count, sampleRate, assignment, bits: bits || info.bits, number, isVariable };
}

/** Which frame or sample it is, in the manner of UTF-8. */
function readNumber(reader: BitReader): number {
  const first = reader.unsigned(8);
  const ones = Math.clz32(~(first << 24));
  if (ones === 1 || ones > 7) throw new RangeError("not a frame");
  let number = ones === 0 ? first : first & (0x7f >> ones);
  for (let byte = 1; byte < ones; byte++) number = number * 64 + (reader.unsigned(8) & 0x3f);
  return number;
}

function blockSize(reader: BitReader, code: number): number {
  if (code === 1) return 192;
  if (code < 6) return 144 << code;
  if (code < 8) return reader.unsigned(code === 6 ? 8 : 16) + 1;
  return 1 << code;
}

/** 0: the stream's. */
function rateOf(reader: BitReader, code: number): number {
  if (code < 12) return RATES[code]!;
  if (code === 12) return reader.unsigned(8) * 1000;
  return reader.unsigned(16) * (code === 13 ? 1 : 10);
}

function restoreStereo([first, second]: Float64Array[], assignment: number): void {
  if (assignment < LEFT_SIDE || !first || !second) return;
  for (let i = 0; i < first.length; i++) {
    const [a, b] = [first[i]!, second[i]!];
    if (assignment === LEFT_SIDE) second[i] = a - b;
    else if (assignment === SIDE_RIGHT) first[i] = a + b;
    else {
      const sum = a * 2 + (Math.abs(b) % 2); // the bit that the mean has lost
      first[i] = (sum + b) / 2;
      second[i] = (sum - b) / 2;
    }
  }
}

const crc8 = (bytes: Uint8Array) => bytes.reduce((sum, byte) => CRC8[sum ^ byte]!, 0);

function crc16(bytes: Uint8Array): number {
  let sum = 0;
  for (const byte of bytes) sum = ((sum << 8) & 0xffff) ^ CRC16[(sum >> 8) ^ byte]!;
  return sum;
}

/** Of polynomials without their highest bit. */
const crcTable = (polynomial: number, width: number) =>
  Uint16Array.from({ length: 256 }, (_, byte) => {
    const [high, mask] = [1 << (width - 1), 2 ** width - 1];
    let value = byte << (width - 8);
    for (let bit = 0; bit < 8; bit++) value = ((value << 1) ^ (value & high ? polynomial : 0)) & mask;
    return value;
  });
const CRC8 = crcTable(0x07, 8);
const CRC16 = crcTable(0x8005, 16);
