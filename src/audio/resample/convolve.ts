/**
 * The inner loop of rate conversions: four products at a time where the processor and the runtime can, else one.
 *
 *   out[k] = Σ input[start + n + whole steps of k] · row of the phase of k [n]
 */
import { type Convolve, convolvePlainly } from "./plain.ts";
import { openSimd } from "./simd.ts";

let chosen: Convolve | null = null;

export const convolve: Convolve = (bank, place, out) => {
  chosen ??= openSimd() ?? convolvePlainly;
  chosen(bank, place, out);
};
