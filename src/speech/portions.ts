/**
 * Fits the segments of a stream to the speed of its engine: each is to be ready when its listener has played those before
 * it. As much text as is ready in time goes into one run, because a long run takes less time for each second of speech.
 *
 *   plan      s0 │ s1 │ s2 │ s3 │ s4 (long)          s0 is as it was: the listener waits for it
 *   portions  s0 │ s1 + s2 │ s3 │ s4a │ s4b          joined while in time; cut at a clause or phrase where late
 *
 * What no cut makes ready in time is a whole sentence: its listener waits once, and is not read fragments too.
 */
import type { PlannedSegment } from "../engine/protocol/plan.ts";
import { primaryLanguage } from "../language-tag.ts";
import { secondsOf } from "./clip-time.ts";
import { firstWords, lastWords, PAUSE_MS, runMaxOf } from "./plan.ts";
import { lastPlace, splitSentences } from "./text/sentences.ts";

/** `speed`: seconds of speech that the engine makes in a second; `pace`: of the request. */
export type Fitting = { speed: number; pace: number; language: string };

/** A faster engine is ahead of its listener soon: sentences stay apart, and sooner reach others who wait. */
const FAST = 2;
/** What a run costs before its first sound, as seconds of speech. */
const RUN_SECONDS = 0.05;
/** Of an engine that is slower than its listener, a run that is late anyway is this long: its cost weighs less then. */
const LATE_SECONDS = 5;

export function fitted(plan: readonly PlannedSegment[], fitting: Fitting): PlannedSegment[] {
  const opening = plan.findIndex(({ silenceMs }) => silenceMs === undefined) + 1;
  const portions = plan.slice(0, opening);
  const waiting = plan.slice(opening).reverse(); // the next is the last
  let leadSeconds = portions.reduce((sum, segment) => sum + secondsOf(segment) / fitting.pace, 0);
  while (waiting.length > 0) {
    const portion = nextOf(waiting, leadSeconds, fitting);
    portions.push(portion);
    leadSeconds = Math.max(0, leadSeconds - workSeconds(portion, fitting));
    leadSeconds += secondsOf(portion) / fitting.pace;
  }
  return portions;
}

/** Takes it from what waits. */
function nextOf(waiting: PlannedSegment[], leadSeconds: number, fitting: Fitting): PlannedSegment {
  const isInTime: IsInTime = (segment) => workSeconds(segment, fitting) <= leadSeconds;
  const isLate = !isInTime(waiting.at(-1)!);
  const parts = isLate && fitting.speed > 1 ? divided(waiting.at(-1)!, isInTime, fitting.language) : [];
  let portion = waiting.pop()!;
  if (parts.length > 0) {
    waiting.push(...parts.slice(1).reverse());
    return parts[0]!;
  }
  if (fitting.speed >= FAST) return portion;
  for (let next = waiting.at(-1); next && isOneRun(portion, next, fitting.language); next = waiting.at(-1)) {
    const longer = joined(portion, next);
    const isWorth = isLate
      ? fitting.speed <= 1 && soundSeconds(portion, fitting) < LATE_SECONDS
      : isInTime(longer);
    if (!isWorth) break;
    portion = longer;
    waiting.pop();
  }
  return portion;
}

const soundSeconds = (segment: PlannedSegment, { pace }: Fitting): number =>
  secondsOf({ ...segment, pauseMs: 0 }) / pace;

const workSeconds = (segment: PlannedSegment, fitting: Fitting): number =>
  segment.silenceMs === undefined ? (soundSeconds(segment, fitting) + RUN_SECONDS) / fitting.speed : 0;

/** Sentences of one line, at one pace, that a run takes. */
function isOneRun(portion: PlannedSegment, next: PlannedSegment, language: string): boolean {
  return (
    portion.pauseMs <= PAUSE_MS.sentence &&
    portion.rate === next.rate &&
    portion.silenceMs === undefined &&
    next.silenceMs === undefined &&
    portion.text.length + 1 + next.text.length <= runMaxOf(language)
  );
}

function joined(portion: PlannedSegment, next: PlannedSegment): PlannedSegment {
  const { before, after } = { before: portion.context?.before ?? "", after: next.context?.after ?? "" };
  const context = before + after === "" ? {} : { context: { before, after } };
  const { context: _context, ...last } = next;
  return { ...last, text: `${portion.text} ${next.text}`, ...context };
}

type IsInTime = (segment: PlannedSegment) => boolean;

/** In two, of which the first is in time; empty where there is no place for that. */
function divided(segment: PlannedSegment, isInTime: IsInTime, language: string): PlannedSegment[] {
  const { text, context = { before: "", after: "" } } = segment;
  const fits = (head: string) => isInTime({ ...segment, text: head });
  const end = lastSentenceEnd(text, language, fits);
  const at = end ?? lastPlace(text, language, fits);
  if (at === null) return [];
  const head = text.slice(0, at).trimEnd();
  const pauseMs = end === null ? PAUSE_MS.piece : PAUSE_MS.sentence;
  const after = firstWords(text.slice(head.length) + context.after);
  const before = lastWords(context.before + text.slice(0, at));
  return [
    { ...segment, text: head, pauseMs, context: { before: context.before, after } },
    { ...segment, text: text.slice(at), context: { before, after: context.after } },
  ];
}

/** Of short sentences that are one segment. */
function lastSentenceEnd(text: string, language: string, fits: (head: string) => boolean): number | null {
  let [end, last] = [0, 0];
  for (const sentence of splitSentences(text, primaryLanguage(language))) {
    end = text.indexOf(sentence, end) + sentence.length;
    if (end === text.length || !fits(text.slice(0, end))) break;
    last = end;
  }
  return last === 0 ? null : last;
}
