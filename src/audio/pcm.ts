/** Samples: Float32 in [-1, 1] to signed 16-bit integers and back, joined, and with the headers of RIFF WAVE. */

/**
 * Rounds and clamps; what is not a number is silence. `Math.round` takes three times as long as cutting off the fraction of
 * a positive number; the sum is exact wherever rounding depends on it.
 */
export function toInt16(samples: Float32Array): Int16Array<ArrayBuffer> {
  const out = new Int16Array(samples.length);
  for (let i = 0; i < samples.length; i++) {
    const value = samples[i]! * 32_768;
    if (value >= 32_767) out[i] = 32_767;
    else if (value > -32_768) out[i] = ((value + 32_768.5) | 0) - 32_768;
    else if (value <= -32_768) out[i] = -32_768;
  }
  return out;
}

export function toFloat(samples: Int16Array, out = new Float32Array(samples.length)): Float32Array {
  for (let i = 0; i < samples.length; i++) out[i] = samples[i]! / 32_768;
  return out;
}

export function join(a: Float32Array, b: Float32Array): Float32Array<ArrayBuffer> {
  const both = new Float32Array(a.length + b.length);
  both.set(a);
  both.set(b, a.length);
  return both;
}

export function joinAll(parts: readonly Float32Array[]): Float32Array {
  if (parts.length === 1) return parts[0]!;
  const all = new Float32Array(parts.reduce((sum, { length }) => sum + length, 0));
  let offset = 0;
  for (const part of parts) {
    all.set(part, offset);
    offset += part.length;
  }
  return all;
}

/** Of the headers written here. */
export const HEADER_BYTES = 44;
const UNKNOWN_SIZE = 0xffff_ffff;
const PCM = 1;
const G711 = { alaw: 6, ulaw: 7 };

/** The header of 16-bit mono PCM; `sampleCount` null where the length is not known yet. */
export function wavHeader(sampleCount: number | null, sampleRate: number): Uint8Array<ArrayBuffer> {
  const dataBytes = sampleCount === null ? null : sampleCount * 2;
  return pcmHeader({ sampleRate, width: 2, channels: 1 }, dataBytes);
}

/** The header of mono G.711, whose samples are bytes. */
export const g711Header =
  (law: keyof typeof G711) =>
  (sampleCount: number | null, sampleRate: number): Uint8Array<ArrayBuffer> => {
    const header = pcmHeader({ sampleRate, width: 1, channels: 1 }, sampleCount);
    new DataView(header.buffer).setUint16(20, G711[law], true);
    return header;
  };

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
  header.setUint16(20, PCM, true);
  header.setUint16(22, channels, true);
  header.setUint32(24, sampleRate, true);
  header.setUint32(28, sampleRate * width * channels, true);
  header.setUint16(32, width * channels, true);
  header.setUint16(34, width * 8, true);
  ascii(header, 36, "data");
  header.setUint32(40, dataBytes ?? UNKNOWN_SIZE, true);
  return new Uint8Array(header.buffer);
}

function ascii(view: DataView, offset: number, text: string): void {
  for (let i = 0; i < text.length; i++) view.setUint8(offset + i, text.charCodeAt(i));
}
