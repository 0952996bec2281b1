/** The loudness meter against the figures that BS.1770 and EBU Tech 3341 give for signals that are made here. */
import { describe, expect, test } from "bun:test";
import { loudnessOf, truePeakOf } from "../../../src/audio/loudness/integrated-loudness.ts";

const RATES = [16_000, 22_050, 24_000, 44_100, 48_000];
const TOLERANCE = 0.1; // LU, of EBU Tech 3341
const expectNear = (found: number, expected: number) =>
  expect(Math.abs(found - expected)).toBeLessThanOrEqual(TOLERANCE);

/** What both channels of stereo add to one. */
const STEREO = 10 * Math.log10(2);

/** A sine of 1 kHz, with the amplitude that is given for each of some seconds. */
const sine = (rate: number, parts: { seconds: number; dbfs: number }[], hz = 1000): Float32Array => {
  const counts = parts.map(({ seconds }) => Math.ceil(seconds * rate));
  const samples = new Float32Array(counts.reduce((sum, count) => sum + count, 0));
  let at = 0;
  for (const [index, { dbfs }] of parts.entries()) {
    const amplitude = 10 ** (dbfs / 20);
    for (const end = at + counts[index]!; at < end; at++)
      samples[at] = amplitude * Math.sin((2 * Math.PI * hz * at) / rate);
  }
  return samples;
};

describe.each(RATES)("at %i Hz", (rate) => {
  const lufs = (parts: { seconds: number; dbfs: number }[]) => loudnessOf([sine(rate, parts)], rate);

  test("a sine of full scale in one channel is -3.01 LUFS", () => {
    expectNear(lufs([{ seconds: 5, dbfs: 0 }]), -3.01);
  });

  test("EBU 3341 signals 1 and 2: sines of -23 and -33 dBFS, 3 LU less in mono than in stereo", () => {
    expectNear(lufs([{ seconds: 20, dbfs: -23 }]) + STEREO, -23);
    expectNear(lufs([{ seconds: 20, dbfs: -33 }]) + STEREO, -33);
  });

  test("EBU 3341 signal 3: what is quieter by more than 10 LU does not count", () => {
    const parts = [
      { seconds: 10, dbfs: -36 },
      { seconds: 60, dbfs: -23 },
      { seconds: 10, dbfs: -36 },
    ];
    expectNear(lufs(parts) + STEREO, -23);
  });

  test("EBU 3341 signal 4: nor what is below -70 LUFS, for the gate either", () => {
    const parts = [
      { seconds: 10, dbfs: -72 },
      { seconds: 10, dbfs: -36 },
      { seconds: 60, dbfs: -23 },
      { seconds: 10, dbfs: -36 },
      { seconds: 10, dbfs: -72 },
    ];
    expectNear(lufs(parts) + STEREO, -23);
  });

  test("EBU 3341 signal 5: the mean of what counts", () => {
    const parts = [
      { seconds: 20, dbfs: -26 },
      { seconds: 20.1, dbfs: -20 },
      { seconds: 20, dbfs: -26 },
    ];
    expectNear(lufs(parts) + STEREO, -23);
  });
});

test("low sounds count less and high ones more, as the tables of BS.1770 weigh them", () => {
  const at = (hz: number, rate: number) => loudnessOf([sine(rate, [{ seconds: 5, dbfs: -20 }], hz)], rate);
  for (const rate of RATES) {
    expect(at(38, rate) - at(1000, rate)).toBeCloseTo(-6.7, 0);
    expect(at(4000, rate) - at(1000, rate)).toBeCloseTo(3.3, 0);
  }
});

test("silence and nothing have no loudness, and a clip shorter than a block has its own", () => {
  expect(loudnessOf([], 24_000)).toBe(Number.NEGATIVE_INFINITY);
  expect(loudnessOf([new Float32Array(0)], 24_000)).toBe(Number.NEGATIVE_INFINITY);
  expect(loudnessOf([new Float32Array(48_000)], 24_000)).toBe(Number.NEGATIVE_INFINITY);
  expect(loudnessOf([sine(24_000, [{ seconds: 0.2, dbfs: -20 }])], 24_000)).toBeCloseTo(-23, 0);
});

test("several clips are one programme", () => {
  const [loud, quiet] = [-20, -26].map((dbfs) => sine(24_000, [{ seconds: 10, dbfs }]));
  const together = loudnessOf([loud!, quiet!], 24_000);
  expectNear(together, 10 * Math.log10((10 ** -2.3 + 10 ** -2.9) / 2));
});

test("EBU 3341 signals 15 and 16: the peak between the samples", () => {
  for (const [phase, dbfs] of [
    [0, -6.02],
    [45, -6.02],
    [60, -6.02],
  ] as const) {
    const rate = 48_000;
    const samples = Float32Array.from(
      { length: rate / 10 },
      (_, at) => 0.5 * Math.sin((2 * Math.PI * at) / 4 + (phase * Math.PI) / 180),
    );
    const fade = samples.map((sample, at) => sample * Math.min(1, at / 400, (samples.length - at) / 400));
    expect(Math.abs(truePeakOf(fade, rate) - dbfs)).toBeLessThan(0.4);
  }
});
