/** Promise: a subtitle parser reads back the same cues and times, whatever the text. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { plainText, srt, vtt } from "../../src/transcription/subtitles.ts";
import { type Segment, transcriptOf } from "../../src/transcription/transcript.ts";

const segment = (start: number, end: number, text: string): Segment => ({ start, end, text, words: [] });
const transcript = (...segments: Segment[]) => transcriptOf(segments, "en", 600);

const GREETING = transcript(segment(0, 1.2345, "good morning"), segment(3599.9996, 36_001.5, "everyone"));
const NOTHING = transcript();

test("plain text ends with a line break", () => {
  expect(plainText(GREETING)).toBe("good morning everyone\n");
  expect(plainText(NOTHING)).toBe("\n");
});

test("SubRip has numbered cues", () => {
  const first = "1\n00:00:00,000 --> 00:00:01,235\ngood morning\n\n";
  expect(srt(GREETING)).toBe(`${first}2\n01:00:00,000 --> 10:00:01,500\neveryone\n\n`);
  expect(srt(NOTHING)).toBe("");
});

test("WebVTT has its header and cues", () => {
  const first = "00:00:00.000 --> 00:00:01.235\ngood morning\n\n";
  expect(vtt(GREETING)).toBe(`WEBVTT\n\n${first}01:00:00.000 --> 10:00:01.500\neveryone\n\n`);
  expect(vtt(NOTHING)).toBe("WEBVTT\n\n");
});

test("WebVTT escapes markup and arrows in the text", () => {
  const body = vtt(transcript(segment(0, 1, "<b>a --> b</b> & c")));
  expect(body).toEndWith("\n&lt;b&gt;a --&gt; b&lt;/b&gt; &amp; c\n\n");
});

describe("subtitles that are parsed again", () => {
  const cue = /(\d{2,}):(\d\d):(\d\d)[,.](\d{3}) --> (\d{2,}):(\d\d):(\d\d)[,.](\d{3})\n(.+)\n\n/g;
  const toMs = ([h, m, s, ms]: string[]) =>
    Number(h) * 3_600_000 + Number(m) * 60_000 + Number(s) * 1000 + Number(ms);
  const spans = fc.array(
    fc.tuple(fc.integer({ min: 0, max: 9_600_000 }), fc.integer({ min: 0, max: 480_000 })),
  );

  test.each([
    ["SubRip", srt],
    ["WebVTT", vtt],
  ])("in %s have every cue within half a millisecond", (_, write) => {
    fc.assert(
      fc.property(spans, (samples) => {
        const segments = samples.map(([from, length]) =>
          segment(from / 16_000, (from + length) / 16_000, "la"),
        );
        const cues = [...write(transcript(...segments)).matchAll(cue)];
        expect(cues).toHaveLength(segments.length);
        for (const [index, parts] of cues.entries()) {
          const [start, end] = [toMs(parts.slice(1, 5)), toMs(parts.slice(5, 9))];
          expect(Math.abs(start - segments[index]!.start * 1000)).toBeLessThan(0.501);
          expect(Math.abs(end - segments[index]!.end * 1000)).toBeLessThan(0.501);
          expect(start).toBeLessThanOrEqual(end);
        }
      }),
    );
  });
});

test("a line break inside a cue does not end it", () => {
  const segments = [{ start: 0, end: 1, text: "one\n\ntwo\r\n3 --> 4" }];
  expect(srt({ segments }).split("\n\n")).toHaveLength(2);
  expect(vtt({ segments })).toContain("\none two 3 --&gt; 4\n\n");
});
