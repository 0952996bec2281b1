/**
 * A transcript: ordered segments, one per utterance that holds a word, and what they say together.
 *
 * Streamed and whole transcripts are one thing: the deltas of a stream, joined, are the text.
 */
import type { Hypothesis, Word } from "../engine/task.ts";

/** `start` and `end` are seconds; `text` is the words joined. */
export type Segment = { start: number; end: number; text: string; words: Word[] };

/** `language` is an ISO 639-1 code; `durationSeconds` is what was heard and what is billed. */
export type Transcript = { language: string; durationSeconds: number; segments: Segment[]; text: string };

/** The segment of a hypothesis, or null where nothing was said. */
export function segmentOf({ words }: Hypothesis): Segment | null {
  const [first, last] = [words[0], words.at(-1)];
  if (!first || !last) return null;
  return { start: first.start, end: last.end, text: words.map(({ text }) => text).join(" "), words };
}

/** What a stream adds for a segment: joined, the deltas are the transcript's text. */
export function deltaOf(segment: Segment, isFirst: boolean): string {
  return isFirst ? segment.text : ` ${segment.text}`;
}

export function transcriptOf(segments: Segment[], language: string, durationSeconds: number): Transcript {
  const text = segments.map((segment, at) => deltaOf(segment, at === 0)).join("");
  return { language, durationSeconds, segments, text };
}
