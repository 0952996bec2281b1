/** Promise: windows become turns as published: votes, pauses closed, short turns dropped, times of frames. */
import { expect, test } from "bun:test";
import { turnsOf } from "../../../workers/diarization/turns.ts";

const window = (...spans: [from: number, until: number, bits: number][]): Uint8Array => {
  const activity = new Uint8Array(589);
  for (const [from, until, bits] of spans) activity.fill(bits, from, until);
  return activity;
};

/** The middle of a frame's field: k * 270 / 16,000 + 991 / 2 / 16,000. */
const seconds = (frame: number) => frame * 0.016875 + 0.03096875;
const rounded = (turns: ReturnType<typeof turnsOf>) =>
  turns.map(({ start, end, speaker }) => [start.toFixed(5), end.toFixed(5), speaker]);
const turn = (from: number, until: number, speaker: number) => [
  seconds(from).toFixed(5),
  seconds(until).toFixed(5),
  speaker,
];

test("turns are in order; a pause under half a second is part of a turn, and a turn of 0.3 s or less is none", () => {
  const turns = turnsOf({
    // 29 frames are 0.489 s, 30 are 0.506 s; 17 are 0.287 s, 18 are 0.304 s
    windows: [window([10, 60, 1], [89, 120, 1], [150, 200, 1], [220, 237, 2], [300, 318, 2], [580, 589, 2])],
    step: 16_000,
    speakers: [
      { window: 0, speaker: 0 },
      { window: 0, speaker: 1 },
    ],
    labels: [0, 1],
    sampleCount: 160_000,
  });
  expect(rounded(turns)).toEqual([turn(10, 120, 0), turn(150, 200, 0), turn(300, 318, 1)]);
});

test("local speakers of another order are the same people, and a frame has those that most windows name", () => {
  const first = window([0, 300, 1], [300, 589, 2]);
  const second = window([0, 241, 2], [241, 530, 1], [530, 589, 4]); // begins at frame 59
  const third = window([0, 182, 1], [182, 530, 2]); // at frame 119
  const turns = turnsOf({
    windows: [first, second, third],
    step: 16_000,
    speakers: [0, 1, 2].flatMap((at) => [0, 1, 2].map((speaker) => ({ window: at, speaker }))),
    labels: [0, 1, 3, 1, 0, 2, 0, 1, 3], // the first two of the second window are exchanged, its third is doubtful
    sampleCount: 192_000,
  });
  expect(rounded(turns)).toEqual([turn(0, 300, 0), turn(300, 649, 1)]); // of as many votes, the first
});

test("overlapping speech is a turn of each, and times end with the recording", () => {
  const turns = turnsOf({
    windows: [window([0, 100, 1], [60, 100, 3], [100, 589, 2])],
    step: 16_000,
    speakers: [
      { window: 0, speaker: 0 },
      { window: 0, speaker: 1 },
    ],
    labels: [0, 1],
    sampleCount: 48_000, // three seconds: 178 frames, the rest is silence that was added
  });
  expect(rounded(turns)).toEqual([turn(0, 100, 0), ["1.04347", "3.00000", 1]]);
});

test("there is no turn where no window has speech, and a speaker without an embedding is left out", () => {
  const silent = { windows: [window()], step: 16_000, speakers: [], labels: [], sampleCount: 160_000 };
  expect(turnsOf(silent)).toEqual([]);
  expect(turnsOf({ ...silent, windows: [window([0, 50, 1])] })).toEqual([]);
});
