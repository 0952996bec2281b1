/**
 * Reads RIFF WAVE. No header is trusted: sizes are those of the bytes that are there, and what is not plain PCM, float or
 * G.711 is left to another decoder (null).
 *
 *   RIFF │ fmt │ … │ data │ … │ data │ … │ RIFF │ fmt │ data      all data of one format is one recording
 */
import { Downmix, type Layout, layoutOf } from "./downmix.ts";
import { type ReadBytes, unreadRest } from "./unread-rest.ts";

/** Of each channel equally many samples, `frameBytes` for one of all. */
export type WavFile = Format & {
  frameBytes: number;
  sampleCount: number;
  data: Run[];
  /** Of the samples, as the header says; null where it says what cannot be. */
  declaredSeconds: number | null;
  /** Behind the samples, and no chunks of them: joined recordings in another format, or samples that the header does not count. */
  unreadBytes: number;
};

type Run = { start: number; sizeBytes: number };

type Format = {
  format: number;
  channels: number;
  sampleRate: number;
  bits: number;
  /** Null: unknown. */
  layout: Layout | null;
};

const FORMATS = { float: 3, extensible: 0xfffe };
const UNKNOWN_SIZE = 0xffff_ffff;
const UNTRUE_SIZE = 0x7000_0000; // no upload is so large: a streamed file never learnt its size
const MASK_OFFSET = 20;
const SUBFORMAT_OFFSET = 24;
/** What may follow a chunk of odd size at once, although a byte should be between them. */
const CHUNKS = [
  "data",
  "fmt ",
  "fact",
  "LIST",
  "bext",
  "cue ",
  "smpl",
  "PEAK",
  "JUNK",
  "id3 ",
  "iXML",
  "RIFF",
];
const BLOCK_BYTES = 256 * 1024;
/** Floating-point samples beyond this have the scale of integers. */
const FLOAT_MAX = 32;
const INTEGER_SCALES = [2 ** 15, 2 ** 23, 2 ** 31];

type Read = (view: DataView, offset: number) => number;

const READERS: Record<string, Read> = {
  "1:8": (view, offset) => (view.getUint8(offset) - 128) / 128,
  "1:16": (view, offset) => view.getInt16(offset, true) / 32_768,
  "1:24": (view, offset) => (view.getUint16(offset, true) | (view.getInt8(offset + 2) << 16)) / 8_388_608,
  "1:32": (view, offset) => view.getInt32(offset, true) / 2_147_483_648,
  "3:32": (view, offset) => view.getFloat32(offset, true),
  "3:64": (view, offset) => view.getFloat64(offset, true),
  "6:8": (view, offset) => alaw(view.getUint8(offset)),
  "7:8": (view, offset) => ulaw(view.getUint8(offset)),
};

/** Mono; `truncated` when more than `maxSeconds` was there, and `seconds` are all of them. */
export type ParsedWav = {
  sampleRate: number;
  samples: Float32Array;
  truncated: boolean;
  seconds: number;
} & Pick<WavFile, "declaredSeconds" | "unreadBytes">;

export function parseWav(bytes: Uint8Array, maxSeconds: number): ParsedWav | null {
  const read = (position: number, size: number) => bytes.subarray(position, position + size);
  const file = openWav(read, bytes.length);
  if (file === null) return null;
  const { sampleRate, sampleCount, declaredSeconds, unreadBytes } = file;
  const samples = new Float32Array(Math.min(sampleCount, Math.ceil(maxSeconds * sampleRate)));
  let count = 0;
  for (const block of wavBlocks(file, read)) {
    const part = block.subarray(0, samples.length - count);
    samples.set(part, count);
    count += part.length;
    if (count === samples.length) break;
  }
  const truncated = sampleCount > samples.length;
  return { sampleRate, samples, truncated, seconds: sampleCount / sampleRate, declaredSeconds, unreadBytes };
}

/** The samples of a file, mixed to one channel, in blocks. */
export function* wavBlocks(file: WavFile, read: ReadBytes): Generator<Float32Array> {
  const { channels, sampleRate, layout } = file;
  const downmix = new Downmix(channels, sampleRate, layout);
  const scale = scaleOf(file, read);
  for (const planes of planesOf(file, read)) {
    if (file.format === FORMATS.float) for (const plane of planes) makeFinite(plane, scale);
    yield downmix.push(planes);
  }
  yield downmix.finish();
}

/** Samples of each channel as they are, in blocks. */
function* planesOf(file: WavFile, read: ReadBytes): Generator<Float32Array[]> {
  const { channels, frameBytes, data, format, bits } = file;
  const value = READERS[`${format}:${bits}`]!;
  const blockBytes = Math.ceil(BLOCK_BYTES / frameBytes) * frameBytes;
  const width = bits / 8;
  for (const { start, sizeBytes } of data)
    for (let offset = 0; offset < sizeBytes; offset += blockBytes) {
      const bytes = read(start + offset, Math.min(blockBytes, sizeBytes - offset));
      const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
      const count = Math.floor(bytes.length / frameBytes);
      yield Array.from({ length: channels }, (_, channel) => {
        const plane = new Float32Array(count);
        for (let i = 0; i < count; i++) plane[i] = value(view, i * frameBytes + channel * width);
        return plane;
      });
    }
}

/** What floating-point samples are divided by: some programs write them in the range of integers. */
function scaleOf(file: WavFile, read: ReadBytes): number {
  if (file.format !== FORMATS.float) return 1;
  let loudest = 0;
  for (const planes of planesOf(file, read))
    for (const plane of planes)
      for (const value of plane) if (Number.isFinite(value)) loudest = Math.max(loudest, Math.abs(value));
  return loudest <= FLOAT_MAX ? 1 : (INTEGER_SCALES.find((scale) => loudest <= scale) ?? loudest);
}

