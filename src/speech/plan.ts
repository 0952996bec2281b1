/**
 * Divides a text into segments, each synthesized in one run of an engine.
 *
 *   text ──written out (normalize)──> paragraphs ──> lines ──> sentences ──> parts that fit ──> segments with pauses
 *
 * The first segment is short, for fast first audio, and shorter still in a stream. A word is cut only when it alone is too
 * long.
 */
import { primaryLanguage } from "../language-tag.ts";
import { normalizeText } from "./text/normalize.ts";
import { openingOf } from "./text/opening.ts";
import { splitSentences } from "./text/sentences.ts";
import { splitLongSentence } from "./text/split-long-sentence.ts";

/**
 * `pauseMs` is the silence after the segment, at the voice's natural pace. `rate` is a factor on the pace of the request.
 * A segment of silence has no text, and lasts `silenceMs` at any pace.
 */
export type PlannedSegment = { text: string; pauseMs: number; rate?: number; silenceMs?: number };

const PAUSE_MS = { piece: 60, sentence: 280, line: 350, paragraph: 600 };
type SegmentMax = { first: number; rest: number }; // code points
const SEGMENT_MAX: SegmentMax = { first: 70, rest: 220 };
/** Where a character is a syllable or more. */
const DENSE_MAX: SegmentMax = { first: 40, rest: 120 };
const DENSE = new Set(["ja", "ko", "zh"]);
const SHORT_SENTENCE = 40; // merged with its neighbour: engines phrase a few words poorly

/** `streamed`: the listener waits for the first segment only. */
export type Delivery = "whole" | "streamed";

export function planSpeech(input: string, language: string, delivery: Delivery = "whole"): PlannedSegment[] {
  const segments: PlannedSegment[] = [];
  const max = DENSE.has(primaryLanguage(language)) ? DENSE_MAX : SEGMENT_MAX;
  const cut = (sentence: string): string[] => {
    if (segments.length > 0) return splitLongSentence(sentence, { first: max.rest, rest: max.rest });
    const opening = delivery === "streamed" ? openingOf(sentence, language) : null;
    if (opening === null) return splitLongSentence(sentence, max);
    const rest = splitLongSentence(sentence.slice(opening), { first: max.rest, rest: max.rest });
    return [sentence.slice(0, opening).trim(), ...rest];
  };
  for (const paragraph of normalizeText(input, language).split("\n\n")) {
    for (const line of paragraph.split("\n")) {
      for (const sentence of splitSentences(line, primaryLanguage(language))) {
        addSentence(segments, sentence.trim(), { cut, longest: max.rest });
      }
      raisePause(segments, PAUSE_MS.line);
    }
    raisePause(segments, PAUSE_MS.paragraph);
  }
  const last = segments.at(-1);
  if (last) last.pauseMs = 0;
  return segments;
}

/** `cut` divides a sentence into what fits. */
type Cutting = { cut: (sentence: string) => string[]; longest: number };

function addSentence(segments: PlannedSegment[], sentence: string, { cut, longest }: Cutting): void {
  if (!/[\p{L}\p{N}\uE000-\uE0FF]/u.test(sentence)) return;
  const previous = segments.at(-1);
  const mergeable = segments.length > 1 && previous?.pauseMs === PAUSE_MS.sentence;
  if (mergeable && (sentence.length < SHORT_SENTENCE || previous.text.length < SHORT_SENTENCE)) {
    const merged = `${previous.text} ${sentence}`;
    if (merged.length <= longest) {
      previous.text = merged;
      return;
    }
  }
  for (const text of cut(sentence)) segments.push({ text, pauseMs: PAUSE_MS.piece });
  raisePause(segments, PAUSE_MS.sentence);
}

function raisePause(segments: PlannedSegment[], pauseMs: number): void {
  const last = segments.at(-1);
  if (last) last.pauseMs = Math.max(last.pauseMs, pauseMs);
}
