/**
 * Promise: English of recorded people is mostly recognized correctly, with word times, and other sounds give no words.
 * `round-trip.test.ts` does this for each voice.
 */

import { afterAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { ASR_SAMPLE_RATE, TTS_SAMPLE_RATE } from "../../../src/audio/rates.ts";
import { resample } from "../../../src/audio/resample/resample.ts";
import { installedFamilies } from "../../../src/engine/families/installed.ts";
import type { Hypothesis, RecognitionTask } from "../../../src/engine/protocol/recognition.ts";
import type { SynthesisTask } from "../../../src/engine/protocol/synthesis.ts";
import { samplesOf } from "../../../src/engine/protocol/synthesis.ts";
import type { Engine } from "../../../src/engine/registry.ts";
import { lazily, soleClaim } from "../../../src/engine/runner.ts";
import { openScheduler } from "../../../src/engine/scheduler.ts";
import { openThreadPool } from "../../../src/engine/threads/thread-pool.ts";
import { inParts } from "../../../src/transcription/long/in-parts.ts";
import { recognize } from "../../../src/transcription/recognize.ts";
import { clip, hasClips, references } from "../../clips.ts";
import { plainWordErrors } from "../../wer.ts";

setDefaultTimeout(120_000); // a minute of speech is recognized in fifteen seconds, on a machine that does nothing else

const installed = installedFamilies().has("sphinx");
const unlessInstalled = installed ? "" : " (skipped: libpocketsphinx is not installed)";
const recorded = hasClips;
const unlessRecorded = recorded ? unlessInstalled : " (skipped: the shared recordings are not here)";

const open = (name: string, size: number) =>
  lazily(() => openThreadPool(new URL(`../../../workers/${name}.ts`, import.meta.url), { size }));
const openRecognizer = (size: number) => openScheduler(open("asr/pocketsphinx/pocketsphinx", size), { size });
const recognizer = openRecognizer(2);
const lonely = openRecognizer(1);
const voices = open("tts/flite/flite", 1);
afterAll(() => Promise.all([recognizer, lonely, voices].map((runner) => runner[Symbol.asyncDispose]())));

/** Hears a copy: a task takes its samples' buffer away. */
function listen(
  samples: Float32Array,
  { engine = recognizer as Engine, signal = new AbortController().signal } = {},
) {
  return recognize(engine, {
    samples: samples.slice(),
    spans: null,
    language: null,
    prompt: "",
    claim: soleClaim(signal),
  });
}

async function wordsOf(samples: Float32Array, engine: Engine = recognizer) {
  const hypotheses: Hypothesis[] = await Array.fromAsync(listen(samples, { engine }));
  return hypotheses.flatMap(({ words }) => words);
}

const textOf = (words: { text: string }[]) => words.map(({ text }) => text).join(" ");

async function synthesize(speaker: string, text: string): Promise<Float32Array> {
  const task: SynthesisTask = {
    kind: "synthesis",
    text,
    speaker,
    language: "en",
    speed: 1,
    instructions: "",
  };
  return resample(await voices.run(task).then(samplesOf), TTS_SAMPLE_RATE, ASR_SAMPLE_RATE);
}

const SENTENCES = [
  "The quick brown fox jumps over the lazy dog near the river bank today.",
  "She sells fresh bread and butter at the small market every Saturday morning.",
  "We hope to see you again next week when the weather is better.",
];

async function errorRate(pairs: [samples: Float32Array, text: string][]): Promise<number> {
  const recognized = await Promise.all(pairs.map(([samples]) => wordsOf(samples)));
  const counts = pairs.map(([, text], at) => plainWordErrors(text, textOf(recognized[at]!)));
  return (
    counts.reduce((sum, { errors }) => sum + errors, 0) / counts.reduce((sum, { words }) => sum + words, 0)
  );
}

describe("the word error rate", () => {
  test.skipIf(!installed || !recorded)(`of recorded people is at most a third${unlessRecorded}`, async () => {
    const pairs = references().map(
      async ([path, text]) => [await clip(path), text] as [Float32Array, string],
    );
    expect(pairs).toHaveLength(13);
    expect(await errorRate(await Promise.all(pairs))).toBeLessThanOrEqual(0.33);
  });
});

test.skipIf(!installed)(`a recording in parts has the words of the whole${unlessInstalled}`, async () => {
  const quiet = (await Promise.all(SENTENCES.slice(0, 2).map((text) => synthesize("slt", text)))).map(
    (samples, index) => samples.map((sample) => sample * 0.2 * (index + 1)),
  );
  const pause = new Float32Array(20 * ASR_SAMPLE_RATE);
  const samples = joinedSamples(quiet.flatMap((part) => [part, pause]));
  const divided = inParts(recognizer, { threads: 2, spansAtOnce: 2, detects: false });
  const [whole, inOrder] = await Promise.all([wordsOf(samples), wordsOf(samples, divided)]);
  expect(inOrder.length).toBeGreaterThan(20);
  expect(textOf(inOrder)).toBe(textOf(whole));
  for (const [index, { start, end, confidence }] of inOrder.entries()) {
    expect(start).toBeCloseTo(whole[index]!.start, 6);
    expect(end).toBeCloseTo(whole[index]!.end, 6);
    expect(confidence).toBe(whole[index]!.confidence);
  }
});

function joinedSamples(parts: Float32Array[]): Float32Array {
  const joined = new Float32Array(parts.reduce((sum, { length }) => sum + length, 0));
  let offset = 0;
  for (const part of parts) {
    joined.set(part, offset);
    offset += part.length;
  }
  return joined;
}

describe("recognized words", () => {
  test.skipIf(!installed)(`follow one another inside the recording${unlessInstalled}`, async () => {
    const parts = await Promise.all(SENTENCES.map((text) => synthesize("slt", text)));
    const samples = joinedSamples([parts[0]!, new Float32Array(ASR_SAMPLE_RATE), parts[1]!, parts[2]!]);
    const words = await wordsOf(samples);
    expect(words.length).toBeGreaterThan(30);
    let last = 0;
    for (const { text, start, end, confidence } of words) {
      expect(text).toMatch(/^[a-z'.-]+$/);
      expect(start).toBeGreaterThanOrEqual(last);
      expect(end).toBeGreaterThan(start);
      expect(confidence).toBeWithin(0, 1.0001);
      last = end;
    }
    expect(last).toBeLessThanOrEqual(samples.length / ASR_SAMPLE_RATE);
  });

  test.skipIf(!installed)(`move with their sound${unlessInstalled}`, async () => {
    const spoken = await synthesize("slt", SENTENCES[0]!);
    const late = new Float32Array(3 * ASR_SAMPLE_RATE + spoken.length);
    late.set(spoken, 3 * ASR_SAMPLE_RATE);
    const [before, after] = [await wordsOf(spoken), await wordsOf(late)];
    expect(textOf(after)).toBe(textOf(before));
    for (const [at, { start }] of after.entries())
      expect(Math.abs(start - before[at]!.start - 3)).toBeLessThan(0.15);
  });

  test.skipIf(!installed)(`do not depend on earlier recordings${unlessInstalled}`, async () => {
    const [one, other] = [await synthesize("slt", SENTENCES[0]!), await synthesize("awb", SENTENCES[1]!)];
    const first = await wordsOf(one, lonely);
    expect(first.length).toBeGreaterThan(5);
    await wordsOf(
      other.map((sample) => sample * 0.1),
      lonely,
    );
    expect(await wordsOf(one, lonely)).toEqual(first);
  });
});

const seconds = (count: number, value: (i: number) => number) =>
  Float32Array.from({ length: count * ASR_SAMPLE_RATE }, (_, i) => value(i));

const SPEECHLESS: [string, Float32Array][] = [
  ["an empty recording", new Float32Array(0)],
  ["one sample", Float32Array.of(1)],
  ["silence", seconds(5, () => 0)],
  ["samples that are not a number", seconds(2, () => Number.NaN)],
  [
    "samples that are not finite",
    seconds(2, (i) => (i % 3 === 0 ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY)),
  ],
  ["a tone", seconds(5, (i) => 0.5 * Math.sin(i / 5))],
  ["clicks", seconds(5, (i) => (i % 4000 === 0 ? 1 : 0))],
];

describe("no words are recognized in", () => {
  test.skipIf(!installed).each(SPEECHLESS)(`%s${unlessInstalled}`, async (_, samples) => {
    expect(await wordsOf(samples)).toEqual([]);
  });

  test.skipIf(!installed || !recorded)(`a recorded hiss${unlessRecorded}`, async () => {
    expect(await wordsOf(await clip("formats/silence.wav"))).toEqual([]);
  });
});

describe("a recognition task", () => {
  test.skipIf(!installed)(`handles samples that are not numbers${unlessInstalled}`, async () => {
    const spoken = await synthesize("slt", SENTENCES[0]!);
    const torn = spoken.map((sample, i) => (i % 97 === 0 ? Number.NaN : sample));
    for (const { start, end } of await wordsOf(torn)) expect(end).toBeGreaterThanOrEqual(start);
    expect(textOf(await wordsOf(spoken))).toContain("quick brown fox");
  });

  test.skipIf(!installed)(`stops between utterances when cancelled${unlessInstalled}`, async () => {
    const sentence = await synthesize("slt", SENTENCES[0]!);
    const long = new Float32Array(8 * (sentence.length + ASR_SAMPLE_RATE));
    for (let i = 0; i < 8; i++) long.set(sentence, i * (sentence.length + ASR_SAMPLE_RATE));
    const { port1, port2 } = new MessageChannel();
    const cancel = new Int32Array(new SharedArrayBuffer(4));
    port1.onmessage = () => Atomics.store(cancel, 0, 1);
    const task: RecognitionTask = {
      ...{ kind: "recognition", samples: long, spans: null, language: null, prompt: "" },
      ...{ wordTimes: true, precedence: "recording", cancel, port: port2 },
    };
    const posted = await lonely.run(task, soleClaim(), [port2 as never, long.buffer as ArrayBuffer]);
    port1.close();
    expect(posted).toBeWithin(1, 8);
    const again = await wordsOf(sentence, lonely);
    expect(textOf(again)).toContain("quick brown fox");
  });
});
