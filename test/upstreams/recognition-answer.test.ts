/** Promise: every shape that servers answer becomes words with times inside the recording. */
import { describe, expect, test } from "bun:test";
import type { SynthesisTask } from "../../src/engine/protocol/synthesis.ts";
import { joined } from "../../src/transcription/transcript.ts";
import { languageCode, styled } from "../../src/upstreams/dialects/language-styles.ts";
import { hypothesesOf } from "../../src/upstreams/dialects/recognition-answer.ts";
import { piecesOf } from "../../src/upstreams/dialects/recording-form.ts";
import { timedSamples } from "../../src/upstreams/dialects/tasks.ts";
import { UpstreamFailure } from "../../src/upstreams/transport/failure.ts";

const RATE = 16_000;
/** Silence, and speech from `start` to `end`. */
const recording = (seconds: number, start = 0, end = seconds) =>
  Float32Array.from({ length: seconds * RATE }, (_, i) => {
    const at = i / RATE;
    return at >= start && at < end ? 0.3 * Math.sin(i / 7) * (Math.sin(at * 9) + 1.1) : 0;
  });

type Flags = Parameters<typeof hypothesesOf>[2];
const read = (answer: unknown, flags: Partial<Flags> = {}, samples = recording(4)) =>
  hypothesesOf(answer, { samples, offsetSeconds: 10 }, { times: "word", echoes_language: false, ...flags });

const wordsOf = (hypotheses: ReturnType<typeof read>) => hypotheses.flatMap(({ words }) => words);
const timesOf = (hypotheses: ReturnType<typeof read>) =>
  wordsOf(hypotheses).map(({ text, start, end }) => [text, start, end]);

test("the times of words without punctuation are placed on the words of the text", () => {
  const answer = {
    text: "Well, it's twenty-one. Yes!",
    words: [
      { word: "Well", start: 0.1, end: 0.4 },
      { word: "it's", start: 0.5, end: 0.7 },
      { word: "twenty", start: 0.8, end: 1.2 },
      { word: "one", start: 1.2, end: 1.5 },
      { word: "Yes", start: 2, end: 2.4 },
    ],
  };
  expect(timesOf(read(answer))).toEqual([
    ["Well,", 10.1, 10.4],
    ["it's", 10.5, 10.7],
    ["twenty-one.", 10.8, 11.5],
    ["Yes!", 12, 12.4],
  ]);
});

test("LocalAI's words, which are inside of segments and have another key, have their times", () => {
  const words = [
    { text: "Good", start: 0, end: 0.3 },
    { text: "day", start: 0.4, end: 0.6 },
  ];
  const answer = { text: "Good day.", segments: [{ start: 0, end: 1, text: " Good day.", words }] };
  expect(timesOf(read(answer))).toEqual([
    ["Good", 10, 10.3],
    ["day.", 10.4, 10.6],
  ]);
});

test("whisper.cpp's tokens are joined to words", () => {
  const words = [" Good", " morn", "ing", "."].map((word, index) => ({
    word,
    start: index,
    end: index + 1,
    probability: 0.9,
  }));
  const answer = {
    text: " Good morning.",
    language: "english",
    segments: [{ start: 0, end: 4, text: " Good morning.", words }],
  };
  const hypotheses = read(answer, { times: "token" });
  expect(timesOf(hypotheses)).toEqual([
    ["Good", 10, 11],
    ["morning.", 11, 14],
  ]);
  expect(hypotheses[0]).toMatchObject({ language: "en", words: [{ confidence: 0.9 }, { confidence: 0.9 }] });
});

test("vLLM's segments alone have their words spread over them, and numbers may be text", () => {
  const answer = {
    text: "One two.",
    duration: "4.0",
    language: "en",
    segments: [{ start: "1.0", end: "2.0", text: " One two.", avg_logprob: -0.105, no_speech_prob: null }],
  };
  const [only] = read(answer, { times: "segment", echoes_language: true });
  expect(only).toMatchObject({
    start: 11,
    end: 12,
    words: [
      { text: "One", start: 11 },
      { text: "two.", end: 12 },
    ],
  });
  expect(only!.words[0]!.confidence).toBeCloseTo(0.9, 2);
  expect(only!.language).toBeUndefined();
});

test("a text alone has its words spread over the speech in the recording", () => {
  const [only] = read({ text: "Some words here" }, { times: "none" }, recording(6, 2, 4));
  expect(only!.words[0]!.start).toBeGreaterThan(11.5);
  expect(only!.words.at(-1)!.end).toBeLessThan(14.5);
});

test("a text without spaces is cut into its characters", () => {
  const hypotheses = read({ text: "今日は Hello。世界" }, { times: "none" });
  expect(wordsOf(hypotheses).map(({ text }) => text)).toEqual(["今", "日", "は", "Hello。", "世", "界"]);
  expect(joined(wordsOf(hypotheses))).toBe("今日は Hello。世界");
});