function makeFinite(samples: Float32Array, scale: number): void {
  for (let i = 0; i < samples.length; i++) {
    const value = samples[i]! / scale;
    samples[i] = Number.isFinite(value) ? Math.max(-1, Math.min(1, value)) : 0;
  }
}

export function openWav(read: ReadBytes, fileBytes: number): WavFile | null {
  const view = (position: number, size: number) => {
    const bytes = read(position, size);
    return new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  };
  const withRest = (found: WavFile | null, position: number): WavFile | null =>
    found && { ...found, unreadBytes: unreadRest(read, position, fileBytes) };
  let file: WavFile | null = null;
  let format: Format | null = null;
  let largeBytes: number | null = null;
  for (let offset = 0; offset + 8 <= fileBytes; ) {
    const head = view(offset, 12);
    const name = tag(head, 0);
    const size = head.getUint32(4, true);
    const start = offset + 8;
    if (name === "RIFF" || name === "RF64") {
      if (head.byteLength < 12 || tag(head, 8) !== "WAVE") return withRest(file, offset);
      format = null;
      offset += 12;
      continue;
    }
    if (offset === 0) return null;
    if (name === "ds64" && size >= 24) largeBytes = Number(view(start, 24).getBigUint64(8, true));
    if (name === "fmt " && size >= 16) format = formatAt(view(start, Math.min(size, SUBFORMAT_OFFSET + 2)));
    if (name !== "data") {
      const isBeyond = start + size > fileBytes && !CHUNKS.includes(name);
      if (!isName(name) || isBeyond) return withRest(file, offset);
      offset = following(view, start, size);
      continue;
    }
    const there = fileBytes - start;
    const declared = size === UNKNOWN_SIZE && largeBytes !== null ? largeBytes : size;
    const isWhole = declared > 0 && declared <= there;
    file ??= format && fileOf(format);
    if (file === null) return null;
    if (format === null || !isSame(file, format)) return { ...file, unreadBytes: fileBytes - offset };
    add(file, { start, sizeBytes: isWhole ? declared : there }, declared);
    if (!isWhole) break;
    offset = following(view, start, declared);
  }
  return file;
}

/** Null for a format that is not read here. */
function fileOf(format: Format): WavFile | null {
  const { channels, sampleRate, bits } = format;
  if (!READERS[`${format.format}:${bits}`]) return null;
  if (channels < 1 || channels > 64 || sampleRate < 1000 || sampleRate > 768_000) return null;
  const frameBytes = (bits / 8) * channels;
  return { ...format, frameBytes, sampleCount: 0, data: [], declaredSeconds: 0, unreadBytes: 0 };
}

function add(file: WavFile, run: Run, declaredBytes: number): void {
  const count = Math.floor(run.sizeBytes / file.frameBytes);
  if (count > 0) file.data.push({ start: run.start, sizeBytes: count * file.frameBytes });
  file.sampleCount += count;
  const isTrue = declaredBytes > 0 && declaredBytes < UNTRUE_SIZE;
  if (file.declaredSeconds === null || !isTrue) file.declaredSeconds = null;
  else file.declaredSeconds += declaredBytes / file.frameBytes / file.sampleRate;
}

const isSame = (a: Format, b: Format) =>
  a.format === b.format && a.channels === b.channels && a.sampleRate === b.sampleRate && a.bits === b.bits;

/** Where the next chunk begins: behind a byte that makes an odd size even, which some programs leave out. */
function following(view: (position: number, size: number) => DataView, start: number, size: number): number {
  const end = start + size;
  if (size % 2 === 0) return end;
  const next = view(end, 4);
  return next.byteLength === 4 && CHUNKS.includes(tag(next, 0)) ? end : end + 1;
}

/** Null where the bytes end in it. */
function formatAt(view: DataView): Format | null {
  if (view.byteLength < 16) return null;
  const format = view.getUint16(0, true);
  const isExtended = format === FORMATS.extensible && view.byteLength >= SUBFORMAT_OFFSET + 2;
  return {
    format: isExtended ? view.getUint16(SUBFORMAT_OFFSET, true) : format,
    channels: view.getUint16(2, true),
    sampleRate: view.getUint32(4, true),
    bits: view.getUint16(14, true),
    layout: isExtended ? layoutOf(view.getUint32(MASK_OFFSET, true)) : null,
  };
}

/** ITU-T G.711 µ-law: sign, 3 bits of exponent, 4 of mantissa, all inverted. */
function ulaw(byte: number): number {
  const bits = ~byte & 0xff;
  const magnitude = ((((bits & 0x0f) << 3) + 0x84) << ((bits >> 4) & 7)) - 0x84;
  return (bits & 0x80 ? -magnitude : magnitude) / 32_768;
}

/** ITU-T G.711 A-law: as µ-law, with every other bit inverted and a linear first segment. */
function alaw(byte: number): number {
  const bits = byte ^ 0x55;
  const exponent = (bits >> 4) & 7;
  const mantissa = ((bits & 0x0f) << 4) + 8;
  const magnitude = exponent === 0 ? mantissa : (mantissa + 0x100) << (exponent - 1);
  return (bits & 0x80 ? magnitude : -magnitude) / 32_768;
}

function tag(view: DataView, offset: number): string {
  return String.fromCharCode(...[0, 1, 2, 3].map((index) => view.getUint8(offset + index)));
}

const isName = (name: string) => /^[\x20-\x7e]{4}$/.test(name);
