/**
 * One channel of a FLAC frame (RFC 9639, section 9.2): a prediction from the samples before, and what it was wrong by.
 *
 *   constant   one value             fixed   a polynomial of order 0 to 4, residual
 *   verbatim   every sample          LPC     up to 32 coefficients, residual
 *
 * Sums are exact in doubles: 32 products of 15 and 33 bits.
 */
import type { BitReader } from "./bit-reader.ts";

const FIXED = [[], [1], [2, -1], [3, -3, 1], [4, -6, 4, -1]];
const TYPES = { constant: 0, verbatim: 1, fixed: 8, lpc: 32 };
const RICE_WIDTHS = [4, 5];

/** @param width bits of a sample */
export function readSubframe(bits: BitReader, count: number, width: number): Float64Array {
  if (bits.unsigned(1) !== 0) throw new RangeError("not a subframe");
  const type = bits.unsigned(6);
  const wasted = bits.unsigned(1) === 0 ? 0 : bits.unary() + 1;
  if (wasted >= width) throw new RangeError("no bits are left");
  const samples = readSamples(bits, { type, count, width: width - wasted });
  if (wasted > 0) for (let i = 0; i < count; i++) samples[i]! *= 2 ** wasted;
  return samples;
}

type Subframe = { type: number; count: number; width: number };

function readSamples(bits: BitReader, { type, count, width }: Subframe): Float64Array {
  const samples = new Float64Array(count);
  if (type === TYPES.constant) return samples.fill(bits.signed(width));
  if (type === TYPES.verbatim) return samples.map(() => bits.signed(width));
  const isLpc = type >= TYPES.lpc;
  const order = isLpc ? type - TYPES.lpc + 1 : type - TYPES.fixed;
  const isKnown = isLpc || (order >= 0 && order < FIXED.length);
  if (!isKnown || order > count) throw new RangeError("not a subframe");
  for (let i = 0; i < order; i++) samples[i] = bits.signed(width);
  const { coefficients, scale } = isLpc
    ? readCoefficients(bits, order)
    : { coefficients: FIXED[order]!, scale: 1 };
  readResidual(bits, samples, order);
  predict(samples, coefficients, scale);
  return samples;
}

function readCoefficients(bits: BitReader, order: number): { coefficients: number[]; scale: number } {
  const width = bits.unsigned(4) + 1;
  const shift = bits.signed(5);
  if (width === 16 || shift < 0) throw new RangeError("not a predictor");
  return { coefficients: Array.from({ length: order }, () => bits.signed(width)), scale: 2 ** shift };
}

/** Into `samples`, behind the first `order`. Partitions of Rice codes, each with its parameter. */
function readResidual(bits: BitReader, samples: Float64Array, order: number): void {
  const parameterWidth = RICE_WIDTHS[bits.unsigned(2)];
  if (parameterWidth === undefined) throw new RangeError("not a residual");
  const partitions = 1 << bits.unsigned(4);
  const size = samples.length / partitions;
  if (!Number.isInteger(size) || size < order) throw new RangeError("not a residual");
  for (let partition = 0, i = order; partition < partitions; partition++) {
    const end = (partition + 1) * size;
    const parameter = bits.unsigned(parameterWidth);
    if (parameter === (1 << parameterWidth) - 1) {
      const width = bits.unsigned(5); // not coded
      for (; i < end; i++) samples[i] = bits.signed(width);
    } else {
      const factor = 2 ** parameter;
      for (; i < end; i++) {
        const code = bits.unary() * factor + bits.unsigned(parameter);
        samples[i] = code % 2 === 0 ? code / 2 : -(code + 1) / 2;
      }
    }
  }
}

function predict(samples: Float64Array, coefficients: readonly number[], scale: number): void {
  const order = coefficients.length;
  for (let i = order; i < samples.length; i++) {
    let sum = 0;
    for (let j = 0; j < order; j++) sum += coefficients[j]! * samples[i - 1 - j]!;
    samples[i]! += Math.floor(sum / scale);
  }
}
