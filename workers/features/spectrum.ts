/**
 * The power spectrum of real frames of an even length.
 *
 *   x[0..N) ──pairs as complex──> FFT of N/2 ──untangled──> |X[k]|², k = 0..N/2
 */
import { Fft, type Plane, turnsOf } from "./fft.ts";

export class Spectrum {
  /** Values of a spectrum: from 0 Hz to half the sample rate. */
  readonly bins: number;
  readonly #fft: Fft;
  readonly #turns: Plane;

  constructor(size: number) {
    this.#fft = new Fft(size / 2);
    this.#turns = turnsOf(size);
    this.bins = size / 2 + 1;
  }

  /** `frame` has N samples, `power` room for `bins` values. */
  power(frame: Float64Array, power: Float64Array): void {
    const half = this.#fft.size;
    const { re, im } = this.#fft.input;
    for (let k = 0; k < half; k++) {
      re[k] = frame[2 * k]!;
      im[k] = frame[2 * k + 1]!;
    }
    const { re: zr, im: zi } = this.#fft.transform();
    const { re: tr, im: ti } = this.#turns;
    for (let k = 0; k <= half; k++) {
      const a = k % half;
      const b = (half - k) % half;
      const evenRe = (zr[a]! + zr[b]!) / 2;
      const evenIm = (zi[a]! - zi[b]!) / 2;
      const oddRe = (zi[a]! + zi[b]!) / 2;
      const oddIm = (zr[b]! - zr[a]!) / 2;
      const xr = evenRe + oddRe * tr[k]! - oddIm * ti[k]!;
      const xi = evenIm + oddRe * ti[k]! + oddIm * tr[k]!;
      power[k] = xr * xr + xi * xi;
    }
  }
}
