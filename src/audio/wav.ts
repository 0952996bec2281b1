/**
 * RIFF WAVE, written and read. Reading trusts no header: sizes are those of the bytes that are there, and what is not plain
 * PCM, float or G.711 is left to another decoder (null).
 */
/** Of the headers written here. */
export const HEADER_BYTES = 44;
const UNKNOWN_SIZE = 0xffff_ffff;

/** The header of 16-bit mono PCM; `sampleCount` null where the length is not known yet. */
export function wavHeader(sampleCount: number | null, sampleRate: number): Uint8Array<ArrayBuffer> {
  const dataBytes = sampleCount === null ? null : sampleCount * 2;
  return pcmHeader({ sampleRate, width: 2, channels: 1 }, dataBytes);
}

/** `width`: the bytes of one sample of one channel. One byte is unsigned, more are signed. */
export type PcmLayout = { sampleRate: number; width: number; channels: number };

/** The header of PCM of any layout; `dataBytes` null where the length is not known yet. */
export function pcmHeader(
  { sampleRate, width, channels }: PcmLayout,
  dataBytes: number | null,
): Uint8Array<ArrayBuffer> {
  const header = new DataView(new ArrayBuffer(HEADER_BYTES));
  ascii(header, 0, "RIFF");
  header.setUint32(4, dataBytes === null ? UNKNOWN_SIZE : 36 + dataBytes, true);
  ascii(header, 8, "WAVEfmt ");
  header.setUint32(16, 16, true);
  header.setUint16(20, FORMATS.pcm, true);
  header.setUint16(22, channels, true);
  header.setUint32(24, sampleRate, true);
  header.setUint32(28, sampleRate * width * channels, true);
  header.setUint16(32, width * channels, true);
  header.setUint16(34, width * 8, true);
  ascii(header, 36, "data");
  header.setUint32(40, dataBytes ?? UNKNOWN_SIZE, true);
  return new Uint8Array(header.buffer);
}

/** Mono, the mean of the channels; `truncated` when more than `maxSeconds` was there. */
export type ParsedWav = { sampleRate: number; samples: Float32Array; truncated: boolean };

const FORMATS = { pcm: 1, float: 3, alaw: 6, ulaw: 7, extensible: 0xfffe };

type Read = (view: DataView, offset: number) => number;

const READERS: Record<string, Read> = {
  "1:8": (view, offset) => (view.getUint8(offset) - 128) / 128,
  "1:16": (view, offset) => view.getInt16(offset, true) / 32_768,
  "1:24": (view, offset) => (view.getUint16(offset, true) | (view.getInt8(offset + 2) << 16)) / 8_388_608,
  "1:32": (view, offset) => view.getInt32(offset, true) / 2_147_483_648,
  "3:32": (view, offset) => finite(view.getFloat32(offset, true)),
  "3:64": (view, offset) => finite(view.getFloat64(offset, true)),
  "6:8": (view, offset) => alaw(view.getUint8(offset)),
  "7:8": (view, offset) => ulaw(view.getUint8(offset)),
};

export function parseWav(bytes: Uint8Array, maxSeconds: number): ParsedWav | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const parts = findParts(view);
  if (!parts) return null;
  const { format, channels, sampleRate, bits, dataOffset, dataBytes } = parts;
  const read = READERS[`${format}:${bits}`];
  if (!read || channels < 1 || channels > 64 || sampleRate < 1000 || sampleRate > 768_000) return null;
  const width = bits / 8;
  const count = Math.floor(dataBytes / (width * channels));
  const kept = Math.min(count, Math.ceil(maxSeconds * sampleRate));
  const samples = new Float32Array(kept);
  for (let i = 0; i < kept; i++) {
    let sum = 0;
    for (let channel = 0; channel < channels; channel++)
      sum += read(view, dataOffset + (i * channels + channel) * width);
    samples[i] = sum / channels;
  }
  return { sampleRate, samples, truncated: count > kept };
}

/**
 * Where the samples of a file lie, from its first bytes: offset and length, and the bytes of one sample of all channels.
 * Null where these bytes do not say.
 */
export function wavLayout(
  head: Uint8Array,
  fileBytes: number,
): { dataOffset: number; dataBytes: number; frameBytes: number } | null {
  const parts = findParts(new DataView(head.buffer, head.byteOffset, head.length), fileBytes);
  return parts && { ...parts, frameBytes: (parts.bits / 8) * parts.channels };
}

type Parts = {
  format: number;
  channels: number;
  sampleRate: number;
  bits: number;
  dataOffset: number;
  dataBytes: number;
};

/** `fileBytes`: where the view is only the beginning. */
function findParts(view: DataView, fileBytes = view.byteLength): Parts | null {
  if (view.byteLength < 12 || !["RIFF", "RF64"].includes(tag(view, 0)) || tag(view, 8) !== "WAVE")
    return null;
  let described: Omit<Parts, "dataOffset" | "dataBytes"> | null = null;
  for (let offset = 12; offset + 8 <= view.byteLength; ) {
    const name = tag(view, offset);
    const size = view.getUint32(offset + 4, true);
    const start = offset + 8;
    if (name === "data") {
      const there = fileBytes - start;
      const lying = size === 0 || size === UNKNOWN_SIZE || size > there; // a streamed file never learnt its size
      return described && { ...described, dataOffset: start, dataBytes: lying ? there : size };
    }
    if (name === "fmt " && size >= 16 && start + size <= view.byteLength)
      described = readFormat(view, start, size);
    offset = start + size + (size & 1);
  }
  return null;
}

function readFormat(view: DataView, offset: number, size: number) {
  const format = view.getUint16(offset, true);
  const extended = format === FORMATS.extensible && size >= 26;
  return {
    format: extended ? view.getUint16(offset + 24, true) : format,
    channels: view.getUint16(offset + 2, true),
    sampleRate: view.getUint32(offset + 4, true),
    bits: view.getUint16(offset + 14, true),
  };
}

const finite = (value: number) => (Number.isFinite(value) ? Math.max(-1, Math.min(1, value)) : 0);

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
  return String.fromCharCode(
    view.getUint8(offset),
    view.getUint8(offset + 1),
    view.getUint8(offset + 2),
    view.getUint8(offset + 3),
  );
}

function ascii(view: DataView, offset: number, text: string): void {
  for (let i = 0; i < text.length; i++) view.setUint8(offset + i, text.charCodeAt(i));
}
