/** Promise: a gain changes nothing but the level, rare peaks bend below full scale, and parts are as the whole. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import { truePeakOf } from "../../../src/audio/loudness/integrated-loudness.ts";
import { amplify } from "../../../workers/tts/level.ts";

const amplified = (samples: Float32Array, gain: number): Float32Array => {
  const copy = samples.slice();
  amplify(copy, gain);
  return copy;
};
const samplesOf = fc.float32Array({ min: -4, max: 4, noNaN: true, maxLength: 200 });
const gainOf = fc.double({ min: 0, max: 4, noNaN: true });

test("below the knee a sample is multiplied, and no more", () => {
  const samples = Float32Array.of(0, 0.1, -0.2, 0.249);
  expect(amplified(samples, 2)).toEqual(Float32Array.of(0, 0.2, -0.4, 0.498));
  expect(amplified(samples, 1)).toEqual(samples);
});

test("above it, louder stays louder, and nothing reaches full scale", () => {
  const rising = Float32Array.from({ length: 2000 }, (_, at) => at / 1000);
  const bent = amplified(rising, 1);
  for (let at = 1; at < bent.length; at++) expect(bent[at]).toBeGreaterThanOrEqual(bent[at - 1]!);
  expect(Math.max(...bent)).toBeLessThanOrEqual(0.78);
  expect(
    amplified(
      rising.map((sample) => -sample),
      1,
    ),
  ).toEqual(bent.map((sample) => -sample));
  expect(amplified(Float32Array.of(0.5005), 1)[0]).toBeCloseTo(0.5005, 5); // without an edge
});

test("the parts of a text are as all of it, to the bit, however it is divided", () => {
  fc.assert(
    fc.property(samplesOf, gainOf, fc.nat(200), (samples, gain, cut) => {
      const parts = [samples.slice(0, cut), samples.slice(cut)].map((part) => amplified(part, gain));
      expect(parts.flatMap((part) => [...part])).toEqual([...amplified(samples, gain)]);
    }),
  );
});

test.each([130, 440, 997, 3000])(
  "a tone of %i Hz at twice full scale stays below -1 dBFS between its samples",
  (hz) => {
    const tone = Float32Array.from(
      { length: 12_000 },
      (_, at) => 2 * Math.sin((2 * Math.PI * hz * at) / 24_000),
    );
    const fade = amplified(tone, 1).map((sample, at) => sample * Math.min(1, at / 600, (12_000 - at) / 600));
    expect(truePeakOf(fade, 24_000)).toBeLessThan(-1);
  },
);
