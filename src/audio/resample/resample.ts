/**
 * Rate conversion: a polyphase filter bank of Kaiser-windowed sincs, 24 taps a side at the lower of the two rates.
 *
 *   out[k] = Σ in[n] · h(k·from/to − n)        time-aligned: no delay, no gain
 *
 * Never linear interpolation: that folds everything above the new Nyquist back into the voice at full strength.
 * Any chunking of the same input gives the same output, to the bit.
 *
 *   buffer   [ read by coming outputs │ a block of new input │ free ]
 */
import { type FilterBank, filterBank } from "./filter-bank.ts";
import { type Convolve, convolvePlainly } from "./plain.ts";
import { openSimd } from "./simd.ts";

const BLOCK = 4096; // samples of input taken at a time, so that a long clip needs no second copy

/** A whole clip: `ceil(samples.length * to / from)` samples at the new rate. */
export function resample(samples: Float32Array, from: number, to: number): Float32Array {
  if (from === to) return samples;
  const resampler = new Resampler(from, to);
  return resampler.whole(samples);
}

/** The same for a stream: `push` answers what is certain by now, `finish` the rest. */
export class Resampler {
  readonly #bank: FilterBank;
  #buffer: Float32Array;
  #length: number; // of the input in the buffer
  #bufferFrom: number; // the index in the whole input of its first sample
  #received = 0;
  #made = 0;

  constructor(from: number, to: number) {
    this.#bank = filterBank(from, to);
    const { reach } = this.#bank;
    this.#buffer = new Float32Array(4 * reach);
    this.#length = reach; // silence before the first sample
    this.#bufferFrom = -reach;
  }

  push(samples: Float32Array): Float32Array {
    const out = new Float32Array(Math.max(0, this.#certainAfter(samples.length) - this.#made));
    this.#feed(samples, out);
    return out;
  }

  finish(): Float32Array {
    const out = new Float32Array(Math.max(0, this.#countBefore(this.#received) - this.#made));
    this.#feedSilence(out);
    return out;
  }

  /** Both at once, for a clip that is here. */
  whole(samples: Float32Array): Float32Array {
    const out = new Float32Array(this.#countBefore(samples.length));
    this.#feed(samples, out);
    this.#feedSilence(out.subarray(this.#made));
    return out;
  }

  /** Outputs that are certain once `more` samples arrived: those that read nothing behind them. */
  #certainAfter(more: number): number {
    return this.#countBefore(this.#received + more - this.#bank.reach);
  }

  /** How many outputs stand before input index `n`. */
  #countBefore(n: number): number {
    return n <= 0 ? 0 : Math.ceil((n * this.#bank.up) / this.#bank.down);
  }

  #feed(samples: Float32Array, out: Float32Array): void {
    const before = this.#made;
    for (let offset = 0; offset < samples.length; offset += BLOCK) {
      const block = samples.subarray(offset, offset + BLOCK);
      this.#hold(block);
      this.#received += block.length;
      this.#make(out.subarray(this.#made - before, Math.max(0, this.#certainAfter(0) - before)));
    }
  }

  /** The silence after the last sample. */
  #feedSilence(out: Float32Array): void {
    this.#hold(new Float32Array(this.#bank.reach + 1));
    this.#make(out);
  }

  #hold(samples: Float32Array): void {
    const { up, down, reach } = this.#bank;
    const needed = Math.floor((this.#made * down) / up) - reach;
    const drop = Math.max(0, Math.min(needed - this.#bufferFrom, this.#length));
    this.#buffer.copyWithin(0, drop, this.#length);
    this.#bufferFrom += drop;
    this.#length -= drop;
    if (this.#length + samples.length > this.#buffer.length) {
      const larger = new Float32Array(this.#length + samples.length);
      larger.set(this.#buffer.subarray(0, this.#length));
      this.#buffer = larger;
    }
    this.#buffer.set(samples, this.#length);
    this.#length += samples.length;
  }

  #make(out: Float32Array): void {
    const { up, down } = this.#bank;
    const position = this.#made * down;
    const whole = Math.floor(position / up);
    const start = whole - this.#bank.reach - this.#bufferFrom;
    const input = this.#buffer.subarray(0, this.#length);
    convolve(this.#bank, { input, start, part: position - whole * up }, out);
    this.#made += out.length;
  }
}

let chosen: Convolve | null = null;

/**
 * The inner loop of rate conversions: four products at a time where the processor and the runtime can, else one.
 *
 *   out[k] = Σ input[start + n + whole steps of k] · row of the phase of k [n]
 */
const convolve: Convolve = (bank, place, out) => {
  chosen ??= openSimd() ?? convolvePlainly;
  chosen(bank, place, out);
};
