/**
 * G.711: telephone audio, 8 kHz, one byte a sample. Decoded by table, as ITU-T G.711 defines both laws.
 *
 *   byte ── inverted bits ── sign · exponent (3) · mantissa (4) ──> 14 bits (u-law) or 13 bits (A-law)
 */
const ULAW_BIAS = 33;

const ULAW = table((byte) => {
  const code = ~byte & 0xff;
  const exponent = (code >> 4) & 7;
  const magnitude = (((2 * (code & 15) + ULAW_BIAS) << exponent) - ULAW_BIAS) / 8192;
  return code & 0x80 ? -magnitude : magnitude;
});

const ALAW = table((byte) => {
  const code = byte ^ 0x55;
  const exponent = (code >> 4) & 7;
  const mantissa = 2 * (code & 15) + 1;
  const magnitude = (exponent === 0 ? mantissa : (mantissa + 32) << (exponent - 1)) / 4096;
  return code & 0x80 ? magnitude : -magnitude;
});

/** Samples in [-1, 1] at 8 kHz. */
export const decodeUlaw = (bytes: Uint8Array): Float32Array => decode(bytes, ULAW);
export const decodeAlaw = (bytes: Uint8Array): Float32Array => decode(bytes, ALAW);

function table(sampleOf: (byte: number) => number): Float32Array {
  return Float32Array.from({ length: 256 }, (_, byte) => sampleOf(byte));
}

function decode(bytes: Uint8Array, samples: Float32Array): Float32Array {
  const out = new Float32Array(bytes.length);
  for (let index = 0; index < bytes.length; index++) out[index] = samples[bytes[index]!]!;
  return out;
}

/** Samples in [-1, 1] at 8 kHz, each as the code whose sample is nearest. */
export const encodeUlaw = (samples: Float32Array): Uint8Array<ArrayBuffer> =>
  encode(samples, codesOf("ulaw"));
export const encodeAlaw = (samples: Float32Array): Uint8Array<ArrayBuffer> =>
  encode(samples, codesOf("alaw"));

const STEPS = 8192; // both laws have a step or more between any two samples
const LAWS = { ulaw: ULAW, alaw: ALAW };
const codes: Partial<Record<keyof typeof LAWS, Uint8Array>> = {};

/** The code of each step from -1 to 1. Made when it is first needed. */
function codesOf(law: keyof typeof LAWS): Uint8Array {
  codes[law] ??= makeCodes(LAWS[law]);
  return codes[law];
}

function makeCodes(table: Float32Array): Uint8Array {
  const ordered = Array.from(table, (sample, code) => ({ sample, code })).sort((a, b) => a.sample - b.sample);
  let nearest = 0;
  return Uint8Array.from({ length: 2 * STEPS + 1 }, (_, step) => {
    const sample = step / STEPS - 1;
    const distance = (index: number) => Math.abs((ordered[index]?.sample ?? 2) - sample);
    while (distance(nearest + 1) <= distance(nearest)) nearest++;
    return ordered[nearest]!.code;
  });
}

function encode(samples: Float32Array, codes: Uint8Array): Uint8Array<ArrayBuffer> {
  const out = new Uint8Array(samples.length);
  for (let index = 0; index < samples.length; index++) {
    const sample = Math.max(-1, Math.min(1, samples[index]! || 0));
    out[index] = codes[Math.round((sample + 1) * STEPS)]!;
  }
  return out;
}
