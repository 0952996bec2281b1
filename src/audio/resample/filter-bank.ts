/** The coefficients of rate conversions: Kaiser-windowed sincs, a row for each phase. */

const TAPS_A_SIDE = 24; // at the lower of the two rates
const KAISER_BETA = 11; // stop band below -105 dB
const ROLL_OFF = 0.9; // the transition band ends at Nyquist
const PHASES_MAX = 4096;
const BANKS_MAX = 16;
/** Coefficients that are multiplied at a time: rows end in as many zeros as they need. */
export const TOGETHER = 8;

/**
 * An output at `part` / `up` of a sample behind input sample n is the sum of the inputs from n - `reach` on, multiplied by
 * the row of that phase. `rowLength` coefficients each, zeros at the end included.
 */
export type FilterBank = {
  up: number;
  down: number;
  phases: number;
  taps: Float32Array;
  rowLength: number;
  reach: number;
};

const banks = new Map<string, FilterBank>();

export function filterBank(from: number, to: number): FilterBank {
  const key = `${from}:${to}`;
  const known = banks.get(key);
  if (known) return known;
  const bank = buildBank(from, to);
  if (banks.size === BANKS_MAX) banks.delete(banks.keys().next().value!);
  banks.set(key, bank);
  return bank;
}

function buildBank(from: number, to: number): FilterBank {
  const divisor = gcd(from, to);
  const up = to / divisor;
  const down = from / divisor;
  const phases = Math.min(up, PHASES_MAX);
  const cutoff = Math.min(1, to / from) * ROLL_OFF; // as a fraction of the input's Nyquist
  const reach = Math.ceil(TAPS_A_SIDE / Math.min(1, to / from));
  const row = new Float64Array(2 * reach + 1);
  const rowLength = Math.ceil(row.length / TOGETHER) * TOGETHER;
  const taps = new Float32Array((phases + 1) * rowLength);
  for (let phase = 0; phase <= phases; phase++) {
    let sum = 0;
    for (let tap = 0; tap < row.length; tap++) {
      const distance = tap - reach - phase / phases;
      row[tap] = sinc(distance * cutoff) * kaiser(distance / (reach + 1));
      sum += row[tap]!;
    }
    for (let tap = 0; tap < row.length; tap++) row[tap]! /= sum; // unity gain at 0 Hz in every phase
    taps.set(row, phase * rowLength);
  }
  return { up, down, phases, taps, rowLength, reach };
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
