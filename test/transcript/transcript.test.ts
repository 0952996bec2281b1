/** Promise: a transcript is its words in order, and the deltas of a stream, joined, are its text. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import type { Hypothesis } from "../../src/engine/task.ts";
import { languageName } from "../../src/transcript/languages.ts";
import { deltaOf, type Segment, segmentOf, transcriptOf } from "../../src/transcript/transcript.ts";

const hypothesis = (start: number, texts: string[]): Hypothesis => ({
  start,
  end: start + texts.length + 1,
  words: texts.map((text, i) => ({ text, start: start + i + 0.5, end: start + i + 1, confidence: 0.5 })),
});

test("a segment is as long as its words, not as its utterance", () => {
  const segment = segmentOf(hypothesis(2, ["good", "morning"]));
  expect(segment).toMatchObject({ start: 2.5, end: 4, text: "good morning" });
});

test("an utterance without words is no segment", () => {
  expect(segmentOf(hypothesis(2, []))).toBeNull();
});

test("nothing said is a transcript without text", () => {
  expect(transcriptOf([], "en", 3)).toEqual({ language: "en", durationSeconds: 3, segments: [], text: "" });
});

test("joined deltas are the text, and the text is every word once", () => {
  const word = fc.stringMatching(/^[a-z']{1,8}$/);
  fc.assert(
    fc.property(fc.array(fc.array(word, { maxLength: 5 })), (utterances) => {
      const heard = utterances.map((texts, at) => segmentOf(hypothesis(10 * at, texts)));
      const segments = heard.filter((segment): segment is Segment => segment !== null);
      const { text } = transcriptOf(segments, "en", 600);
      expect(segments.map((segment, at) => deltaOf(segment, at === 0)).join("")).toBe(text);
      expect(text).toBe(utterances.flat().join(" "));
    }),
  );
});

test.each([
  ["en", "english"],
  ["no", "norwegian"],
  ["cy", "welsh"],
  ["eo", "eo"],
])("%s is called %s", (code, name) => expect(languageName(code)).toBe(name));
