/** Promise: deltas of another server become words that stay as they are. */
import { describe, expect, test } from "bun:test";
import { joined } from "../../src/transcription/transcript.ts";
import { LiveWords } from "../../src/upstreams/live/live-words.ts";

describe("deltas become words", () => {
  const at = { untilSeconds: 1, confidence: 1 };
  const read = (wholeWords: boolean, deltas: string[], transcript: string) => {
    const words = new LiveWords(wholeWords);
    const early = deltas.map((delta) => words.add(delta, at));
    return { early: early.map(joined), all: joined([...early.flat(), ...words.finish(transcript, at)]) };
  };

  test("once another word follows", () => {
    const { early, all } = read(false, ["the ol", "d hou", "se"], "the old house.");
    expect(early).toEqual(["the", "old", ""]);
    expect(all).toBe("the old house.");
  });

  test("at once where they are whole", () => {
    expect(read(true, ["the old", " house"], "the old house").early).toEqual(["the old", "house"]);
  });

  test("without spaces in languages that have none", () => {
    expect(read(true, ["今天", "天气很好"], "今天天气很好").all).toBe("今天天气很好");
    expect(read(false, ["今", "天", "天气"], "今天天气很好").all).toBe("今天天气很好");
  });

  test("that stay, where the transcript says something else", () => {
    expect(read(true, ["the old", " house"], "The cold house by the river").all).toBe(
      "the old house by the river",
    );
    expect(read(true, ["the old", " house"], "nothing").all).toBe("the old house");
  });
});
