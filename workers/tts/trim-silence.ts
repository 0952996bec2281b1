/**
 * Trims the silence that engines leave at both ends of a segment, and fades the ends so that joins do not click.
 *
 *   ___▁▂▅▇▆▃▁______   ->   ╱▂▅▇▆▃▁╲      trimmed to 30 ms around the speech, faded over 5 ms
 */
export const FLOOR = 10 ** (-45 / 20);
export const KEPT_MS = 30;
export const FADE_MS = 5;

/** The speech inside `samples`, with faded ends, and how many were cut off its start; empty where there is only silence. */
export function trimEdges(samples: Float32Array, sampleRate: number): { samples: Float32Array; cut: number } {
  let start = 0;
  while (start < samples.length && Math.abs(samples[start]!) < FLOOR) start++;
  if (start === samples.length) return { samples: new Float32Array(0), cut: start };
  let end = samples.length;
  while (Math.abs(samples[end - 1]!) < FLOOR) end--;
  const kept = Math.round((KEPT_MS * sampleRate) / 1000);
  const cut = Math.max(0, start - kept);
  const trimmed = samples.slice(cut, end + kept);
  fade(trimmed, Math.round((FADE_MS * sampleRate) / 1000));
  return { samples: trimmed, cut };
}

/** Raised-cosine fades at both ends. */
function fade(samples: Float32Array, length: number): void {
  const steps = Math.min(length, samples.length >> 1);
  fadeIn(samples, steps);
  fadeOut(samples, steps);
}

/** Of the first `steps` samples. */
export function fadeIn(samples: Float32Array, steps: number): void {
  for (let i = 0; i < steps; i++) samples[i]! *= gainOf(i, steps);
}

/** Of the last `steps` samples. */
export function fadeOut(samples: Float32Array, steps: number): void {
  for (let i = 0; i < steps; i++) samples[samples.length - 1 - i]! *= gainOf(i, steps);
}

const gainOf = (step: number, steps: number) => 0.5 - 0.5 * Math.cos((Math.PI * step) / steps);

/** Cut or padded with silence to a length; the ends are faded. */
export function fitted(samples: Float32Array, length: number, sampleRate: number): Float32Array {
  const result = new Float32Array(length);
  result.set(samples.subarray(0, length));
  fade(result, Math.round((FADE_MS * sampleRate) / 1000));
  return result;
}
