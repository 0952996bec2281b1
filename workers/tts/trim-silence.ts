/**
 * The edges of a spoken segment: engines leave silence of any length there, and joins must not click.
 *
 *   ___▁▂▅▇▆▃▁______   ->   ╱▂▅▇▆▃▁╲      trimmed to 30 ms around the speech, faded over 5 ms
 */
const FLOOR = 10 ** (-45 / 20);
const KEPT_MS = 30;
const FADE_MS = 5;

/** A view of the speech inside `samples`, faded in place; empty when there is nothing but silence. */
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

/** Cut or filled with silence to a length; the cut is faded. */
export function fitted(samples: Float32Array, length: number, sampleRate: number): Float32Array {
  const whole = new Float32Array(length);
  whole.set(samples.subarray(0, length));
  fade(whole, Math.round((FADE_MS * sampleRate) / 1000));
  return whole;
}
