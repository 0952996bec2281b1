/**
 * Rate conversion: a polyphase filter bank of Kaiser-windowed sincs, 24 taps a side at the lower of the two rates.
 *
 *   out[k] = Σ in[n] · h(k·from/to − n)        time-aligned: no delay, no gain
 *
 * Never linear interpolation: that folds everything above the new Nyquist back into the voice at full strength.
 * Any chunking of the same input gives the same output, to the bit.
 *
 *   buffer   [ read by coming outputs │ a block of new input │ free ]      doubles, as the taps are: loops convert nothing
 */

const TAPS_A_SIDE = 24;
const KAISER_BETA = 11; // stop band below -105 dB
const ROLL_OFF = 0.9; // the transition band ends at Nyquist
const PHASES_MAX = 4096;
const BANKS_MAX = 16;
const BLOCK = 4096; // samples of input taken at a time, so that a long clip needs no second copy

/** A whole clip: `ceil(samples.length * to / from)` samples at the new rate. */
export function resample(samples: Float32Array, from: number, to: number): Float32Array {
  if (from === to) return samples;
  const resampler = new Resampler(from, to);
  return resampler.whole(samples);
}

/** The same for a stream: `push` answers what is certain by now, `finish` the rest. */
export class Resampler {
  readonly #bank: Bank;
  #buffer: Float64Array;
  #length: number; // of the input in the buffer
  #bufferFrom: number; // the index in the whole input of its first sample
  #received = 0;
  #made = 0;

  constructor(from: number, to: number) {
    this.#bank = bankFor(from, to);
    const { reach } = this.#bank;
    this.#buffer = new Float64Array(4 * reach);
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
      const larger = new Float64Array(this.#length + samples.length);
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
    const at = { start: whole - this.#bank.reach - this.#bufferFrom, fraction: position - whole * up };
    convolve(this.#bank, { input: this.#buffer, ...at }, out);
    this.#made += out.length;
  }
}

/** The first output is `fraction` / up samples behind the middle of the taps that lie from `start` on. */
type Place = { input: Float64Array; start: number; fraction: number };

/** Four sums, so that an addition need not wait for the one before it. */
function convolve(bank: Bank, { input, start, fraction }: Place, out: Float32Array): void {
  const { up, down, phases, taps, width } = bank;
  const fours = width & ~3;
  const step = Math.floor(down / up);
  const stepFraction = down % up;
  let from = start;
  let part = fraction;
  for (let k = 0; k < out.length; k++) {
    const phase = phases === up ? part : Math.round((part * phases) / up);
    let t = phase * width;
    let i = from;
    let a = 0;
    let b = 0;
    let c = 0;
    let d = 0;
    for (const end = i + fours; i < end; i = (i + 4) | 0, t = t + 4) {
      a += input[i]! * taps[t]!;
      b += input[i + 1]! * taps[t + 1]!;
      c += input[i + 2]! * taps[t + 2]!;
      d += input[i + 3]! * taps[t + 3]!;
    }
    for (const end = from + width; i < end; i = (i + 1) | 0, t = t + 1) a += input[i]! * taps[t]!;
    out[k] = a + b + (c + d);
    from += step;
    part += stepFraction;
    if (part < up) continue;
    part -= up;
    from++;
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
