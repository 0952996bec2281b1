/**
 * Integrated loudness and true peak of mono samples, by ITU-R BS.1770-5 with the gates of EBU R 128.
 *
 *   samples ──K-weighting: +4 dB above 1.7 kHz, high-pass 38 Hz──> mean squares of 400 ms, one every 100 ms
 *           ──blocks above -70 LUFS──> mean ──blocks within 10 LU of it──> mean, in LUFS
 *
 * Mono counts as one channel, as everywhere in the field: the same samples on both channels of stereo are 3 LU louder.
 */

import { resample } from "../resample/resample.ts";

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
    return meanSquare(sound.subarray(from, from + Math.round(size)));
  });
}

/** A loop: a function called for each sample takes longer. */
function meanSquare(block: Float64Array): number {
  let sum = 0;
  for (let at = 0; at < block.length; at++) sum += block[at]! * block[at]!;
  return sum / block.length;
}

/** In dBFS, between the samples too: at four times the rate. @internal */
export function truePeakOf(samples: Float32Array, rate: number): number {
  let peak = 0;
  for (const sample of resample(samples, rate, 4 * rate)) peak = Math.max(peak, Math.abs(sample));
  return 20 * Math.log10(peak);
}

type Biquad = { b: [number, number, number]; a: [number, number] };

/**
 * The K-weighting of ITU-R BS.1770-5 at any rate: how much each frequency of a sound counts for its loudness.
 *
 * Two filters, whose bilinear transforms at 48 kHz are the tables of BS.1770. Source of their parameters: libebur128.
 */
const weighted = (samples: Float32Array, rate: number): Float64Array =>
  weighting(rate).reduce(filtered, new Float64Array(samples));

function weighting(rate: number): Biquad[] {
  return [
    liftHighs(Math.tan((Math.PI * 1681.974450955533) / rate)),
    highPass(Math.tan((Math.PI * 38.13547087602444) / rate)),
  ];
}

function liftHighs(k: number): Biquad {
  const q = 0.7071752369554196;
  const high = 10 ** (3.999843853973347 / 20);
  const band = high ** 0.4996667741545416;
  const norm = 1 + k / q + k * k;
  return {
    b: [
      (high + (band * k) / q + k * k) / norm,
      (2 * (k * k - high)) / norm,
      (high - (band * k) / q + k * k) / norm,
    ],
    a: poles(k, q),
  };
}

const highPass = (k: number): Biquad => ({ b: [1, -2, 1], a: poles(k, 0.5003270373238773) });

function poles(k: number, q: number): [number, number] {
  const norm = 1 + k / q + k * k;
  return [(2 * (k * k - 1)) / norm, (1 - k / q + k * k) / norm];
}

function filtered(samples: Float64Array, { b, a }: Biquad): Float64Array {
  const out = new Float64Array(samples.length);
  let [first, second] = [0, 0]; // transposed direct form II
  for (let at = 0; at < samples.length; at++) {
    const x = samples[at]!;
    const y = b[0] * x + first;
    first = b[1] * x - a[0] * y + second;
    second = b[2] * x - a[1] * y;
    out[at] = y;
  }
  return out;
}
