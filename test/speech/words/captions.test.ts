/** Promise: captions have the text as it is written, with its marks, without its tags, divided at sentences and pauses. */
import { expect, test } from "bun:test";
import { readScript } from "../../../src/speech/script/read-script.ts";
import { captionsOf } from "../../../src/speech/words/captions.ts";
import { linesOf, readableCues } from "../../../src/transcription/cues.ts";

/** Each word is heard for a second; `pauses`: silence before the words of these places. */
function timesOf(words: string[], pauses: Record<number, number> = {}) {
  let at = 0;
  return words.map((word, index) => {
    at += pauses[index] ?? 0;
    at += 1;
    return { word, start_time: at - 1, end_time: at };
  });
}

const TWO = ["Bonjour", "Ça", "va"];
test.each([
  [
    "Good <b>morning</b>. Go on!",
    timesOf(["Good", "morning", "Go", "on"], { 2: 0.5 }),
    ["Good morning.", "Go on!"],
  ],
  ["Bonjour ! Ça va ?", timesOf(TWO, { 1: 0.5 }), ["Bonjour !", "Ça va ?"]],
  [
    "« Bonjour » (ça va). Oui",
    timesOf(["Bonjour", "ça", "va", "Oui"], { 3: 1 }),
    ["« Bonjour » (ça va).", "Oui"],
  ],
  ["One - two", timesOf(["One", "two"], { 1: 1 }), ["One", "two"]],
  ["One (two) three", timesOf(["One", "two", "three"], { 1: 1 }), ["One", "(two) three"]],
  ["¡Hola! ¿Qué tal?", timesOf(["Hola", "Qué", "tal"], { 1: 0.5 }), ["¡Hola!", "¿Qué tal?"]],
  ["Dr. Who is in.", timesOf(["Dr", "Who", "is", "in"]), ["Dr. Who is in."]],
])("%j is divided into its captions", (text, words, expected) => {
  expect(captionsOf(text, words).map((caption) => caption.text)).toEqual(expected);
});

test.each([
  ["I don't know **bold** [my link](http://x.y) and 😀 end.", "I don't know bold my link and 😀 end."],
  ["Tom &amp; Jerry, 5 < 6 and 7 > 3", "Tom & Jerry, 5 < 6 and 7 > 3"],
  ["# Title\n\n1. One\n2. Two\n\n| a | b |\n|---|---|\n| c | d |", "Title 1. One 2. Two a, b c, d"],
  ["<think>a plan</think>Done ==now== [^2].", "Done now."],
  ["<laugh> Good <b>morning</b>.<br>Next\r\nline", "Good morning. Next line"],
  ["```js\ncode()\n```\n> quote", "code() quote"],
])("of %j the captions show %j", (text, expected) => {
  const words = Array.from(expected.matchAll(/[\p{L}\p{N}']+/gu), ([word]) => word);
  const captions = captionsOf(text, timesOf(words)).map((caption) => caption.text);
  expect(captions.join(" ")).toBe(expected);
});

test("marks of pauses and elements of SSML are not shown", () => {
  const paused = readScript("Hello [pause 100ms] there [pause 100ms].").visible;
  expect(captionsOf(paused, timesOf(["Hello", "there"]))).toMatchObject([
    { start: 0, end: 2, text: "Hello there." },
  ]);
  const ssml = readScript('<speak>It is <prosody rate="slow">very old</prosody>.</speak>').visible;
  expect(captionsOf(ssml, timesOf(["It", "is", "very", "old"]))[0]!.text).toBe("It is very old.");
});

test("a long sentence becomes subtitles of two lines, and no word is lost", () => {
  const words = Array.from({ length: 60 }, (_, at) => `word${at}`);
  const cues = captionsOf(words.join(" "), timesOf(words)).flatMap(readableCues);
  expect(cues.length).toBeGreaterThan(3);
  for (const cue of cues) {
    const lines = linesOf(cue);
    expect(lines.length).toBeLessThan(3);
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThan(43);
    expect(cue.end - cue.start).toBeLessThan(8);
  }
  expect(cues.map(({ text }) => text).join(" ")).toBe(words.join(" "));
});
