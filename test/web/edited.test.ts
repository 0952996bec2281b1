/** Promise: corrected transcripts keep the times of the words that stay, in order, and export what was written. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { retimed, withText } from "../../src/web/playground/transcribe/edited.ts";
import { cuesOf, readTranscription } from "../../src/web/playground/transcribe/transcription.ts";

const heard = ["we", "are", "at", "the", "old", "horse"].map((word, at) => ({
  word,
  start: at,
  end: at + 0.5,
}));
const segments = [
  { start: 0, end: 6, text: " we are at the old horse", avg_logprob: -0.2, speaker: "A" },
  { start: 7, end: 9, text: " by the river", avg_logprob: -0.1, speaker: "B" },
];
const later = ["by", "the", "river"].map((word, at) => ({ word, start: 7 + at * 0.6, end: 7.5 + at * 0.6 }));
const body = {
  text: "we are at the old horse by the river",
  words: [...heard, ...later],
  segments,
  language: "english",
  duration: 9,
};
const transcription = readTranscription(JSON.stringify(body), "verbose_json");
const span = { start: 0, end: 6 };

describe("a corrected segment", () => {
  test("keeps the times of words that stay, whatever their case and marks", () => {
    const words = retimed(heard, "We are, at the old house.", span);
    expect(words.slice(0, 5)).toEqual([
      { word: "We", start: 0, end: 0.5 },
      { word: "are,", start: 1, end: 1.5 },
      { word: "at", start: 2, end: 2.5 },
      { word: "the", start: 3, end: 3.5 },
      { word: "old", start: 4, end: 4.5 },
    ]);
    expect(words[5]).toEqual({ word: "house.", start: 5, end: 5.5 });
  });

  test("shares the time of a word among those that replace it, by their letters", () => {
    const words = retimed(heard, "we are at the old at home horse", span);
    const [first, second] = [words[5]!, words[6]!];
    expect([first.start, first.end]).toEqual([4.5, expect.closeTo(4.5 + 0.5 / 3, 5)]);
    expect(second.end).toBeCloseTo(5, 5);
    expect(words.at(-1)).toEqual({ word: "horse", start: 5, end: 5.5 });
  });

  test("is in the text, the words, the cues and the response, and leaves the rest alone", () => {
    const edited = withText(transcription, 0, " We are at the old house. ");
    expect(edited.text).toBe("We are at the old house. by the river");
    expect(edited.segments[1]).toBe(transcription.segments[1]!);
    expect(edited.words.slice(6)).toEqual(later);
    expect(cuesOf(edited)[0]).toMatchObject({ text: "We are at the old house.", speaker: "A" });
    expect(edited.response).toEqual({
      ...body,
      ...{ text: edited.text, words: edited.words },
      segments: [{ ...segments[0], text: "We are at the old house." }, segments[1]],
    });
  });

  test("that is emptied is removed with its words, and one that is not changed is not", () => {
    const removed = withText(transcription, 0, "  ");
    expect(removed.segments).toHaveLength(1);
    expect([removed.text, removed.words]).toEqual(["by the river", later]);
    expect(withText(transcription, 0, "we are at  the old horse")).toBe(transcription);
    expect(withText(transcription, 5, "nothing")).toBe(transcription);
  });

  test("of a transcript without times of words has none either", () => {
    const bare = readTranscription(JSON.stringify({ ...body, words: undefined }), "verbose_json");
    const edited = withText(bare, 1, "by the rivers");
    expect(edited.words).toEqual([]);
    expect(edited.response).toEqual({
      ...body,
      words: undefined,
      text: edited.text,
      segments: edited.segments,
    });
  });
});

test("words are in order and within their segment, whatever is written", () => {
  const word = fc.constantFrom("we", "are", "at", "the", "old", "horse", "new", "a", "–", "straße");
  fc.assert(
    fc.property(fc.array(word, { maxLength: 20 }), (written) => {
      const words = retimed(heard, written.join(" "), span);
      expect(words.map((each) => each.word)).toEqual(written);
      let last = 0;
      for (const { start, end } of words) {
        expect(start).toBeGreaterThanOrEqual(last - 1e-9);
        expect(end).toBeGreaterThanOrEqual(start - 1e-9);
        expect(end).toBeLessThanOrEqual(6 + 1e-9);
        last = end;
      }
    }),
  );
});

test("a long text is placed in linear time", () => {
  const many = Array.from({ length: 5000 }, (_, at) => ({ word: `w${at}`, start: at, end: at + 1 }));
  const words = retimed(many, Array.from({ length: 5000 }, (_, at) => `v${at}`).join(" "), {
    start: 0,
    end: 5000,
  });
  expect(words).toHaveLength(5000);
  expect(words.at(-1)!.end).toBeCloseTo(5000, 3);
});
