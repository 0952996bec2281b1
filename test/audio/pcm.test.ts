/** Promise: samples become the nearest 16-bit integers, within their range. */
import { expect, test } from "bun:test";
import { toInt16 } from "../../src/audio/pcm.ts";

const FULL_SCALE = 32_768;
const rounded = (samples: Float32Array) =>
  Int16Array.from(samples, (sample) =>
    Math.max(-FULL_SCALE, Math.min(FULL_SCALE - 1, Math.round(sample * FULL_SCALE))),
  );

test("every half between two integers, and the numbers beside it, are rounded as `Math.round` does", () => {
  const samples = new Float32Array(3 * 2 * FULL_SCALE);
  const bits = new Int32Array(samples.buffer);
  for (let at = 0; at < samples.length; at += 3) {
    samples.fill((at / 3 - FULL_SCALE + 0.5) / FULL_SCALE, at, at + 3);
    bits[at]! -= 1;
    bits[at + 2]! += 1;
  }
  expect(toInt16(samples)).toEqual(rounded(samples));
});

test("the smallest numbers become 0, larger ones than the range its ends, and what is no number silence", () => {
  const least = 2 ** -149;
  const samples = Float32Array.of(0, -0, least, -least, 1, -1, 7, -7, Infinity, -Infinity, NaN);
  expect([...toInt16(samples)]).toEqual([0, 0, 0, 0, 32767, -32768, 32767, -32768, 32767, -32768, 0]);
});
