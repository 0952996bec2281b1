/**
 * Divides a text into segments, each synthesized in one run of an engine, and traces them to the caller's text: short texts at
 * once, long ones on a worker thread, because a long text of digits takes 100 ms.
 *
 *   text ──written out (normalize)──> paragraphs ──> lines ──> sentences ──> segments with pauses
 *
 * A sentence is one segment, unless it is longer than a run takes. Of a stream, the first sentence begins with a short
 * segment, for fast first audio, where it has a place to be cut. A word is cut only when it alone is too long.
 */

import type { Origins, PlannedSegment, PlanTask, ScriptPart } from "../engine/protocol/plan.ts";
import { READ_ALOUD } from "../engine/protocol/signs.ts";
import type { Engine } from "../engine/registry.ts";
import type { Claim } from "../engine/runner.ts";
import { primaryLanguage } from "../language-tag.ts";
import { isText } from "./script/script.ts";
import type { SynthesisRequest } from "./synthesize.ts";
import { normalizeText } from "./text/normalize.ts";
import { cutsOf, isDense, openingOf, splitSentences } from "./text/sentences.ts";
import { originsOfSegments } from "./words/segment-origins.ts";

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

const HERE_MAX = 600; // code units; 10 ms at worst
const JOIN_MS = { sentence: 280, inside: 60 }; // where the pace changes

/** The segments of all parts, in order; of a text without a letter or a digit, its silence. */
export function planScript(
  parts: readonly ScriptPart[],
  language: string,
  delivery: Delivery = "whole",
): PlannedSegment[] {
  const first = parts.findIndex(isText);
  const hasWords = parts.some((part) => isText(part) && READ_ALOUD.test(part.text.text));
  return parts.flatMap((part, index): PlannedSegment[] => {
    if (!isText(part)) return [{ text: "", pauseMs: 0, silenceMs: part.silenceMs }];
    if (!hasWords) return [];
    const segments = planSpeech(part.text.text, language, index === first ? delivery : "whole");
    const [last, next] = [segments.at(-1), parts[index + 1]];
    if (last && next && isText(next))
      last.pauseMs = /[.!?…。！？]["')\]]{0,3}\s{0,99}$/.test(part.text.text.slice(-100))
        ? JOIN_MS.sentence
        : JOIN_MS.inside;
    return part.rate === 1 ? segments : segments.map((segment) => ({ ...segment, rate: part.rate }));
  });
}

/** At once where the text is short. */
export function planOf(
  planner: Engine,
  parts: ScriptPart[],
  { language, claim }: SynthesisRequest,
): PlannedSegment[] | Promise<PlannedSegment[]> {
  const delivery = deliveryOf(claim);
  if (sizeOf(parts) <= HERE_MAX) return planScript(parts, language, delivery);
  return planner.run({ kind: "plan", parts, language, delivery }, claim);
}

type Planned = { parts: ScriptPart[]; plan: readonly PlannedSegment[] };

/** Of each segment of a plan of the parts. */
export async function originsOf(
  planner: Engine,
  { parts, plan }: Planned,
  { language, claim }: SynthesisRequest,
): Promise<Origins[]> {
  const segments = plan.map((segment) => segment.text);
  if (sizeOf(parts) <= HERE_MAX) return originsOfSegments(parts, language, segments);
  return planner.run({ kind: "origins", parts, language, segments }, claim);
}

const deliveryOf = ({ urgency }: Claim): Delivery => (urgency === "streaming" ? "streamed" : "whole");

const sizeOf = (parts: readonly ScriptPart[]) =>
  parts.reduce((sum, part) => sum + (isText(part) ? part.text.text.length : 0), 0);
