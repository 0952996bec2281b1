/** Promise: mixing channels to one loses no voice, whichever channel it is in, and gives the same for any chunking. */
import { describe, expect, test } from "bun:test";
import { Downmix, layoutOf } from "../../src/audio/reading/downmix.ts";

const RATE = 16_000;
const SURROUND = layoutOf(0x3f); // 5.1
const tone = Float32Array.from({ length: RATE }, (_, i) => 0.1 * Math.sin(i / 5));
const silence = new Float32Array(RATE);
const inverted = tone.map((value) => -value);

function mixed(
  channels: Float32Array[],
  layout: readonly number[] | null = null,
  chunk = RATE,
): Float32Array {
  const downmix = new Downmix(channels.length, RATE, layout);
  const parts: number[] = [];
  for (let start = 0; start < RATE; start += chunk)
    parts.push(...downmix.push(channels.map((samples) => samples.subarray(start, start + chunk))));
  return Float32Array.from([...parts, ...downmix.finish()]);
}

const level = (samples: Float32Array) =>
  10 * Math.log10(samples.reduce((sum, value) => sum + value ** 2, 0) / samples.length);

const alone = (channel: number, count: number) =>
  Array.from({ length: count }, (_, index) => (index === channel ? tone : silence));

describe("a voice is about as loud as in its channel", () => {
  test.each<[string, Float32Array[], readonly number[] | null]>([
    ["in the center of 5.1", alone(2, 6), SURROUND],
    ["in the left of 5.1", alone(0, 6), SURROUND],
    ["behind in 5.1", alone(4, 6), SURROUND],
    ["in all channels of 5.1", Array(6).fill(tone), SURROUND],
    ["in one of two", alone(1, 2), null],
    ["in one of eight whose places are unknown", alone(5, 8), null],
    ["with its opposite in the other channel", [tone, inverted], null],
  ])("%s", (_where, channels, layout) => {
    expect(Math.abs(level(mixed(channels, layout)) - level(tone))).toBeLessThan(6.1);
  });
});

const offset = silence.map(() => 0.3);
const plus = (samples: Float32Array, by: Float32Array) => samples.map((value, i) => value + by[i]!);
/** Of what is no offset. */
const sound = (samples: Float32Array) => {
  const mean = samples.reduce((sum, value) => sum + value, 0) / samples.length;
  return level(samples.map((value) => value - mean));
};

test.each<[string, Float32Array[]]>([
  ["another channel", [offset, tone, silence, silence, silence, silence, silence, silence]],
  ["both of two opposite channels", [plus(tone, offset), plus(inverted, offset)]],
])("a constant offset in %s hides no voice", (_where, channels) => {
  expect(Math.abs(sound(mixed(channels)) - sound(tone))).toBeLessThan(6.1);
});

test("channels of nothing but offsets are mixed evenly", () => {
  const other = silence.map(() => 0.1);
  expect(sound(mixed([offset, other, silence, silence]))).toBeLessThan(-100);
});

test("equal channels are not changed, and the mean of two is exact", () => {
  expect(mixed([tone, tone])).toEqual(tone);
});

test("any chunking gives the same samples", () => {
  const turns = [
    tone.map((value, i) => (i < 7000 ? value : 0)),
    tone.map((value, i) => (i < 7000 ? 0 : value)),
  ];
  for (const chunk of [1, 333, 800, 4001])
    expect(mixed([...turns, silence, silence], null, chunk)).toEqual(mixed([...turns, silence, silence]));
});
