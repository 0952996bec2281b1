/** Promise: a span is decoded to its end, and no window is made of a rest too short or too quiet to say anything. */
import { describe, expect, test } from "bun:test";
import { ASR_SAMPLE_RATE } from "../../../../src/audio/rates.ts";
import type { WindowSegment, WindowText } from "../../../../workers/asr/whisper/segments.ts";
import { windowsOf } from "../../../../workers/asr/whisper/windows.ts";

const segment = (start: number, end: number): WindowSegment => ({ start, end, tokens: [1], sampled: [1] });

/** Sound up to `loud` seconds, and then silence. */
const span = (seconds: number, loud = seconds) =>
  Float32Array.from({ length: seconds * ASR_SAMPLE_RATE }, (_, index) =>
    index < loud * ASR_SAMPLE_RATE ? 0.3 * Math.sin(index / 5) : 0,
  );

/** What is found where each window is decoded to the next of these texts. */
async function decoded(samples: Float32Array, texts: (Partial<WindowText> | null)[], left = 100) {
  const lengths: number[] = [];
  const found: { from: number; ends: number[] }[] = [];
  const budget = { left };
  const windows = windowsOf({ samples, budget }, async (rest) => {
    budget.left -= 1;
    lengths.push(rest.length / ASR_SAMPLE_RATE);
    const text = texts[lengths.length - 1];
    return text ? { segments: [], nextStart: null, incomplete: null, ...text, result: null } : null;
  });
  for await (const { from, segments } of windows) found.push({ from, ends: segments.map(({ end }) => end) });
  return { lengths, found };
}

describe("the windows of a span", () => {
  test("begin where the complete segments of the one before end", async () => {
    const { lengths, found } = await decoded(span(20), [
      { segments: [segment(0, 12)], nextStart: 12, incomplete: segment(12, 20) },
      { segments: [segment(0, 8)] },
    ]);
    expect(lengths).toEqual([20, 8]);
    expect(found).toEqual([
      { from: 0, ends: [12] },
      { from: 12, ends: [8] },
    ]);
  });

  test("are none of a rest below a second, of which what was written is kept", async () => {
    const first = { segments: [segment(0, 19.4)], nextStart: 19.4 };
    expect(await decoded(span(20), [first])).toEqual({ lengths: [20], found: [{ from: 0, ends: [19.4] }] });
    expect(await decoded(span(20), [{ ...first, incomplete: segment(19.4, 20) }])).toEqual({
      lengths: [20],
      found: [{ from: 0, ends: [19.4, 20] }],
    });
  });

  test("are none of a rest without sound, and nothing is kept of it", async () => {
    const first = { segments: [segment(0, 12)], nextStart: 12, incomplete: segment(12, 20) };
    expect(await decoded(span(20, 12), [first])).toEqual({
      lengths: [20],
      found: [{ from: 0, ends: [12] }],
    });
  });

  test("lose nothing behind a short first segment", async () => {
    const { found } = await decoded(span(20), [
      { segments: [segment(0, 0.4)], nextStart: 0.4 },
      { segments: [segment(0, 19)] },
    ]);
    expect(found.map(({ from }) => from)).toEqual([0, 0.4]);
  });

  test("end with silence", async () => {
    expect((await decoded(span(20), [null])).found).toEqual([]);
  });

  test("end where the budget is spent, and keep what was written of the rest", async () => {
    const endless = Array.from({ length: 9 }, () => ({
      segments: [segment(0, 2)],
      nextStart: 2,
      incomplete: segment(2, 5),
    }));
    const { found } = await decoded(span(20), endless, 3);
    expect(found.map(({ from, ends }) => [from, ...ends])).toEqual([
      [0, 2],
      [2, 2],
      [4, 2, 5],
    ]);
  });
});
