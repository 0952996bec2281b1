/** Promise: what is read of a text can be traced to what was written, whatever the text. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import { planSpeech } from "../../../src/speech/plan.ts";
import { readScript } from "../../../src/speech/script/read-script.ts";
import { normalizeText } from "../../../src/speech/text/normalize.ts";
import { plainTrace, traceNormalized } from "../../../src/speech/text/origins.ts";
import { originsOfSegments } from "../../../src/speech/words/segment-origins.ts";

/** What was written for a part of what is read. */
function writtenFor(text: string, part: string, language = "en-US"): string {
  const { text: read, origins } = traceNormalized(plainTrace(text), language);
  const at = read.indexOf(part);
  expect(at).toBeGreaterThanOrEqual(0);
  return text.slice(
    Math.min(...origins.from.subarray(at, at + part.length)),
    Math.max(...origins.to.subarray(at, at + part.length)),
  );
}

test.each([
  ["Dr. Smith paid $5 at 5 p.m.", "Doctor", "Dr."],
  ["Dr. Smith paid $5 at 5 p.m.", "Smith", "Smith"],
  ["Dr. Smith paid $5 at 5 p.m.", "five dollars", "$5"],
  ["12 of 12 and 12", "of twelve", "of 12"],
  ["**Bold** and _it_ [link](https://example.com/a)", "Bold", "Bold"],
  ["**Bold** and _it_ [link](https://example.com/a) end", "link", "link"],
  ["**Bold** and _it_ [link](https://example.com/a) end", "end", "end"],
  ["Tom &amp; Jerry 😀 ran", "Jerry", "Jerry"],
  [
    "see https://www.example.com/docs?x=1 now",
    "example dot com slash docs",
    "https://www.example.com/docs?x=1",
  ],
  ["see https://www.example.com/docs?x=1 now", "now", "now"],
])("%s: %s", (text, part, written) => {
  expect(writtenFor(text, part)).toBe(written);
});

const pieces = fc.constantFrom(
  ..."Dr. Smith|$5.50|at|5:30 pm|3/4/2024|**bold**|#tag|@you|https://a.example/x?y|😀|<b>word</b>|“quoted”|—|...|\n|\n\n|- item|今天|&amp;|C++|v1.2|IV|50%|1,000,000|e.g.|<laugh>|`code`|\u0000|\ud800".split(
    "|",
  ),
);
const texts = fc.oneof(
  fc.string({ maxLength: 80 }),
  fc.array(pieces, { maxLength: 20 }).map((list) => list.join(" ")),
);

test("the traced text is the one that is read, and every origin lies in the text", () => {
  fc.assert(
    fc.property(texts, fc.constantFrom("en-US", "en-GB", "de", "zh"), (text, language) => {
      const { text: read, origins } = traceNormalized(plainTrace(text), language);
      expect(read).toBe(normalizeText(text, language));
      expect(origins.from.length).toBe(read.length);
      for (let at = 0; at < read.length; at++) {
        expect(origins.from[at]!).toBeGreaterThanOrEqual(0);
        expect(origins.to[at]!).toBeLessThanOrEqual(text.length);
        expect(origins.from[at]!).toBeLessThanOrEqual(origins.to[at]!);
      }
    }),
    { numRuns: 300 },
  );
});

test("segments get the origins of their letters", () => {
  fc.assert(
    fc.property(texts, (text) => {
      const segments = planSpeech(text, "en-US").map((segment) => segment.text);
      const traced = originsOfSegments(readScript(text).parts, "en-US", segments);
      for (const [index, segment] of segments.entries())
        expect(traced[index]!.from.length).toBe(segment.length);
      const starts = traced.flatMap(({ from }, index) =>
        [...from].filter((_, at) => /\p{L}/u.test(segments[index]![at]!)),
      );
      expect(starts.every((start) => start >= 0 && start <= text.length)).toBe(true);
    }),
    { numRuns: 200 },
  );
});
