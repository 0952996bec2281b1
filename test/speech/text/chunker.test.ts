/** Promise: the first words of an answer are spoken soon, later ones in whole sentences, and nothing of it is lost. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { Chunker } from "../../../src/speech/text/chunker.ts";

/** Word by word, so many milliseconds apart. */
function segmentsOf(text: string, gapMs = 20): string[] {
  const chunker = new Chunker("en");
  const segments: string[] = [];
  let nowMs = 0;
  for (const word of text.match(/\s*\S+/g) ?? []) {
    segments.push(...chunker.push(word, nowMs));
    nowMs += gapMs;
    if (chunker.dueMs !== null && chunker.dueMs <= nowMs) segments.push(...chunker.wake(nowMs));
  }
  return [...segments, ...chunker.finish()];
}

describe("the first segment ends", () => {
  test.each([
    ["at a sentence", "Hello there. I am Ada, and I am here.", "Hello there."],
    [
      "at a clause of three words",
      "Well, good morning to you, dear Ada, how are you?",
      "Well, good morning to you,",
    ],
  ])("%s", (_when, text, first) => {
    expect(segmentsOf(text)[0]!.trim()).toBe(first);
  });

  test("where the model is slow, at a word", () => {
    const [first] = segmentsOf("The answer to the question that you asked me is long", 100);
    expect(first!.trim().split(" ").length).toBeWithin(4, 7);
  });
});

test("later sentences are whole, and short ones are joined", () => {
  const [, ...later] = segmentsOf(
    "Good morning. Yes. No. It is a sunny day in Oslo today, and it is quite warm. Take no coat.",
  );
  expect(later.map((each) => each.trim())).toEqual([
    "Yes. No. It is a sunny day in Oslo today, and it is quite warm.",
    "Take no coat.",
  ]);
});

describe("while more than two seconds are left to play", () => {
  const SUNNY = " is a sunny day in Oslo today, and it is quite warm.";
  const SENTENCES = `${SUNNY} Take no coat with you to the sea, though. It`;

  /** The first segment was spoken, and the next has begun. */
  function begun(): Chunker {
    const chunker = new Chunker("en");
    expect(chunker.push("Good morning. It", 0)).toEqual(["Good morning. "]);
    return chunker;
  }

  test("sentences wait, and are joined when the time comes", () => {
    const chunker = begun();
    expect(chunker.push(SENTENCES, 100, 5000)).toEqual([]);
    expect(chunker.dueMs).toBe(3100);
    expect(chunker.wake(3000, 3000)).toEqual([]);
    expect(chunker.dueMs).toBe(4000);
    expect(chunker.wake(4000, 2000)).toEqual([`It${SENTENCES.slice(0, -2)}`]);
  });

  test("no more of them than an interruption may waste", () => {
    const segments = begun().push(SENTENCES.repeat(10), 100, 5000);
    for (const each of segments) expect(each.length).toBeWithin(200, 200 + SENTENCES.length);
    expect(segments.length).toBeGreaterThan(2);
  });

  test("a sentence that comes later is spoken at once", () => {
    expect(begun().push(SENTENCES, 100, 1900)[0]).toBe(`It${SUNNY} `);
  });
});

test("code is one segment, whatever is in it", () => {
  const segments = segmentsOf("Look at this.\n```js\nlet a = 1. \nlet b = 2.\n``` \nThat was it, I think.");
  expect(segments.some((each) => each.includes("let a = 1.") && each.includes("let b = 2."))).toBe(true);
});

test("no segment ends within code whose end is there, however long it is", () => {
  const chunker = new Chunker("en");
  const code = `\`\`\`js\n${"let a = 1;\n".repeat(200)}\`\`\`\n`;
  const segments = chunker.push(`Here it is.\n${code}That was all of it, I think. `, 0);
  expect(segments.slice(0, 2).map((each) => each.trim())).toEqual(["Here it is.", code.trim()]);
});

test.each([
  ["clauses without a word", ", ! "],
  ["letters without a space", "a"],
  ["words without a mark", "ab "],
  ["words with marks", "a.b "],
])("of %s without an end, never more than a segment waits", (_what, part) => {
  const chunker = new Chunker("en");
  let waiting = 0;
  for (const text of Array<string>(160).fill(part.repeat(400 / part.length))) {
    waiting += text.length;
    for (const segment of chunker.push(text, 0)) waiting -= segment.length;
    expect(waiting).toBeLessThanOrEqual(600);
  }
});

test("segments join to the text, however it is cut", () => {
  const piece = fc.oneof(
    fc.string({ maxLength: 40 }),
    fc.constantFrom(". ", "\n", "```", ", ", "😀", "e.g. ", "3.50 "),
  );
  fc.assert(
    fc.property(fc.array(fc.tuple(piece, fc.nat(300)), { maxLength: 60 }), (pieces) => {
      const chunker = new Chunker("en");
      let nowMs = 0;
      const segments: string[] = [];
      for (const [text, ms] of pieces) {
        segments.push(...chunker.push(text, nowMs));
        nowMs += ms;
        segments.push(...chunker.wake(nowMs));
      }
      segments.push(...chunker.finish());
      expect(segments.join("")).toBe(pieces.map(([text]) => text).join(""));
      expect(segments.filter((each) => each === "")).toEqual([]);
    }),
  );
});
