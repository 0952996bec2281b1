/**
 * Trims the silence that engines leave at both ends of a segment, and fades the ends so that joins do not click.
 *
 *   ___▁▂▅▇▆▃▁______   ->   ╱▂▅▇▆▃▁╲      trimmed to 30 ms around the speech, faded over 5 ms
 */
const FLOOR = 10 ** (-45 / 20);
const KEPT_MS = 30;
const FADE_MS = 5;

/** The speech inside `samples`, with faded ends; empty where there is only silence. */
export function trimEdges(samples: Float32Array, sampleRate: number): Float32Array {
  let start = 0;
  while (start < samples.length && Math.abs(samples[start]!) < FLOOR) start++;
  if (start === samples.length) return new Float32Array(0);
  let end = samples.length;
  while (Math.abs(samples[end - 1]!) < FLOOR) end--;
  const kept = Math.round((KEPT_MS * sampleRate) / 1000);
  const trimmed = samples.slice(Math.max(0, start - kept), end + kept);
  fade(trimmed, Math.round((FADE_MS * sampleRate) / 1000));
  return trimmed;
}

/** Raised-cosine fades at both ends. */
function fade(samples: Float32Array, length: number): void {
  const steps = Math.min(length, samples.length >> 1);
  for (let i = 0; i < steps; i++) {
    const gain = 0.5 - 0.5 * Math.cos((Math.PI * i) / steps);
    samples[i]! *= gain;
    samples[samples.length - 1 - i]! *= gain;
  }
}

/** Cut or padded with silence to a length; the ends are faded. */
export function fitted(samples: Float32Array, length: number, sampleRate: number): Float32Array {
  const result = new Float32Array(length);
  result.set(samples.subarray(0, length));
  fade(result, Math.round((FADE_MS * sampleRate) / 1000));
  return result;
}
