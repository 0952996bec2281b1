/** The inner loop of rate conversions in JavaScript, and what such a loop is given. */
import type { FilterBank } from "./filter-bank.ts";

/** The input, where the inputs of the first output begin, and how far behind a sample that output lies, of `up` parts. */
export type Place = { input: Float32Array; start: number; part: number };

/** Fills `out`. Inputs behind the end of `input` are silence. */
export type Convolve = (bank: FilterBank, place: Place, out: Float32Array) => void;

/** Four sums, so that an addition need not wait for the one before it. */
export const convolvePlainly: Convolve = (bank, { input, start, part: firstPart }, out) => {
  const { up, down, phases, taps, rowLength } = bank;
  const step = Math.floor(down / up);
  const stepPart = down % up;
  let from = start;
  let part = firstPart;
  for (let k = 0; k < out.length; k++) {
    const phase = Math.floor(part * (phases / up) + 0.5);
    let [a, b, c, d] = [0, 0, 0, 0];
    const last = Math.min(rowLength, input.length - from);
    for (let t = phase * rowLength, i = from; i < from + last; i += 4, t += 4) {
      a += input[i]! * taps[t]!;
      b += (input[i + 1] ?? 0) * taps[t + 1]!;
      c += (input[i + 2] ?? 0) * taps[t + 2]!;
      d += (input[i + 3] ?? 0) * taps[t + 3]!;
    }
    out[k] = a + b + (c + d);
    from += step;
    part += stepPart;
    if (part < up) continue;
    part -= up;
    from++;
  }
};
