/** ADTS (ISO/IEC 13818-7, 6.2): AAC-LC frames, each behind its own header, so that a file has no other header. */

const SAMPLE_RATES = [
  96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8000,
];
const HEADER_BYTES = 7;
const SYNC_MPEG4_NO_CRC = 0xfff1;
const LOW_COMPLEXITY = 1;
const MONO = 1;
const VARIABLE_RATE = 0x7ff;

/** `frame` is one mono frame as the encoder made it. */
export function adtsFrame(frame: Uint8Array, sampleRate: number): Uint8Array {
  const rate = SAMPLE_RATES.indexOf(sampleRate);
  if (rate < 0) throw new Error(`ADTS has no sample rate of ${sampleRate} Hz`);
  const bytes = new Uint8Array(HEADER_BYTES + frame.length);
  const header = new DataView(bytes.buffer);
  header.setUint16(0, SYNC_MPEG4_NO_CRC);
  header.setUint8(2, (LOW_COMPLEXITY << 6) | (rate << 2) | (MONO >> 2));
  header.setUint32(3, ((MONO & 3) << 30) | (bytes.length << 13) | (VARIABLE_RATE << 2)); // its last byte: one frame
  bytes.set(frame, HEADER_BYTES);
  return bytes;
}
