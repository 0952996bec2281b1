/**
 * Integrated loudness and true peak of mono samples, by ITU-R BS.1770-5 with the gates of EBU R 128.
 *
 *   samples ──K-weighting: +4 dB above 1.7 kHz, high-pass 38 Hz──> mean squares of 400 ms, one every 100 ms
 *           ──blocks above -70 LUFS──> mean ──blocks within 10 LU of it──> mean, in LUFS
 *
 * Mono counts as one channel, as everywhere in the field: the same samples on both channels of stereo are 3 LU louder.
 */
import { resample } from "../resample/resample.ts";
import { weighted } from "./weighting.ts";

const BLOCK_MS = 400;
const STEP_MS = 100;
const OFFSET = -0.691; // LUFS of a mean square of 1
const SILENT = -70; // LUFS
const RELATIVE = -10; // LU

const toLufs = (square: number): number => OFFSET + 10 * Math.log10(square);
const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

/**
 * In LUFS; minus infinity where nothing is louder than the gate. Several clips are taken as one programme, and no block lies
 * across two of them. What is shorter than a block counts as one whole block.
 */
export function loudnessOf(clips: readonly Float32Array[], rate: number): number {
  const blocks = clips.flatMap((clip) => meanSquares(clip, rate));
  const loud = blocks.filter((square) => toLufs(square) > SILENT);
  if (loud.length === 0) return Number.NEGATIVE_INFINITY;
  const gate = toLufs(mean(loud)) + RELATIVE;
  return toLufs(mean(loud.filter((square) => toLufs(square) > gate)));
}

function meanSquares(clip: Float32Array, rate: number): number[] {
  if (clip.length === 0) return [];
  const sound = weighted(clip, rate);
  const step = (rate * STEP_MS) / 1000;
  const size = (rate * BLOCK_MS) / 1000;
  const count = Math.max(1, Math.floor((sound.length - size) / step) + 1);
  return Array.from({ length: count }, (_, index) => {
    const from = Math.round(index * step);
    const block = sound.subarray(from, from + Math.round(size));
    return block.reduce((sum, sample) => sum + sample * sample, 0) / block.length;
  });
}

/** In dBFS, between the samples too: at four times the rate. @internal */
export function truePeakOf(samples: Float32Array, rate: number): number {
  let peak = 0;
  for (const sample of resample(samples, rate, 4 * rate)) peak = Math.max(peak, Math.abs(sample));
  return 20 * Math.log10(peak);
}
