/**
 * Samples with mean 0 and deviation 1, to the bit as NumPy has them: in single precision, summed in its order.
 *
 * A graph with 8-bit activations rounds its inputs to one of 256 steps, so that the last bit of a sample can move a
 * probability by 0.1.
 */

const { fround, sqrt } = Math;

/** Keeps silence from being divided by zero. */
const GUARD = fround(1e-7);
const BLOCK = 128;
const WIDTH = 8;

export function standardize(samples: Float32Array): Float32Array {
  const mean = fround(sumOf(samples) / samples.length);
  const centred = samples.map((sample) => sample - mean);
  const variance = fround(sumOf(centred.map((sample) => sample * sample)) / samples.length);
  const deviation = fround(sqrt(fround(variance + GUARD)));
  return centred.map((sample) => sample / deviation);
}

/** In halves, of whole rows of eight, until a block is left. */
function sumOf(values: Float32Array): number {
  if (values.length <= BLOCK) return blockSum(values);
  const middle = Math.floor(values.length / 2 / WIDTH) * WIDTH;
  return fround(sumOf(values.subarray(0, middle)) + sumOf(values.subarray(middle)));
}

/** Eight sums side by side, joined in pairs; then what is left over. */
function blockSum(values: Float32Array): number {
  const whole = values.length - (values.length % WIDTH);
  const sums = new Float32Array(WIDTH);
  for (let index = 0; index < whole; index++) sums[index % WIDTH]! += values[index]!;
  for (let step = 1; step < WIDTH; step *= 2)
    for (let index = 0; index < WIDTH; index += 2 * step) sums[index]! += sums[index + step]!;
  return values.subarray(whole).reduce((sum, value) => fround(sum + value), sums[0]!);
}
