/** Promise: each word is said by the speaker whose turn it is in, and speakers are named in the order they appear. */
import { expect, test } from "bun:test";
import type { Word } from "../../../src/engine/protocol/recognition.ts";
import { bySpeaker, openSpeakerNames, speakerLines } from "../../../src/transcription/speakers/by-speaker.ts";
import { segmentsOf } from "../../../src/transcription/transcript.ts";

const word = (text: string, start: number, end: number) => ({ text, start, end, confidence: 1 });
const segmentOf = (...words: Word[]) => segmentsOf({ start: 0, end: 9, words })[0]!;

test("a segment is cut where another speaker begins, and a word between turns belongs to the nearest", () => {
  const turns = [
    { start: 0, end: 1.05, speaker: 4 },
    { start: 1.4, end: 3, speaker: 2 },
  ];
  const words = [
    word("one", 0, 0.5),
    word("two", 0.6, 1.3), // 0.45 s in the first turn, none in the second
    word("three", 1.31, 1.35), // 0.05 s before the second, 0.26 s after the first
    { ...word("!", 1.4, 1.5), glued: true },
  ];
  const segments = bySpeaker(segmentOf(...words), turns, String);
  expect(segments.map(({ start, end, text, speaker }) => [start, end, text, speaker])).toEqual([
    [0, 1.3, "one two", "4"],
    [1.31, 1.5, "three!", "2"],
  ]);
});

test("where two speak at once, a word is of the one that speaks for most of it", () => {
  const turns = [
    { start: 0, end: 2, speaker: 0 },
    { start: 1, end: 3, speaker: 1 },
  ];
  const of = (start: number, end: number) =>
    bySpeaker(segmentOf(word("x", start, end)), turns, String)[0]!.speaker;
  expect([of(0.5, 1.5), of(1.8, 2.8), of(1.2, 1.8)]).toEqual(["0", "1", "0"]);
});

test("without any turn, all words are of one speaker", () => {
  expect(bySpeaker(segmentOf(word("x", 0, 1), word("y", 1, 2)), [], String).length).toBe(1);
});

test("speakers are A, B … by appearance, but for known names, which no other speaker gets", () => {
  const nameOf = openSpeakerNames([[7, "Ada"]], ["Ada", "B"]);
  expect([3, 7, 5, 3, 1].map(nameOf)).toEqual(["A", "Ada", "C", "A", "D"]);
  const many = openSpeakerNames();
  const names = Array.from({ length: 704 }, (_, speaker) => many(speaker));
  expect([names[25], names[26], names[51], names[52], names[701], names[702]]).toEqual([
    "Z",
    "AA",
    "AZ",
    "BA",
    "ZZ",
    "AAA",
  ]);
});

test("as text, consecutive segments of a speaker are one line", () => {
  const turns = [{ start: 0, end: 9, speaker: 0 }];
  const segments = [segmentOf(word("One.", 0, 1)), segmentOf(word("Two.", 2, 3))];
  const spoken = segments.flatMap((segment) => bySpeaker(segment, turns, () => "Ada"));
  expect(speakerLines(spoken)).toBe("Ada: One. Two.\n");
});
