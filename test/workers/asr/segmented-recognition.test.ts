/** Promise: an engine that recognizes spans of speech finds the same ones in a whole recording as in its parts. */

import { expect, test } from "bun:test";
import { valueSymbol } from "piscina";
import { ASR_SAMPLE_RATE } from "../../../src/audio/rates.ts";
import { isOf } from "../../../src/engine/protocol/task.ts";
import { type Runner, soleClaim } from "../../../src/engine/runner.ts";
import { openScheduler } from "../../../src/engine/scheduler.ts";
import { inParts } from "../../../src/transcription/long/in-parts.ts";
import { recognize } from "../../../src/transcription/recognize.ts";
import { recognizeOrFind, recognizeSegments } from "../../../workers/asr/segmented-recognition.ts";
import { openSpanFinder } from "../../../workers/vad/segmentation.ts";

const LONGEST_SECONDS = 30;

/** Bursts of a tone that comes and goes, one to five seconds long, with pauses between them. */
function recordingOf(seconds: number): Float32Array {
  const second = (index: number) => index / ASR_SAMPLE_RATE;
  const isLoud = (at: number) => at % 7 < 1 + (Math.floor(at / 7) % 5);
  return Float32Array.from({ length: seconds * ASR_SAMPLE_RATE }, (_, index) =>
    isLoud(second(index)) ? 0.4 * Math.sin(index / 6) * Math.sin(index / 900) ** 2 : 0,
  );
}

/** Recognizes in a span how long it is, and its power. */
const recognized = async (samples: Float32Array, offset: number) => {
  const power = samples.reduce((sum, sample) => sum + sample ** 2, 0);
  const text = `${samples.length} ${power.toFixed(3)}`;
  return { words: [{ text, start: offset, end: offset, confidence: 1 }] };
};

test("spans are the same in the whole and in parts", async () => {
  const findSpans = await openSpanFinder(null, LONGEST_SECONDS);
  const engine = { findSpans, longestSeconds: LONGEST_SECONDS };
  let tasks = 0;
  const runner: Runner = {
    async run(task) {
      tasks++;
      if (!isOf(task, "recognition") && !isOf(task, "speech-search")) throw new Error("no such task");
      const result = await recognizeOrFind(task, engine, (recording) =>
        recognizeSegments(recording, { ...engine, recognizeSpan: recognized }),
      );
      return (typeof result === "number" ? result : Reflect.get(result, valueSymbol)) as never;
    },
    async [Symbol.asyncDispose]() {},
  };
  const queue = openScheduler(runner, { size: 3 });
  const samples = recordingOf(150);
  const hear = (by: Parameters<typeof recognize>[0]) =>
    Array.fromAsync(
      recognize(by, {
        samples: samples.slice(),
        spans: null,
        language: null,
        prompt: "",
        claim: soleClaim(),
      }),
    );
  const whole = await hear(queue);
  expect(whole.length).toBeGreaterThan(5);
  const parts = await hear(inParts(queue, { threads: 3, spansAtOnce: 2, detects: true }));
  expect(parts.map(({ words }) => words.map(({ text }) => text))).toEqual(
    whole.map(({ words }) => words.map(({ text }) => text)),
  );
  for (const [index, { start, end }] of parts.entries()) {
    expect(start).toBeCloseTo(whole[index]!.start, 6);
    expect(end).toBeCloseTo(whole[index]!.end, 6);
  }
  expect(tasks).toBeGreaterThan(5);
});
