/** What every front end does to a frame of sound: a window over it, its power spectrum, a filterbank over that. */
import type { Filterbank } from "./mel.ts";
import { Spectrum } from "./spectrum.ts";

/** Mel features, one row of `mels` values a frame: `rows[frame * mels + mel]`. */
export type Features = { frames: number; mels: number; rows: Float32Array };

export class FrameReader {
  readonly #window: Float64Array;
  readonly #spectrum: Spectrum;
  readonly #filters: Filterbank;
  readonly #power: Float64Array;
  /** The samples of the frame to come, without its window. */
  readonly frame: Float64Array;
  /** What the last frame came to. */
  readonly mels: Float64Array;

  /** The window is as long as the transform, with silence in it where it is shorter. */
  constructor(window: Float64Array, filters: Filterbank) {
    this.#window = window;
    this.#filters = filters;
    this.#spectrum = new Spectrum(window.length);
    this.#power = new Float64Array(this.#spectrum.bins);
    this.frame = new Float64Array(window.length);
    this.mels = new Float64Array(filters.size);
  }

  /** Takes `frame`, which it changes, to `mels`. */
  read(): void {
    const { frame } = this;
    const window = this.#window;
    for (let index = 0; index < frame.length; index++) frame[index]! *= window[index]!;
    this.#spectrum.power(this.frame, this.#power);
    this.#filters.apply(this.#power, this.mels);
  }
}

/** Hann's window: periodic repeats after its length, symmetric ends where it began. */
export function hann(length: number, kind: "periodic" | "symmetric"): Float64Array {
  const period = kind === "periodic" ? length : length - 1;
  return Float64Array.from({ length }, (_, index) => 0.5 - 0.5 * Math.cos((2 * Math.PI * index) / period));
}

/** With silence on both sides, up to a length. */
export function centred(window: Float64Array, length: number): Float64Array {
  const whole = new Float64Array(length);
  whole.set(window, (length - window.length) >> 1);
  return whole;
}
