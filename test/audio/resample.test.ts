/** Promise: resampling keeps what both rates can represent, removes the rest, and does not depend on chunking. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { filterBank } from "../../src/audio/resample/filter-bank.ts";
import { convolvePlainly } from "../../src/audio/resample/plain.ts";
import { Resampler, resample } from "../../src/audio/resample/resample.ts";
import { openSimd } from "../../src/audio/resample/simd.ts";

const sine = (hertz: number, rate: number, seconds = 1) =>
  Float32Array.from({ length: rate * seconds }, (_, i) => 0.5 * Math.sin((2 * Math.PI * hertz * i) / rate));
const decibels = (samples: Float32Array, against: (i: number) => number) => {
  let error = 0;
  const edge = 1000;
  for (let i = edge; i < samples.length - edge; i++) error += (samples[i]! - against(i)) ** 2;
  return 10 * Math.log10(0.125 / (error / (samples.length - 2 * edge)));
};

const RATES: [number, number][] = [
  [16_000, 24_000],
  [22_050, 24_000],
  [44_100, 16_000],
  [48_000, 16_000],
  [8_000, 16_000],
  [11_025, 16_000],
  [47_999, 16_000],
];

describe.each(RATES)("from %d to %d Hz", (from, to) => {
  test("a tone below both limits is kept within 100 dB, at its place", () => {
    const out = resample(sine(1000, from), from, to);
    expect(out.length).toBe(to);
    expect(decibels(out, (i) => 0.5 * Math.sin((2 * Math.PI * 1000 * i) / to))).toBeGreaterThan(98);
  });
  test("a constant stays the same", () => {
    const out = resample(new Float32Array(from).fill(0.5), from, to);
    for (const sample of out.subarray(1000, -1000)) expect(Math.abs(sample - 0.5)).toBeLessThan(1e-6);
  });
});

test.each(RATES.filter(([from, to]) => from > to))(
  "from %d to %d Hz, a tone above the new limit is removed",
  (from, to) => {
    expect(decibels(resample(sine(to * 0.6, from), from, to), () => 0)).toBeGreaterThan(95);
  },
);

test("any chunking gives bit-identical samples", () => {
  const input = Float32Array.from({ length: 3000 }, (_, i) => Math.sin(i * i * 0.001));
  fc.assert(
    fc.property(
      fc.constantFrom(...RATES),
      fc.array(fc.integer({ min: 0, max: 3000 }), { maxLength: 8 }),
      ([from, to], cuts) => {
        const resampler = new Resampler(from, to);
        const places = [0, ...cuts.toSorted((a, b) => a - b), input.length];
        const parts = places.slice(1).map((end, i) => resampler.push(input.slice(places[i], end)));
        const chunked = [...parts, resampler.finish()].flatMap((part) => [...part]);
        expect(chunked).toEqual([...resample(input, from, to)]);
      },
    ),
    { numRuns: 60 },
  );
});

test("lengths are rounded up, and no input gives no output", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 5000 }), fc.constantFrom(...RATES), (length, [from, to]) => {
      expect(resample(new Float32Array(length), from, to).length).toBe(Math.ceil((length * to) / from));
    }),
  );
});

/** The sum of the header of resample.ts, term by term: no phases in advance, no blocks, one accumulator. */
function plainSum(input: Float32Array, from: number, to: number): Float32Array {
  const ratio = Math.min(1, to / from);
  const reach = Math.ceil(24 / ratio);
  const window = (x: number) => bessel(11 * Math.sqrt(Math.max(0, 1 - x * x))) / bessel(11);
  return Float32Array.from({ length: Math.ceil((input.length * to) / from) }, (_, k) => {
    const position = (k * from) / to;
    const whole = Math.floor((k * from) / to);
    let sum = 0;
    let weight = 0;
    for (let n = whole - reach; n <= whole + reach; n++) {
      const distance = n - position;
      const x = Math.PI * distance * ratio * 0.9;
      const isInside = Math.abs(distance) < reach + 1;
      const tap = isInside ? (x === 0 ? 1 : Math.sin(x) / x) * window(distance / (reach + 1)) : 0;
      sum += (input[n] ?? 0) * tap;
      weight += tap;
    }
    return sum / weight;
  });
}

function bessel(x: number): number {
  let [term, sum] = [1, 1];
  for (let k = 1; term > sum * 1e-12; k++) sum += term *= (x / (2 * k)) ** 2;
  return sum;
}

const EXACT: [number, number][] = [
  [24_000, 16_000],
  [16_000, 24_000],
  [22_050, 24_000],
  [192_000, 8_000],
  [96_000, 24_000],
];

test.each(EXACT)(
  "from %d to %d Hz, every sample is the plain sum of the filter, over several blocks",
  (from, to) => {
    const input = Float32Array.from({ length: 9000 }, (_, i) => 0.9 * Math.sin(i * i * 1e-3));
    const [out, expected] = [resample(input, from, to), plainSum(input, from, to)];
    expect(out.length).toBe(expected.length);
    const most = out.reduce((worst, sample, i) => Math.max(worst, Math.abs(sample - expected[i]!)), 0);
    expect(most).toBeLessThan(1e-6);
  },
);

const convolve = openSimd();

describe.skipIf(convolve === null)("with vectors (skipped: the processor has none)", () => {
  test("every output is that of the plain loop, wherever it begins and ends", () => {
    const input = Float32Array.from({ length: 6000 }, (_, i) => 0.9 * Math.sin(i * i * 1e-3));
    const rates = [
      ...RATES,
      ...EXACT,
      [384_000, 8_000] as [number, number],
      [8_000, 384_000] as [number, number],
    ];
    fc.assert(
      fc.property(
        fc.constantFrom(...rates),
        fc.record({ start: fc.nat(5000), part: fc.nat(1000), outputs: fc.nat(4500) }),
        ([from, to], { start, part, outputs }) => {
          const bank = filterBank(from, to);
          const place = { input, start, part: part % bank.up };
          const [ours, plain] = [new Float32Array(outputs), new Float32Array(outputs)];
          convolve!(bank, place, ours);
          convolvePlainly(bank, place, plain);
          const most = ours.reduce((worst, sample, i) => Math.max(worst, Math.abs(sample - plain[i]!)), 0);
          expect(most).toBeLessThan(1e-6);
        },
      ),
      { numRuns: 200 },
    );
  });

  test("more coefficients than its memory holds are copied again", () => {
    const input = new Float32Array(4000).fill(0.5);
    const banks = [383_999, 383_998].map((from) => filterBank(from, 8_000));
    for (let round = 0; round < 2; round++)
      for (const bank of banks) {
        const out = new Float32Array(20);
        convolve!(bank, { input, start: 0, part: 0 }, out);
        const plain = new Float32Array(20);
        convolvePlainly(bank, { input, start: 0, part: 0 }, plain);
        expect([...out].map((sample) => Math.round(sample * 1e5))).toEqual(
          [...plain].map((sample) => Math.round(sample * 1e5)),
        );
      }
  });
});
