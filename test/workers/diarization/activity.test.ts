/** Promise: classes of segmentation are the published speakers, and what each says alone is cut as published. */
import { expect, test } from "bun:test";
import {
  activityOf,
  framesOf,
  rangesAlone,
  speakersPerFrame,
} from "../../../workers/diarization/activity.ts";

test("a frame's highest class says who is active, in the published order of the powerset", () => {
  const scores = Float32Array.from({ length: 7 * 7 }, (_, at) => (at % 8 === 0 ? -0.1 : -3));
  // none, a, b, c, a and b, a and c, b and c, as the bits 1, 2 and 4
  expect([...activityOf(scores)]).toEqual([0, 1, 2, 4, 3, 5, 6]);
});

/** 589 frames without speech, but for some of them. */
const window = (...spans: [from: number, until: number, bits: number][]): Uint8Array => {
  const activity = new Uint8Array(589);
  for (const [from, until, bits] of spans) activity.fill(bits, from, until);
  return activity;
};

test("speech of one speaker alone is cut in samples of the window; overlaps and short speech are left out", () => {
  const activity = window([100, 120, 1], [120, 140, 3], [140, 150, 1], [300, 309, 4], [580, 589, 1]);
  // frame k begins at k / 589 of 160,000 samples; the last frame of a window has no end
  expect(rangesAlone(activity, 0)).toEqual([
    { start: 27_164, end: 32_597 },
    { start: 38_030, end: 40_747 },
    { start: 157_555, end: 159_728 },
  ]);
  expect(rangesAlone(activity, 1)).toEqual([]); // never alone
  expect(rangesAlone(activity, 2)).toEqual([]); // nine frames
});

test("as many people speak in a frame as its windows say on average, rounded", () => {
  const step = 16_000; // the second window begins at frame 59
  const counts = speakersPerFrame(
    [window([0, 589, 1]), window([0, 100, 3], [100, 200, 0], [200, 589, 2])],
    step,
  );
  expect(counts.length).toBe(652); // (160,000 + 16,000) / 270 + 1
  expect(framesOf({ count: 2, step })).toBe(652);
  expect(counts[58]).toBe(1); // one window
  expect(counts[59]).toBe(2); // one and two: 1.5
  expect(counts[59 + 100]).toBe(1); // one and none: 0.5
  expect(counts[59 + 200]).toBe(1);
  expect(counts[648]).toBe(0); // beyond both
});
