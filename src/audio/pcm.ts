/** Samples: Float32 in [-1, 1] to signed 16-bit integers and back, and joined. */

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
