/** Promise: a transcript contains its words in order, and the joined deltas of a stream are its text. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import type { Hypothesis, Word } from "../../src/engine/protocol/recognition.ts";
import { deltaOf, segmentsOf, transcriptOf } from "../../src/transcription/transcript.ts";

const hypothesis = (start: number, texts: string[]): Hypothesis => ({
  start,
  end: start + texts.length + 1,
  words: texts.map((text, i) => ({ text, start: start + i + 0.5, end: start + i + 1, confidence: 0.5 })),
});

test("a segment spans its words, not its utterance", () => {
  const [segment] = segmentsOf(hypothesis(2, ["good", "morning"]));
  expect(segment).toMatchObject({ start: 2.5, end: 4, text: "good morning" });
});

test("an utterance without words gives no segment", () => {
  expect(segmentsOf(hypothesis(2, []))).toEqual([]);
});

const word = (text: string, [start, end]: [start: number, end: number], glued = false): Word => ({
  text,
  start,
  end,
  confidence: 1,
  ...(glued ? { glued } : {}),
});
const texts = (...words: Word[]) => segmentsOf({ start: 0, end: 60, words }).map(({ text }) => text);

test("a long utterance becomes sentences, a silence ends one, and none is longer than twelve seconds", () => {
  expect(texts(word("Good", [0, 0.6]), word("day.", [0.6, 1.2]), word("You", [1.3, 1.5]))).toEqual([
    "Good day.",
    "You",
  ]);
  expect(texts(word("Mr.", [0, 0.3]), word("Day", [0.3, 0.6]))).toEqual(["Mr. Day"]); // too short for a sentence
  expect(texts(word("one", [0, 1]), word("two", [1.8, 2]))).toEqual(["one", "two"]);
  expect(
    texts(...Array.from({ length: 40 }, (_, index) => word("go", [index / 2, index / 2 + 0.5]))),
  ).toHaveLength(2);
});

test("words of languages without spaces are joined without any", () => {
  const [first, second] = segmentsOf({
    start: 0,
    end: 9,
    words: [word("今天。", [0, 1.5], true), word("天", [1.5, 2], true), word("气", [2, 3], true)],
  });
  expect([first!.text, second!.text]).toEqual(["今天。", "天气"]);
  expect(transcriptOf([first!, second!], "zh", 9).text).toBe("今天。天气");
});

test("the detected language replaces the assumed one", () => {
  const segments = segmentsOf({ start: 0, end: 2, words: [word("Hallo", [0, 1])], language: "de" });
  expect(transcriptOf(segments, "en", 2).language).toBe("de");
});

test("silence gives a transcript without text", () => {
  expect(transcriptOf([], "en", 3)).toEqual({ language: "en", durationSeconds: 3, segments: [], text: "" });
});

test("joined deltas are the text, which contains every word once", () => {
  const letters = fc.stringMatching(/^[a-z']{1,8}$/);
  fc.assert(
    fc.property(fc.array(fc.array(letters, { maxLength: 5 })), (utterances) => {
      const segments = utterances.flatMap((texts, index) => segmentsOf(hypothesis(10 * index, texts)));
      const { text } = transcriptOf(segments, "en", 600);
      expect(segments.map((segment, index) => deltaOf(segment, index === 0)).join("")).toBe(text);
      expect(text).toBe(utterances.flat().join(" "));
    }),
  );
});
