/** The steps that all features share: a window over a frame, its power spectrum, a filterbank over the spectrum. */
import type { Filterbank } from "./mel.ts";
import { Spectrum } from "./spectrum.ts";

/** Mel features, one row of `mels` values a frame: `rows[frame * mels + mel]`. */
export type Features = { frames: number; mels: number; rows: Float32Array };

export class FrameReader {
  readonly #window: Float64Array;
  readonly #spectrum: Spectrum;
  readonly #filters: Filterbank;
  readonly #power: Float64Array;
  /** The samples of the next frame, to be filled by the caller; the window is applied later. */
  readonly frame: Float64Array;
  /** The mels of the last frame. */
  readonly mels: Float64Array;

  /** `window` is as long as the transform; a shorter one is padded with zeros. */
  constructor(window: Float64Array, filters: Filterbank) {
    this.#window = window;
    this.#filters = filters;
    this.#spectrum = new Spectrum(window.length);
    this.#power = new Float64Array(this.#spectrum.bins);
    this.frame = new Float64Array(window.length);
    this.mels = new Float64Array(filters.size);
  }

  /** Computes `mels` from `frame`, which it overwrites. */
  read(): void {
    const { frame } = this;
    const window = this.#window;
    for (let index = 0; index < frame.length; index++) frame[index]! *= window[index]!;
    this.#spectrum.power(this.frame, this.#power);
    this.#filters.apply(this.#power, this.mels);
  }
}

/** The Hann window; a periodic one repeats after its length, a symmetric one ends with its first value. */
export function hann(length: number, kind: "periodic" | "symmetric"): Float64Array {
  const period = kind === "periodic" ? length : length - 1;
  return Float64Array.from({ length }, (_, index) => 0.5 - 0.5 * Math.cos((2 * Math.PI * index) / period));
}

/** Pads a window with zeros on both sides, to a length. */
export function centred(window: Float64Array, length: number): Float64Array {
  const whole = new Float64Array(length);
  whole.set(window, (length - window.length) >> 1);
  return whole;
}
