/** Promise: what is typed into the narration becomes paragraphs, its marks what the API reads, and its paragraphs one recording with captions. */
import { expect, test } from "bun:test";
import { wavHeader } from "../../src/audio/pcm.ts";
import { srt } from "../../src/transcription/subtitles.ts";
import { joinedBack, nameOf, typed } from "../../src/web/playground/narration/draft.ts";
import { readText, spokenText } from "../../src/web/playground/narration/marks.ts";
import { wholeOf } from "../../src/web/playground/narration/whole.ts";

const one = (text: string, id = "a") => ({ id, text, voice: "ada" });
const ids = () => {
  let next = 0;
  return () => `new-${++next}`;
};

test("Enter cuts a paragraph where the caret is, and keeps its voice", () => {
  const { paragraphs, caret } = typed(
    [one("Hello world")],
    { id: "a", text: "Hello\n world", caret: 6 },
    ids(),
  );
  expect(paragraphs).toEqual([one("Hello"), one(" world", "new-1")]);
  expect(caret).toEqual({ id: "new-1", at: 0 });
});

test("lines that are pasted become paragraphs, with the caret behind the last", () => {
  const text = "One\n\nTwo\nThree four";
  const { paragraphs, caret } = typed([one(""), one("Z", "z")], { id: "a", text, caret: 14 }, ids());
  expect(paragraphs.map((each) => each.text)).toEqual(["One", "Two", "Three four", "Z"]);
  expect(caret).toEqual({ id: "new-2", at: 5 });
});

test("typing within a line moves no caret", () => {
  expect(typed([one("a")], { id: "a", text: "ab", caret: 2 }, ids()).caret).toBeNull();
});

test("a paragraph joins the one before it; the first joins none", () => {
  const all = [one("One "), one("two", "b")];
  expect(joinedBack(all, "b")).toEqual({ paragraphs: [one("One two")], caret: { id: "a", at: 4 } });
  expect(joinedBack(all, "a")).toBeNull();
});

test("a draft is named by its first words", () => {
  expect(nameOf({ id: "d", voice: null, paragraphs: [one("")] })).toBe("Empty draft");
  expect(nameOf({ id: "d", voice: null, paragraphs: [one("word ".repeat(20))] })).toHaveLength(41);
});

test("a text without readings is sent as it is", () => {
  const text = "Wait [pause 500ms] <b>now</b> & {go}.";
  expect(spokenText(text)).toBe(text);
});

test("a reading is sent as SSML, with pauses and escaped signs", () => {
  expect(spokenText('Start nginx{engine "x"} & [pause 1.5s] wait.')).toBe(
    '<speak>Start <sub alias="engine &quot;x&quot;">nginx</sub> &amp; <break time="1.5s"/> wait.</speak>',
  );
  expect(readText("Start nginx{engine x} [pause 500ms] now.")).toBe("Start nginx now.");
});

const RATE = 24_000;
const clip = (seconds: number) =>
  new Blob([wavHeader(seconds * RATE, RATE), new Uint8Array(2 * seconds * RATE)]);

test("paragraphs are one recording, with silence between, and captions with the marks of the text", async () => {
  const { file, cues } = wholeOf([
    {
      text: "“Hello, nginx{engine x},” he said.",
      made: {
        file: clip(2),
        voiceName: "Ada",
        words: [
          { word: "Hello", start_time: 0, end_time: 0.5 },
          { word: "nginx", start_time: 0.5, end_time: 1 },
          { word: "he", start_time: 1.1, end_time: 1.4 },
          { word: "said", start_time: 1.4, end_time: 1.9 },
        ],
      },
    },
    { text: "Yes.", made: { file: clip(1), voiceName: "Ben" } },
  ]);
  expect(file.size).toBe(44 + 2 * RATE * 3.4);
  expect(cues[0]!.words!.map(({ text }) => text)).toEqual(["“Hello,", "nginx,”", "he", "said."]);
  expect([cues[1]!.start, cues[1]!.end]).toEqual([2.4, 3.4]);
  expect(srt({ segments: cues })).toMatch(
    /Ada: “Hello, nginx,” he said\.[\s\S]*00:00:02,400 --> 00:00:03,400\nBen: Yes\./,
  );
  const header = new DataView(await file.slice(0, 44).arrayBuffer());
  expect(header.getUint32(40, true)).toBe(2 * RATE * 3.4);
});
