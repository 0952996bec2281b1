/**
 * Divides a text into segments, each synthesized in one run of an engine.
 *
 *   text ──written out (normalize)──> paragraphs ──> lines ──> sentences ──> segments with pauses
 *
 * A sentence is one segment, unless it is longer than a run takes. Of a stream, the first sentence begins with a short
 * segment, for fast first audio, where it has a place to be cut. A word is cut only when it alone is too long.
 */
import type { PlannedSegment, PlanTask } from "../engine/protocol/plan.ts";
import { READ_ALOUD } from "../engine/protocol/signs.ts";
import { primaryLanguage } from "../language-tag.ts";
import { normalizeText } from "./text/normalize.ts";
import { cutsOf, isDense, openingOf, splitSentences } from "./text/sentences.ts";

export const PAUSE_MS = { piece: 60, sentence: 280, line: 350, paragraph: 600 };
/** Code points of a run: what Supertonic is given at most by its makers; Kokoro takes 510 phonemes. */
const RUN_MAX = { spaced: 300, dense: 120 };
const SHORT_SENTENCE = 40; // merged with its neighbour: engines phrase a few words poorly
const CONTEXT_MAX = 200; // code units on each side

/** `streamed`: the listener waits for the first segment only. */
export type Delivery = PlanTask["delivery"];

/** Code points of one run. */
export const runMaxOf = (language: string): number => (isDense(language) ? RUN_MAX.dense : RUN_MAX.spaced);

export function planSpeech(input: string, language: string, delivery: Delivery = "whole"): PlannedSegment[] {
  const segments: PlannedSegment[] = [];
  const longest = runMaxOf(language);
  const cut = (sentence: string): number[] => {
    const isFirst = segments.length === 0 && delivery === "streamed";
    const opening = isFirst ? openingOf(sentence, language) : null;
    if (opening === null) return cutsOf(sentence, language, longest);
    return [opening, ...cutsOf(sentence.slice(opening), language, longest).map((at) => opening + at)];
  };
  for (const paragraph of normalizeText(input, language).split("\n\n")) {
    for (const line of paragraph.split("\n")) {
      for (const sentence of splitSentences(line, primaryLanguage(language))) {
        addSentence(segments, sentence.trim(), { cut, longest });
      }
      raisePause(segments, PAUSE_MS.line);
    }
    raisePause(segments, PAUSE_MS.paragraph);
  }
  const last = segments.at(-1);
  if (last) last.pauseMs = 0;
  return segments;
}

/** `cut` tells where a sentence is divided. */
type Cutting = { cut: (sentence: string) => number[]; longest: number };

function addSentence(segments: PlannedSegment[], sentence: string, { cut, longest }: Cutting): void {
  if (!READ_ALOUD.test(sentence)) return;
  const previous = segments.at(-1);
  const mergeable = segments.length > 1 && previous?.pauseMs === PAUSE_MS.sentence && !previous.context;
  if (mergeable && (sentence.length < SHORT_SENTENCE || previous.text.length < SHORT_SENTENCE)) {
    const merged = `${previous.text} ${sentence}`;
    if (merged.length <= longest) {
      previous.text = merged;
      return;
    }
  }
  segments.push(...partsOf(sentence, cut(sentence)));
  raisePause(segments, PAUSE_MS.sentence);
}

/** The sentence, or its parts with what stands around them. */
function partsOf(sentence: string, cuts: readonly number[]): PlannedSegment[] {
  if (cuts.length === 0) return [{ text: sentence, pauseMs: PAUSE_MS.piece }];
  return [0, ...cuts].map((from, index): PlannedSegment => {
    const text = sentence.slice(from, cuts[index]).trimEnd();
    const context = {
      before: lastWords(sentence.slice(0, from)),
      after: firstWords(sentence.slice(from + text.length)),
    };
    return { text, pauseMs: PAUSE_MS.piece, context };
  });
}

export function firstWords(text: string): string {
  if (text.length <= CONTEXT_MAX) return text;
  const end = text.lastIndexOf(" ", CONTEXT_MAX);
  return end > 0 ? text.slice(0, end) : "";
}

export function lastWords(text: string): string {
  if (text.length <= CONTEXT_MAX) return text;
  const start = text.indexOf(" ", text.length - CONTEXT_MAX);
  return start === -1 ? "" : text.slice(start + 1);
}

function raisePause(segments: PlannedSegment[], pauseMs: number): void {
  const last = segments.at(-1);
  if (last) last.pauseMs = Math.max(last.pauseMs, pauseMs);
}
