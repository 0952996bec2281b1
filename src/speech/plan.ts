/**
 * Divides a text into segments, each synthesized in one run of an engine.
 *
 *   text ──written out (normalize)──> paragraphs ──> lines ──> sentences ──> parts that fit ──> segments with pauses
 *
 * The first segment is short, for fast first audio. A word is cut only when it alone is too long.
 */
import { primaryLanguage } from "../language-tag.ts";
import { normalizeText } from "./text/normalize.ts";
import { splitSentences } from "./text/sentences.ts";
import { splitLongSentence } from "./text/split-long-sentence.ts";

/** `pauseMs` is the silence after the segment, at the voice's natural pace. */
export type PlannedSegment = { text: string; pauseMs: number };

const PAUSE_MS = { piece: 60, sentence: 280, line: 350, paragraph: 600 };
type SegmentMax = { first: number; rest: number }; // code points
const SEGMENT_MAX: SegmentMax = { first: 70, rest: 220 };
/** Where a character is a syllable or more. */
const DENSE_MAX: SegmentMax = { first: 40, rest: 120 };
const DENSE = new Set(["ja", "ko", "zh"]);
const SHORT_SENTENCE = 40; // merged with its neighbour: engines phrase a few words poorly

export function planSpeech(input: string, language: string): PlannedSegment[] {
  const segments: PlannedSegment[] = [];
  const max = DENSE.has(primaryLanguage(language)) ? DENSE_MAX : SEGMENT_MAX;
  for (const paragraph of normalizeText(input, language).split("\n\n")) {
    for (const line of paragraph.split("\n")) {
      for (const sentence of splitSentences(line, primaryLanguage(language))) {
        addSentence(segments, sentence.trim(), max);
      }
      raisePause(segments, PAUSE_MS.line);
    }
    raisePause(segments, PAUSE_MS.paragraph);
  }
  const last = segments.at(-1);
  if (last) last.pauseMs = 0;
  return segments;
}

function addSentence(segments: PlannedSegment[], sentence: string, max: SegmentMax): void {
  if (!/[\p{L}\p{N}]/u.test(sentence)) return;
  const previous = segments.at(-1);
  const mergeable = segments.length > 1 && previous?.pauseMs === PAUSE_MS.sentence;
  if (mergeable && (sentence.length < SHORT_SENTENCE || previous.text.length < SHORT_SENTENCE)) {
    const merged = `${previous.text} ${sentence}`;
    if (merged.length <= max.rest) {
      previous.text = merged;
      return;
    }
  }
  const pieces = splitLongSentence(sentence, {
    first: segments.length === 0 ? max.first : max.rest,
    rest: max.rest,
  });
  for (const text of pieces) segments.push({ text, pauseMs: PAUSE_MS.piece });
  raisePause(segments, PAUSE_MS.sentence);
}

function raisePause(segments: PlannedSegment[], pauseMs: number): void {
  const last = segments.at(-1);
  if (last) last.pauseMs = Math.max(last.pauseMs, pauseMs);
}
