/** Promise: the engine tells who spoke when in recordings of any length, knows voices again, and refuses other graphs. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { ASR_SAMPLE_RATE } from "../../../src/audio/rates.ts";
import { soleClaim } from "../../../src/engine/runner.ts";
import { type DiarizationOptions, diarize, partsOf } from "../../../src/transcription/speakers/diarize.ts";
import {
  EMBEDDING_OPTIONS,
  embeddingContents,
  recordingOf,
  type Spoken,
  segmentationContents,
} from "../../../testing/packages/families/speakers.ts";
import { openTestStore } from "../../../testing/packages/model-store.ts";

const store = openTestStore();
afterAll(() => store[Symbol.asyncDispose]());
beforeAll(() => {
  store.add("segmentation", "pyannote", { contents: segmentationContents() });
  store.add("embedding", "speaker-embedding", {
    options: EMBEDDING_OPTIONS,
    contents: embeddingContents(),
  });
});

const tell = (samples: Float32Array, options: Partial<DiarizationOptions> = {}) =>
  diarize(store.registry.engine("segmentation"), [samples], {
    voices: [],
    speakerCount: null,
    claim: soleClaim(),
    ...options,
  });

const TURNS: Spoken[] = [
  { speaker: 1, start: 0.5, end: 6 },
  { speaker: 0, start: 7, end: 15 },
  { speaker: 1, start: 15.5, end: 31 },
  { speaker: 2, start: 30, end: 44 },
];

test("turns are found within the length of a frame's field, also where two people speak at once", async () => {
  const { turns } = await tell(recordingOf(47, TURNS));
  expect(turns.length).toBe(TURNS.length);
  const renamed = new Map<number, number>();
  for (const [index, { start, end, speaker }] of turns.entries()) {
    const expected = TURNS[index]!;
    expect(Math.abs(start - expected.start)).toBeLessThan(0.07);
    expect(Math.abs(end - expected.end)).toBeLessThan(0.07);
    expect(renamed.get(expected.speaker) ?? speaker).toBe(speaker);
    renamed.set(expected.speaker, speaker);
  }
  expect(new Set(renamed.values()).size).toBe(3);
});

test("two people are found where it is known that there are two", async () => {
  const { turns } = await tell(recordingOf(47, TURNS), { speakerCount: 2 });
  expect(new Set(turns.map(({ speaker }) => speaker)).size).toBe(2);
});

test("a known voice is that of its speaker; one that does not speak has none", async () => {
  const voices = [2, 0, 1].map((speaker) => recordingOf(3, [{ speaker, start: 0, end: 3 }]));
  const samples = recordingOf(47, TURNS.slice(0, 3));
  const { turns, known } = await tell(samples, { voices });
  expect(known).toEqual([null, turns[1]!.speaker, turns[0]!.speaker]);
  const short = await tell(recordingOf(4, [{ speaker: 0, start: 1, end: 3 }]), { voices });
  expect(short.known).toEqual([null, short.turns[0]!.speaker, null]);
});

test("silence, and a recording of a few samples, have no turns", async () => {
  expect((await tell(new Float32Array(30 * ASR_SAMPLE_RATE))).turns).toEqual([]);
  expect((await tell(new Float32Array(50))).turns).toEqual([]);
  expect((await tell(new Float32Array(0))).turns).toEqual([]);
});

test("a caller that leaves stops the engine at the next windows", async () => {
  const left = new AbortController();
  const claim = soleClaim(left.signal);
  const recording = tell(recordingOf(600, TURNS), { claim });
  left.abort(new Error("left"));
  await expect(recording).rejects.toThrow("left");
});

describe("the windows of a recording", () => {
  const STEP = 40_000;
  /** Published: floor((n - W) / S) + 1, and one more where samples are left over. */
  const expected = (n: number) =>
    n <= 160_000 ? Math.min(n, 1) : Math.floor((n - 160_000) / STEP) + 1 + Number((n - 160_000) % STEP > 0);
  const lengths = [
    0, 1, 159_999, 160_000, 160_001, 200_000, 200_001, 439_999, 440_000, 440_001, 480_000, 2_000_003,
  ];

  test.each(lengths)("of %d samples are as many as published, whatever the chunks", async (n) => {
    const samples = Float32Array.from({ length: n }, (_, at) => at % 9973);
    for (const size of [n || 1, 7001, 160_000]) {
      const chunks = Array.from({ length: Math.ceil(n / size) }, (_, at) =>
        samples.subarray(at * size, (at + 1) * size),
      );
      let windows = 0;
      let end = 0;
      for await (const part of partsOf(chunks, STEP)) {
        expect(part.samples[0]).toBe(samples[windows * STEP]!);
        expect(part.samples.at(-1)).toBe(samples[part.end - 1]!);
        windows += part.count;
        end = part.end;
      }
      expect([windows, end]).toEqual([expected(n), n]);
    }
  });
});

test("a graph of another model is refused by name", async () => {
  store.add("other", "pyannote", { contents: embeddingContents() });
  const failure = diarize(store.registry.engine("other"), [recordingOf(3, [])], {
    voices: [],
    speakerCount: null,
    claim: soleClaim(),
  });
  await expect(failure).rejects.toThrow("this is another model: it has no output y");
});

test("in one window too, two people are one where one is known to speak", async () => {
  const samples = recordingOf(9, [
    { speaker: 0, start: 1, end: 4 },
    { speaker: 2, start: 5, end: 8 },
  ]);
  const speakersOf = ({ turns }: Awaited<ReturnType<typeof tell>>) => turns.map(({ speaker }) => speaker);
  expect(new Set(speakersOf(await tell(samples))).size).toBe(2);
  expect(speakersOf(await tell(samples, { speakerCount: 1 }))).toEqual([0, 0]);
});
