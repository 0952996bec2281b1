/** Promise: the benchmarks of voices find a click where two pieces of speech join, and a hole of zeros within one. */
import { expect, test } from "bun:test";
import { clickOf, holesOf } from "../../bench/engines/sound.ts";

const RATE = 24_000;
const tone = (seconds: number, phase = 0) =>
  Float32Array.from(
    { length: seconds * RATE },
    (_, at) => 0.5 * Math.sin((at * 400 * Math.PI) / RATE + phase),
  );
const spoken = (text: string, ...pieces: Float32Array[]) => ({
  plan: [{ text, pauseMs: 0 }],
  pieces,
  samples: Float32Array.from(pieces.flatMap((piece) => [...piece])),
});

test("a jump at a join is a click, and speech that goes on there is none", () => {
  const [first, second] = [tone(0.1), tone(0.1)];
  expect(clickOf(spoken("", first, second))).toBeLessThanOrEqual(1.5);
  expect(clickOf(spoken("", first, new Float32Array(RATE / 10), second))).toBeLessThanOrEqual(1.5);
  expect(clickOf(spoken("", first, tone(0.1, Math.PI / 2)))).toBeGreaterThan(10);
});

test("zeros within a piece are a hole, and those at its ends or behind a mark are none", () => {
  const silence = new Float32Array(0.15 * RATE);
  const holed = Float32Array.from([...silence, ...tone(0.1), ...silence, ...tone(0.1), ...silence]);
  expect(holesOf(spoken("one two", holed), "model")).toBe(1);
  expect(holesOf(spoken("one two", holed), "rules")).toBe(0);
  expect(holesOf(spoken("one, two", holed), "model")).toBe(0);
  expect(holesOf(spoken("one two", tone(0.1), silence, tone(0.1)), "model")).toBe(0);
});
