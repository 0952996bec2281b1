/**
 * Text to samples: synthesizes the segments of a plan in order, a few ahead of the listener.
 *
 *   plan      s0  s1  s2  s3 …
 *   engine    ████████              at most AHEAD segments requested and not yet consumed; of a stream, s0 has a head start
 *   listener  s0 (pause) s1 …       consuming one requests the next
 *
 * Leaving the loop early, or aborting the claim, requests no further segment, so a disconnect stops the engine.
 */

import { TTS_SAMPLE_RATE } from "../audio/rates.ts";
import type { PlannedSegment } from "../engine/protocol/plan.ts";
import { signOf } from "../engine/protocol/signs.ts";
import {
  isTimed,
  type SpokenWord,
  type SynthesisResult,
  type SynthesisTask,
  samplesOf,
} from "../engine/protocol/synthesis.ts";
import type { Engine } from "../engine/registry.ts";
import { type Claim, recallable } from "../engine/runner.ts";
import { Refusal } from "../errors.ts";
import { SPEED } from "../models/manifest.ts";
import { openPace, type Pace, Playback } from "./clip-time.ts";
import { untimed } from "./fit-task.ts";
import type { Pronounced } from "./script/script.ts";
import type { Timeline } from "./words/timeline.ts";

/**
 * The text, how to speak it, and the engine. `language` decides how numbers and abbreviations are read. `timeline` receives
 * the words of each segment, of an engine that can tell their times; another one refuses. `delivery` counts what the
 * listener has taken.
 */
export type SynthesisRequest = Omit<
  SynthesisTask,
  "kind" | "delivery" | "length" | "phonemes" | "words" | "pronounced"
> & {
  engine: string;
  claim: Claim;
  timeline?: Timeline | null;
  delivery?: DeliveredText;
  /** What the signs of the plan stand for. */
  pronounced?: readonly Pronounced[];
};

/** One segment of the clip, and a function that synthesizes it on demand; `claim` says when its listener needs it. */
export type SegmentTask = { segment: PlannedSegment; ask: (claim: Claim) => Promise<SynthesisResult> };

const AHEAD = 3;
/** For how long the first segment of a stream may have the processors to itself: until its first sound, of quick engines. */
const HEAD_START_MS = 100;

/**
 * Float32 samples at `TTS_SAMPLE_RATE`, segment by segment with the pauses between them; empty if there is nothing to
 * speak. Refuses, now or while it runs, speech that is longer than one request may create.
 */
export function synthesize(
  speaker: Engine,
  request: SynthesisRequest,
  plan: PlannedSegment[],
): AsyncGenerator<Float32Array> {
  const pace = openPace(plan, request.speed);
  const tasks = plan.map((segment) => ({
    segment,
    ask: (claim: Claim) => ask(speaker, { ...request, claim }, { segment }),
  }));
  return synthesizeAll(tasks, request, pace);
}

export type Asked = { segment: PlannedSegment; length?: "measure" | number };

/** One segment of the plan. Silence needs no engine. */
export async function ask(
  speaker: Engine,
  request: SynthesisRequest,
  { segment, length }: Asked,
): Promise<SynthesisResult> {
  const { silenceMs, rate = 1 } = segment;
  if (silenceMs !== undefined) return { samples: new Float32Array(pauseLength(silenceMs, 1)), words: [] };
  const { engine: _engine, text: _text, delivery: _delivery, claim, ...asked } = request;
  const { timeline, pronounced = [], ...manner } = asked;
  const task: SynthesisTask = {
    kind: "synthesis",
    ...manner,
    text: segment.text,
    ...(segment.context ? { context: segment.context } : {}),
    speed: Math.min(SPEED.max, Math.max(SPEED.min, manner.speed * rate)),
    ...(length === undefined ? {} : { length }),
    ...(timeline ? { words: true } : {}),
    ...pronouncedIn(segment, pronounced),
  };
  return speaker.run(task, claim);
}

/** Of the whole text, those whose signs are in a segment or around it. */
export function pronouncedIn(
  segment: Pick<PlannedSegment, "text" | "context">,
  all: readonly Pronounced[],
): Pick<SynthesisTask, "pronounced"> {
  if (all.length === 0) return {};
  const { before, after } = segment.context ?? { before: "", after: "" };
  const text = before + segment.text + after;
  const here = all.flatMap((each, index) => (text.includes(signOf(index)) ? [[signOf(index), each]] : []));
  return here.length === 0 ? {} : { pronounced: Object.fromEntries(here) };
}

