/**
 * Rate conversion: a polyphase filter bank of Kaiser-windowed sincs, 24 taps a side at the lower of the two rates.
 *
 *   out[k] = Σ in[n] · h(k·from/to − n)        time-aligned: no delay, no gain
 *
 * Never linear interpolation: that folds everything above the new Nyquist back into the voice at full strength.
 * Any chunking of the same input gives the same output, to the bit.
 */
import { join } from "./pcm.ts";

const TAPS_A_SIDE = 24;
const KAISER_BETA = 11; // stop band below -105 dB
const ROLL_OFF = 0.9; // the transition band ends at Nyquist
const PHASES_MAX = 4096;
const BANKS_MAX = 16;

/** A whole clip: `ceil(samples.length * to / from)` samples at the new rate. */
export function resample(samples: Float32Array, from: number, to: number): Float32Array {
  if (from === to) return samples;
  const resampler = new Resampler(from, to);
  return join(resampler.push(samples), resampler.finish());
}

/** The same for a stream: `push` answers what is certain by now, `finish` the rest. */
export class Resampler {
  readonly #bank: Bank;
  #held: Float32Array; // the input that a coming output may still read
  #heldFrom: number; // the index in the whole input of its first sample
  #received = 0;
  #made = 0;

  constructor(from: number, to: number) {
    this.#bank = bankFor(from, to);
    this.#held = new Float32Array(this.#bank.reach); // silence before the first sample
    this.#heldFrom = -this.#bank.reach;
  }

  push(samples: Float32Array): Float32Array {
    this.#hold(samples);
    this.#received += samples.length;
    // an output is certain once all it reads has arrived
    return this.#make(this.#countBefore(this.#received - this.#bank.reach));
  }

  finish(): Float32Array {
    this.#hold(new Float32Array(this.#bank.reach + 1)); // silence after the last sample
    return this.#make(this.#countBefore(this.#received));
  }

  /** How many outputs stand before input index `n`. */
  #countBefore(n: number): number {
    return n <= 0 ? 0 : Math.ceil((n * this.#bank.up) / this.#bank.down);
  }

  #hold(samples: Float32Array): void {
    const needed = Math.floor((this.#made * this.#bank.down) / this.#bank.up) - this.#bank.reach;
    const drop = Math.max(0, Math.min(needed - this.#heldFrom, this.#held.length));
    this.#held = join(this.#held.subarray(drop), samples);
    this.#heldFrom += drop;
  }

  #make(until: number): Float32Array {
    const { up, down, phases, taps, width, reach } = this.#bank;
    const count = Math.max(0, until - this.#made);
    const out = new Float32Array(count);
    for (let k = 0; k < count; k++) {
      const position = (this.#made + k) * down;
      const whole = Math.floor(position / up);
      const phase = Math.round(((position - whole * up) * phases) / up);
      const row = phase * width;
      const start = whole - reach - this.#heldFrom;
      let sum = 0;
      for (let tap = 0; tap < width; tap++) sum += this.#held[start + tap]! * taps[row + tap]!;
      out[k] = sum;
    }
    this.#made += count;
    return out;
  }
}

/** `taps` holds one row of `width` coefficients per phase; row p belongs to a position p/phases past a sample. */
type Bank = { up: number; down: number; phases: number; taps: Float64Array; width: number; reach: number };

const banks = new Map<string, Bank>();

function bankFor(from: number, to: number): Bank {
  const key = `${from}:${to}`;
  const known = banks.get(key);
  if (known) return known;
  const bank = buildBank(from, to);
  if (banks.size === BANKS_MAX) banks.delete(banks.keys().next().value!);
  banks.set(key, bank);
  return bank;
}

function buildBank(from: number, to: number): Bank {
  const divisor = gcd(from, to);
  const up = to / divisor;
  const down = from / divisor;
  const phases = Math.min(up, PHASES_MAX);
  const cutoff = Math.min(1, to / from) * ROLL_OFF; // as a fraction of the input's Nyquist
  const reach = Math.ceil(TAPS_A_SIDE / Math.min(1, to / from));
  const width = 2 * reach + 1;
  const taps = new Float64Array((phases + 1) * width);
  for (let phase = 0; phase <= phases; phase++) {
    const row = taps.subarray(phase * width, (phase + 1) * width);
    let sum = 0;
    for (let tap = 0; tap < width; tap++) {
      const distance = tap - reach - phase / phases;
      row[tap] = sinc(distance * cutoff) * kaiser(distance / (reach + 1));
      sum += row[tap]!;
    }
    for (let tap = 0; tap < width; tap++) row[tap]! /= sum; // unity gain at 0 Hz in every phase
  }
  return { up, down, phases, taps, width, reach };
}

function gcd(a: number, b: number): number {
  return b === 0 ? a : gcd(b, a % b);
}

const sinc = (x: number) => (x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x));

const kaiser = (x: number) =>
  Math.abs(x) >= 1 ? 0 : bessel(KAISER_BETA * Math.sqrt(1 - x * x)) / bessel(KAISER_BETA);

/** The modified Bessel function of order zero, by its series. */
function bessel(x: number): number {
  let term = 1;
  let sum = 1;
  for (let k = 1; term > sum * 1e-12; k++) {
    term *= (x / (2 * k)) ** 2;
    sum += term;
  }
  return sum;
}
