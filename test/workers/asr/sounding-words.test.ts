/** Promise: words are in order, never overlap, and do not lie in the silence before or behind them. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { ASR_SAMPLE_RATE } from "../../../src/audio/rates.ts";
import type { Word } from "../../../src/engine/protocol/recognition.ts";
import { heldToSound, soundIn } from "../../../workers/asr/sounding-words.ts";

const word = (text: string, start: number, end: number): Word => ({ text, start, end, confidence: 1 });

/** A tone in these stretches of seconds, and faint noise elsewhere. */
function recording(seconds: number, stretches: [start: number, end: number][]): Float32Array {
  return Float32Array.from({ length: seconds * ASR_SAMPLE_RATE }, (_, index) => {
    const at = index / ASR_SAMPLE_RATE;
    const isLoud = stretches.some(([start, end]) => at >= start && at < end);
    return (isLoud ? 0.3 : 1e-4) * Math.sin(index / 5);
  });
}

describe("words held to the sound", () => {
  const sound = soundIn(
    recording(10, [
      [1, 2],
      [6, 8],
    ]),
    100,
  );

  test("end where the sound before a pause ends, and begin where the one behind it begins", () => {
    const [book, was] = heldToSound([word("book.", 101.4, 105.2), word("was", 105.2, 106.5)], sound);
    expect(book!.start).toBe(101.4);
    expect(book!.end).toBeWithin(101.95, 102.08); // the level is taken behind a filter that rings for some periods
    expect(was!.start).toBeCloseTo(106, 1);
    expect(was!.end).toBe(106.5);
  });

  test("are in the sound that they have most of", () => {
    const [held] = heldToSound([word("him", 101.9, 107)], sound);
    expect(held!.start).toBeCloseTo(106, 1);
    expect(held!.end).toBe(107);
  });

  test("stay where they are without any sound", () => {
    expect(heldToSound([word("hm", 103, 104)], sound)).toEqual([word("hm", 103, 104)]);
    expect(heldToSound([word("hm", 3, 4)], soundIn(new Float32Array(80_000), 0))).toEqual([word("hm", 3, 4)]);
  });
});

test("words of any times become ordered ones that do not overlap", () => {
  const time = fc.integer({ min: 0, max: 3000 }).map((each) => each / 100);
  const wordsOfAnyTimes = fc.array(
    fc.tuple(time, time).map(([start, more]) => word("la", start, start + more)),
    { maxLength: 12 },
  );
  const stretches = fc.array(fc.tuple(time, time).map(([start, more]) => ({ start, end: start + more })));
  fc.assert(
    fc.property(wordsOfAnyTimes, stretches, (words, sound) => {
      const held = heldToSound(words, sound);
      expect(held.map(({ text }) => text)).toEqual(words.map(({ text }) => text));
      const times = held.flatMap(({ start, end }) => [start, end]);
      expect(times).toEqual(times.toSorted((a, b) => a - b));
    }),
  );
});