test("times outside of the recording, or before those before them, are moved inside", () => {
  const answer = {
    text: "a b",
    segments: [
      { start: 0, end: 9, text: "a" },
      { start: 3, end: 2, text: "b" },
    ],
  };
  let last = 10;
  for (const { start, end } of wordsOf(read(answer, { times: "segment" }))) {
    expect(start).toBeGreaterThanOrEqual(last);
    expect(end).toBeGreaterThanOrEqual(start);
    last = end;
  }
  expect(last).toBeLessThanOrEqual(14);
});

test("no text is no hypothesis", () => {
  expect(read({ text: "", segments: [], words: [] })).toEqual([]);
});

test.each([[null], ["text"], [{}], [{ error: "no" }], [{ text: 5 }]])("%j is refused", (answer) => {
  expect(() => read(answer)).toThrow("no text");
});

const times = (count: number) => Array.from({ length: count }, () => ({ word: "a", start: 0, end: 1 }));

describe("an answer that holds more than its recording is faulty", () => {
  test.each([
    ["a text without end", { text: "word ".repeat(300_000) }],
    ["one word without end", { text: "a", words: [{ word: "a".repeat(150_000), start: 0, end: 1 }] }],
    ["words without end", { text: "a", words: times(100_000) }],
    ["segments without end", { text: "a", segments: times(40_000).map((word) => ({ ...word, text: "a" })) }],
    ["empty segments without end", { text: "a", segments: times(40_000) }],
  ])("%s", (_name, answer) => {
    expect(() => read(answer)).toThrow(/characters for 4.0 s/);
  });
  test.each([
    ["a text that is an object", { text: "a", segments: [{ text: { a: 1 }, start: 0, end: 1 }] }],
    ["a word that is a number", { text: "a", words: [{ word: 5, start: 0, end: 1 }] }],
    ["a list of numbers", { text: "a", words: [1, 2] }],
  ])("%s", (_name, answer) => {
    expect(() => read(answer)).toThrow(UpstreamFailure);
  });
});

test("timed speech of more words than its text is faulty", () => {
  const task = { text: "One.", voice: "x" } as unknown as SynthesisTask;
  const timestamps = Array.from({ length: 200_000 }, () => ({ word: "absent", start_time: 0, end_time: 1 }));
  const flags = { audio: "pcm", rate: 24_000 } as const;
  expect(() => timedSamples({ audio: "", timestamps }, task, { flags })).toThrow(
    "200000 words for 4 characters",
  );
});

test("times of words that are no numbers are inside of the recording", () => {
  const words = [
    { word: "a", start: Number.NaN, end: "1e400" },
    { word: "b", start: [[3]], end: -5 },
  ];
  for (const { start, end } of wordsOf(read({ text: "a b", words }))) {
    expect(start).toBeWithin(10, 14.001);
    expect(end).toBeWithin(start, 14.001);
  }
});

test("a text of many words and one timed word align, and the other way round", () => {
  const long = "a".repeat(2000);
  const answer = (text: string, words: string[]) =>
    read({ text, words: words.map((word) => ({ word, start: 0, end: 1 })) }, {}, recording(60));
  expect(wordsOf(answer("a ".repeat(2000), [long]))).toHaveLength(2000);
  expect(
    wordsOf(
      answer(
        long,
        Array.from({ length: 2000 }, () => "a"),
      ),
    ),
  ).toHaveLength(1);
});

describe("languages", () => {
  test.each([
    ["english", "en"],
    ["en", "en"],
    ["EN-us", "en"],
    ["German", "de"],
    ["", null],
    ["nonsense", null],
  ])("%s is the code %s", (name, code) => {
    expect(languageCode(name)).toBe(code);
  });
  test.each([
    ["pt", "bcp47", "pt-BR"],
    ["de", "bcp47", "de-DE"],
    ["en-GB", "kokoro", "b"],
    ["zh", "english", "Chinese"],
    ["sw", "kokoro", null],
  ] as const)("%s as %s is %s", (tag, style, name) => {
    expect(styled(tag, style)).toBe(name);
  });
});

test("a recording that is too long for a server is cut, and nothing is lost", () => {
  const samples = recording(70);
  const pieces = piecesOf(samples, 20, false);
  expect(pieces[0]!.start).toBe(0);
  expect(pieces.at(-1)!.end).toBe(samples.length);
  for (const [index, { start, end }] of pieces.entries()) {
    expect(end - start).toBeLessThanOrEqual(20 * RATE);
    if (index > 0) expect(start).toBe(pieces[index - 1]!.end);
  }
});
