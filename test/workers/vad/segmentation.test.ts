/** Promise: without Silero, speech that is too long is cut in a pause between words, and nothing of it is lost. */
import { describe, expect, test } from "bun:test";
import { ASR_SAMPLE_RATE } from "../../../src/audio/rates.ts";
import { openRandom } from "../../../testing/packages/random.ts";
import { openSpanFinder } from "../../../workers/vad/segmentation.ts";
import { clip, hasClips } from "../../clips.ts";

/** Words of 300 ms that touch, and pauses of 150 ms at these seconds. */
function speech(seconds: number, pauses: number[]): Float32Array {
  const random = openRandom(5);
  return Float32Array.from({ length: seconds * ASR_SAMPLE_RATE }, (_, at) => {
    const time = at / ASR_SAMPLE_RATE;
    const isPause = pauses.some((pause) => time >= pause && time < pause + 0.15);
    const word = 0.15 + 0.85 * Math.abs(Math.sin((time * Math.PI) / 0.3));
    return (random() - 0.5) * (isPause ? 0.002 : 0.4 * word);
  });
}

const secondsOf = (spans: { start: number; end: number }[]) =>
  spans.map(({ start, end }) => [start / ASR_SAMPLE_RATE, end / ASR_SAMPLE_RATE] as const);

describe("energy segmentation", () => {
  test("cuts at the quietest place in the last four seconds", async () => {
    const find = await openSpanFinder(null, 20);
    const [first, second, third, ...more] = secondsOf(await find(speech(50, [9, 17.3, 18.9, 36.1])));
    expect(more).toEqual([]);
    expect(first![1]).toBeWithin(17.3, 19.06); // in one of the two pauses
    expect([17.3, 18.9].some((pause) => Math.abs(first![1] - pause - 0.075) < 0.08)).toBe(true);
    expect(second![0]).toBe(first![1]);
    expect(second![1]).toBeWithin(36.1, 36.25);
    expect(third![1]).toBeGreaterThan(49.5);
  });

  test("cuts speech without pauses within the limit", async () => {
    const find = await openSpanFinder(null, 20);
    const spans = secondsOf(await find(speech(65, [])));
    expect(spans.length).toBe(4);
    for (const [index, [start, end]] of spans.entries()) {
      expect(end - start).toBeLessThanOrEqual(20);
      if (index < 3) expect(end - start).toBeGreaterThanOrEqual(16);
      if (index > 0) expect(start).toBe(spans[index - 1]![1]);
    }
  });

  test.skipIf(!hasClips)("gives the recognizer longer context than spans of twelve seconds", async () => {
    const samples = await clip("speech-en/jfk.flac");
    const long = new Float32Array(samples.length * 4);
    for (let at = 0; at < 4; at++) long.set(samples, at * samples.length);
    const find = await openSpanFinder(null, 30);
    const spans = secondsOf(await find(long));
    expect(Math.max(...spans.map(([start, end]) => end - start))).toBeLessThanOrEqual(30);
    expect(spans.at(-1)![1] - spans[0]![0]).toBeGreaterThan(40);
  });
});
