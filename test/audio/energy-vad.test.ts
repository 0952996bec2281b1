/** Promise: utterances are in order inside the recording, short enough to decode, and contain every burst of speech. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { findUtterances, findUtterancesInSteps } from "../../src/audio/energy-vad.ts";

const RATE = 16_000;
const LONGEST_SECONDS = 12;

/** A voice-like sound: a tone whose loudness falls from syllable to syllable, four a second. */
function speech(seconds: number): Float32Array {
  return Float32Array.from({ length: Math.round(seconds * RATE) }, (_, i) => {
    const syllable = Math.abs(Math.sin((4 * Math.PI * i) / RATE));
    return 0.3 * syllable ** 4 * Math.sin((2 * Math.PI * 180 * i) / RATE);
  });
}

const silence = (seconds: number) => new Float32Array(Math.round(seconds * RATE));

/** Noise that repeats itself from run to run. */
function hiss(seconds: number, peak: number): Float32Array {
  let state = 1;
  return Float32Array.from({ length: Math.round(seconds * RATE) }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return peak * (state / 2 ** 31 - 1);
  });
}

function joined(parts: Float32Array[]): Float32Array {
  const whole = new Float32Array(parts.reduce((sum, { length }) => sum + length, 0));
  let offset = 0;
  for (const part of parts) {
    whole.set(part, offset);
    offset += part.length;
  }
  return whole;
}

const tone = Float32Array.from({ length: 5 * RATE }, (_, i) => 0.5 * Math.sin(i / 5));

const SPEECHLESS: [string, Float32Array][] = [
  ["nothing at all", new Float32Array(0)],
  ["one sample", Float32Array.of(1)],
  ["silence", silence(30)],
  ["what is not a number", new Float32Array(RATE).fill(Number.NaN)],
  ["a constant", new Float32Array(RATE).fill(1)],
  ["a loud hiss", hiss(30, 0.5)],
  ["a faint hiss", hiss(30, 0.001)],
  ["a tone", tone],
];

describe("no utterance is found in", () => {
  test.each(SPEECHLESS)("%s", (_, samples) => expect(findUtterances(samples, RATE)).toEqual([]));
});

describe("speech is found in spite of", () => {
  const quiet = joined([silence(1), speech(2), silence(1)]).map((value) => value * 0.25);
  test.each<[string, (i: number) => number]>([
    ["an offset of 1 %", () => 0.01],
    ["an offset of 10 %", () => 0.1],
    ["the hum of mains at 50 Hz", (i) => 0.2 * Math.sin((2 * Math.PI * 50 * i) / RATE)],
  ])("%s", (_what, added) => {
    const spans = findUtterances(
      quiet.map((value, i) => value + added(i)),
      RATE,
    );
    expect(spans).toHaveLength(1);
    expect(spans[0]!.start / RATE).toBeWithin(0.7, 1.01);
    expect(spans[0]!.end / RATE).toBeWithin(2.9, 3.4);
  });
});

describe("speech between silences", () => {
  test("gives one padded utterance for each burst", () => {
    const samples = joined([silence(1), speech(2), silence(1.5), speech(3), silence(1)]);
    const spans = findUtterances(samples, RATE).map(({ start, end }) => [start / RATE, end / RATE]);
    expect(spans).toHaveLength(2);
    for (const [index, [from, to]] of [[1, 3] as const, [4.5, 7.5] as const].entries()) {
      const [start, end] = spans[index] as [number, number];
      expect(from - start).toBeWithin(0, 0.3);
      expect(end - to).toBeWithin(0, 0.3);
    }
  });

  test("is found over a steady hiss that starts late", () => {
    const noise = hiss(20, 0.01);
    noise.fill(0, 0, 3 * RATE);
    for (const [i, sample] of speech(0.5).entries()) noise[9 * RATE + i]! += sample;
    const spans = findUtterances(noise, RATE);
    expect(spans.some(({ start, end }) => start <= 9.05 * RATE && end >= 9.45 * RATE)).toBe(true);
  });

  test("without pauses is cut without losing samples", () => {
    const spans = findUtterances(speech(60), RATE);
    expect(spans.length).toBeGreaterThan(60 / LONGEST_SECONDS - 1);
    for (const [index, { start }] of spans.entries())
      if (index > 0) expect(start).toBe(spans[index - 1]!.end);
    expect(spans.at(-1)!.end - spans[0]!.start).toBeGreaterThan(59 * RATE);
  });
});

test("spans are in order, apart, inside the recording and at most 12 s", () => {
  const part = fc.oneof(
    fc.integer({ min: 0, max: 4000 }).map((ms) => silence(ms / 1000)),
    fc.integer({ min: 0, max: 30_000 }).map((ms) => speech(ms / 1000)),
    fc.integer({ min: 0, max: 3000 }).map((ms) => hiss(ms / 1000, 0.05)),
    fc.array(fc.float(), { maxLength: 50 }).map((samples) => Float32Array.from(samples)),
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 6 }).map(joined), (samples) => {
      let last = 0;
      for (const { start, end } of findUtterances(samples, RATE)) {
        expect(start).toBeGreaterThanOrEqual(last);
        expect(end).toBeGreaterThan(start);
        expect(end - start).toBeLessThanOrEqual(LONGEST_SECONDS * RATE);
        last = end;
      }
      expect(last).toBeLessThanOrEqual(samples.length);
    }),
    { numRuns: 50 },
  );
});

test("in steps, the same speech is found, and others have their turns meanwhile", async () => {
  const samples = joined([speech(20), silence(2), hiss(30, 0.1), speech(20), silence(1), tone]);
  let turns = 0;
  let isOver = false;
  const count = () => {
    turns++;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  const found = await findUtterancesInSteps(samples, RATE, Number.POSITIVE_INFINITY);
  isOver = true;
  expect(found).toEqual(findUtterances(samples, RATE, Number.POSITIVE_INFINITY));
  expect(turns).toBeGreaterThan(samples.length / RATE / 5);
});
