/** Promise: resampling keeps what both rates can represent, removes the rest, and does not depend on chunking. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { Resampler, resample } from "../../src/audio/resample.ts";

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