/** `pace` is null when the length was checked before. */
export async function* synthesizeAll(
  tasks: SegmentTask[],
  { claim: caller, speed, timeline, delivery }: SynthesisRequest,
  pace: Pace | null,
): AsyncGenerator<Float32Array> {
  const { claim, recall } = recallable(caller);
  const playback = new Playback(speed);
  const asked: { segment: PlannedSegment; parts: Parts }[] = []; // of which nothing was handed out
  const begin = ({ segment, ask }: SegmentTask) => {
    const dueInMs = playback.dueInMs(asked.map(({ segment }) => segment));
    asked.push({ segment, parts: partsOf(ask, { ...claim, dueInMs }) });
  };
  tasks.slice(0, claim.urgency === "streaming" ? 1 : AHEAD).forEach(begin);
  const others = tasks.slice(asked.length, AHEAD);
  const beginOthers = () => others.splice(0).forEach(begin);
  const headStart = others.length > 0 ? setTimeout(beginOthers, HEAD_START_MS) : undefined;
  let owedMs = 0; // a pause is added only when more speech follows
  let position = 0; // samples handed out
  try {
    for (let next = AHEAD; asked.length > 0; next++) {
      claim.signal.throwIfAborted();
      const { segment, parts } = asked[0]!;
      let count = 0;
      for (let part = await parts.next(); part; part = await parts.next()) {
        const { samples, words, isLast } = part;
        if (asked[0]?.parts === parts) asked.shift();
        count += samples.length;
        if (isLast) pace?.add(segment, count);
        const sound = samples.length === 0 ? [] : owedMs > 0 ? [pauseOf(owedMs, speed), samples] : [samples];
        for (const each of sound) {
          playback.handOut(each);
          position += each.length;
        }
        beginOthers();
        if (isLast) timeline?.add(position - count, wordsOf(words, count));
        const following = isLast && tasks[next];
        if (following) begin(following);
        yield* sound;
        if (sound.length > 0) owedMs = 0;
      }
      delivery?.add(segment);
      owedMs = Math.max(owedMs, segment.pauseMs);
    }
  } finally {
    clearTimeout(headStart);
    recall();
  }
}

const pauseOf = (pauseMs: number, speed: number) => new Float32Array(pauseLength(pauseMs, speed));

/** An engine that cannot tell when words are heard returns samples alone. */
function wordsOf(words: SpokenWord[] | null, count: number): SpokenWord[] {
  if (words === null && count > 0) throw untimed();
  return words ?? [];
}

type Part = { samples: Float32Array; words: SpokenWord[] | null; isLast: boolean };
type Parts = { next(): Promise<Part | null> };

/** Begins a segment. Its samples: those that the engine delivers while it runs, then its result; null after the last. */
function partsOf(ask: SegmentTask["ask"], claim: Claim): Parts {
  const early: Float32Array[] = [];
  let wake = () => {};
  let isOver = false;
  const result = orUnavailable(
    ask({
      ...claim,
      early(samples) {
        early.push(samples);
        wake();
      },
    }),
  );
  let isDone = false;
  const done = () => {
    isDone = true;
    wake();
  };
  result.then(done, done); // a segment that is no longer awaited may fail silently
  return {
    async next() {
      while (early.length === 0 && !isDone)
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      const samples = early.shift();
      if (samples) return { samples, words: null, isLast: false };
      if (isOver) return null;
      isOver = true;
      const rest = await result;
      return {
        samples: samplesOf(rest),
        words: isTimed(rest) ? rest.words : null,
        isLast: true,
      };
    },
  };
}

export const pauseLength = (pauseMs: number, speed: number): number =>
  Math.round((pauseMs * TTS_SAMPLE_RATE) / 1000 / speed);

export async function orUnavailable(samples: Promise<SynthesisResult>): Promise<SynthesisResult> {
  try {
    return await samples;
  } catch (cause) {
    if (cause instanceof Refusal) throw cause;
    throw new Refusal("inference_unavailable", "The speech engine failed. Try again.", { cause });
  }
}

/** How much of a plan its listener has: the segments whose samples were all taken, by the length of their texts. */
export class DeliveredText {
  readonly #planned: number;
  #delivered = 0;

  constructor(plan: readonly PlannedSegment[]) {
    this.#planned = plan.reduce((sum, { text }) => sum + text.length, 0);
  }

  /** All samples of the segment were taken. */
  add({ text }: PlannedSegment): void {
    this.#delivered += text.length;
  }

  /** From 0 to 1. A segment that was cut short is not delivered. */
  get share(): number {
    return this.#planned === 0 ? 0 : this.#delivered / this.#planned;
  }
}
