/** Promise: subtitles can be read: at most two lines of 42 columns and 7 s a cue, with every word in order at its time. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { type Cue, linesOf, readableCues } from "../../src/transcription/cues.ts";
import { srt, vtt } from "../../src/transcription/subtitles.ts";

/** Each word takes 0.3 s, and what `pauses` says before it. */
function segmentOf(text: string, pauses: Record<number, number> = {}): Cue {
  let at = 0;
  const words = text.split(" ").map((word, index) => {
    at += pauses[index] ?? 0;
    const start = at;
    at += 0.3;
    return { text: word, start, end: at };
  });
  return { start: 0, end: at, text, words };
}

const texts = (cue: Cue): string[] => readableCues(cue).map(({ text }) => text);
const lines = (cue: Cue): string[][] => readableCues(cue).map((each) => linesOf(each));

describe("a segment", () => {
  test("that can be read stays as it is, in one line or in two of alike length", () => {
    expect(lines(segmentOf("We were late."))).toEqual([["We were late."]]);
    expect(lines(segmentOf("We were late, so we took the first train that left the station."))).toEqual([
      ["We were late, so we took the first", "train that left the station."],
    ]);
  });

  test("of 11 s and one sentence is cut at a comma", () => {
    const text =
      "Ask not what your country can do for you, ask what you can do for your country and for everyone who lives in it now";
    expect(texts(segmentOf(text))).toEqual([
      "Ask not what your country can do for you,",
      "ask what you can do for your country and for everyone who lives in it now",
    ]);
  });

  test("is cut at a pause where it has no marks", () => {
    const words = Array.from({ length: 20 }, (_, index) => `word${index % 10}`);
    expect(texts(segmentOf(words.join(" "), { 8: 0.5 }))).toEqual([
      words.slice(0, 8).join(" "),
      words.slice(8).join(" "),
    ]);
  });

  test("that lasts longer than 7 s is cut, however few its words", () => {
    const cues = readableCues(segmentOf("one two three four", { 1: 3, 2: 3, 3: 3 }));
    expect(cues.map(({ text, start }) => [text, Math.round(start * 10) / 10])).toEqual([
      ["one two three", 0],
      ["four", 9.9],
    ]);
  });

  test("without the times of words is cut by the share of its letters", () => {
    const text = `${"eight888 ".repeat(16)}end`;
    const cues = readableCues({ start: 10, end: 20, text });
    expect(cues.map((cue) => cue.text).join(" ")).toBe(text);
    expect(cues[0]!.start).toBe(10);
    expect(cues.at(-1)!.end).toBe(20);
    expect(cues[1]!.start).toBeGreaterThan(13);
  });

  test("of Japanese has lines of 21 characters, cut between words", () => {
    const text =
      "今日はとても良い天気ですから、公園まで歩いて行きましょう。そのあとで駅の近くの店で昼ご飯を食べます。";
    for (const cue of readableCues({ start: 0, end: 9, text }))
      for (const line of linesOf(cue)) expect(line.length).toBeLessThan(22);
    expect(texts({ start: 0, end: 9, text }).join("")).toBe(text);
  });

  test("keeps a word that is longer than a line, and an empty text", () => {
    const address = `https://example.com/${"a".repeat(60)}`;
    expect(lines(segmentOf(address))).toEqual([[address]]);
    expect(lines({ start: 0, end: 1, text: "" })).toEqual([[]]);
    expect(srt({ segments: [{ start: 0, end: 1, text: "" }] })).toBe(
      "1\n00:00:00,000 --> 00:00:01,000\n\n\n",
    );
  });
});

test("names of speakers take their place in SubRip's first line, and none in WebVTT's", () => {
  const text = "We were late, so we took the first train that left the station at noon.";
  const segments = [{ ...segmentOf(text), speaker: "Ada" }];
  expect(srt({ segments })).toContain(
    "\nAda: We were late, so we took the first\ntrain that left the station at noon.\n\n",
  );
  expect(vtt({ segments })).toContain(
    "\n<v Ada>We were late, so we took the first\ntrain that left the station at noon.\n\n",
  );
});

test("cues of any words can be read, and lose none", () => {
  const word = fc.record({
    text: fc.stringMatching(/^[a-zé]{1,14}[.,]?$/),
    length: fc.integer({ min: 1, max: 900 }),
    pause: fc.integer({ min: 0, max: 900 }),
    glued: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 120 }), fc.option(fc.string()), (given, name) => {
      let at = 0;
      const words = given.map(({ text, length, pause, glued }, index) => {
        const start = at + pause / 1000;
        at = start + length / 1000;
        return { text, start, end: at, glued: glued && index > 0 };
      });
      const text = words
        .map(({ text: each, glued }) => (glued ? each : ` ${each}`))
        .join("")
        .trim();
      const speaker = name ?? undefined;
      const cues = readableCues({ start: words[0]!.start, end: at, text, words, speaker });
      expect(cues.flatMap((cue) => cue.words)).toEqual(words);
      for (const cue of cues) {
        const isOne = cue.words.length === 1;
        if (!isOne) expect(cue.end - cue.start).toBeLessThan(7.001);
        const shown = linesOf(cue);
        expect(shown.length).toBeLessThan(3);
        if (!isOne) for (const line of shown) expect(line.length).toBeLessThan(43);
      }
    }),
  );
});

test("cutting takes time in proportion to the words", () => {
  const words = Array.from({ length: 40_000 }, (_, index) => ({
    text: "字",
    start: index / 10,
    end: (index + 1) / 10,
    glued: index > 0,
  }));
  const cues = readableCues({ start: 0, end: 4000, text: "字".repeat(40_000), words });
  expect(cues.length).toBeGreaterThan(500);
});
