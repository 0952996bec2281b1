/** Promise: captions have the words that the caller wrote, each once, in order, with the time that all that is read of it takes. */
import { expect, test } from "bun:test";
import { planSpeech } from "../../../src/speech/plan.ts";
import { readScript } from "../../../src/speech/script/read-script.ts";
import { originsOfSegments } from "../../../src/speech/words/segment-origins.ts";
import { callerWords, Timeline } from "../../../src/speech/words/timeline.ts";

const SECOND = 24_000;

/** Each word of a segment takes a second, and segments follow each other. */
function timesOf(text: string, language = "en-US") {
  const segments = planSpeech(text, language).map((segment) => segment.text);
  const timeline = new Timeline(
    { text, language },
    originsOfSegments(readScript(text).parts, language, segments),
  );
  let at = 0;
  return segments.flatMap((segment) => {
    const words = [...segment.matchAll(/\S+/g)].map(({ 0: word, index }, number) => ({
      from: index,
      to: index + word.length,
      start: number * SECOND,
      end: (number + 1) * SECOND,
    }));
    timeline.add(at, words);
    at += words.length * SECOND;
    return timeline.take();
  });
}

const listed = (text: string, language?: string) =>
  timesOf(text, language).map(({ word, start_time, end_time }) => `${word} ${start_time} ${end_time}`);

test("words that are read as they are written", () => {
  expect(listed('He said: "Hello, (dear) world!"')).toEqual([
    "He 0 1",
    "said 1 2",
    "Hello 2 3",
    "dear 3 4",
    "world 4 5",
  ]);
});

test("a word that is read as several has all their time", () => {
  expect(listed("It cost $5.50 today.")).toEqual(["It 0 1", "cost 1 2", "$5.50 2 7", "today 7 8"]);
});

test("several words that are read as one share its time by their length", () => {
  const times = timesOf("at 5:30 pm sharp");
  expect(times.map(({ word }) => word)).toEqual(["at", "5:30", "pm", "sharp"]);
  expect(times[1]!.end_time).toBe(times[2]!.start_time);
  expect(times.at(-1)!.start_time).toBe(times[2]!.end_time);
});

test("what is silent has no time", () => {
  expect(listed("<b>Hi</b> 😀 there <break/> you")).toEqual(["Hi 0 1", "there 1 2", "you 2 3"]);
});

test("words have no markup around them, and a link is its text", () => {
  const times = timesOf("I don't <think>no</think>know **bold** [my link](http://x.y/z) &amp; 5 < 6 > 3.");
  expect(times.map(({ word }) => word).join(" ")).toBe("I don't know bold my link & 5 6 3");
});

test("a word that is cut into two segments is told once, with the time of both", () => {
  const long = "a".repeat(400);
  expect(timesOf(`${long} end`)).toHaveLength(2);
});

test("languages without spaces are parted as their readers do", () => {
  expect(callerWords("今天天气很好，去公园。", "zh").map(({ word }) => word)).toContain("公园");
  expect(callerWords("word", "!!")).toHaveLength(1);
});
