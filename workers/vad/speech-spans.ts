/**
 * Speech segmentation of a recording, from one speech probability a window: spans joined over short silences, cut
 * where they grow too long, padded without overlapping.
 *
 *   probability  ▁▁▅▇▇▂▇▇▁▁▁▁▁▆▇▇▁▁
 *   spans         [────────]   [────]
 *
 * The rules and their numbers are those of Silero's own segmentation, as faster-whisper uses it.
 */

import type { Span } from "../../src/audio/energy-vad.ts";
import { ASR_SAMPLE_RATE } from "../../src/audio/rates.ts";

type SpanRules = {
  /** Probability from which a window is speech. */
  threshold: number;
  /** Shorter spans are dropped. */
  minMs: number;
  /** A silence of this length ends a span. */
  silenceMs: number;
  /** Added to both ends. */
  padMs: number;
  /** The longest span, its padding included; infinite: none is cut. */
  longestSeconds: number;
};

export const SPAN_RULES: SpanRules = {
  threshold: 0.5,
  minMs: 250,
  silenceMs: 100,
  padMs: 30,
  longestSeconds: Number.POSITIVE_INFINITY,
};

const WINDOW = 512;
const HYSTERESIS = 0.15; // a window is silence only this far below the threshold
const PAUSE_MS = 98; // the shortest silence at which a span that is too long is cut
const samplesOf = (ms: number) => (ms * ASR_SAMPLE_RATE) / 1000;

/** Spans as sample indices at 16 kHz, in order, not overlapping. `length` is the recording's. */
export function speechSpans(probabilities: Float32Array, length: number, rules: SpanRules): Span[] {
  const tracker = new SpanTracker(rules);
  for (const [index, probability] of probabilities.entries()) tracker.add(index * WINDOW, probability);
  return padded(tracker.finish(length), length, samplesOf(rules.padMs));
}

/** A span that has begun; `pause` is the last silence in it that it could be cut at. */
type OpenSpan = {
  start: number;
  silentSince: number | null;
  pause: { start: number; end: number | null } | null;
};

const openAt = (start: number): OpenSpan => ({ start, silentSince: null, pause: null });

/** Spans without their padding, window by window. */
class SpanTracker {
  readonly #rules: SpanRules;
  readonly #silenceBelow: number;
  readonly #longest: number;
  readonly #spans: Span[] = [];
  #open: OpenSpan | null = null;

  constructor(rules: SpanRules) {
    const { threshold, longestSeconds, padMs } = rules;
    this.#rules = rules;
    this.#silenceBelow = Math.max(threshold - HYSTERESIS, 0.01);
    this.#longest = longestSeconds * ASR_SAMPLE_RATE - WINDOW - 2 * samplesOf(padMs);
  }

  /** `here` is the window's first sample. */
  add(here: number, probability: number): void {
    if (probability >= this.#rules.threshold) this.#speech(here);
    this.#cut(here);
    if (probability < this.#silenceBelow) this.#silence(here);
  }

  finish(length: number): Span[] {
    if (this.#open) this.#close(this.#open, length);
    return this.#spans;
  }

  #speech(here: number): void {
    this.#open ??= openAt(here);
    const { silentSince, pause } = this.#open;
    if (silentSince !== null && pause !== null) pause.end ??= here;
    this.#open.silentSince = null;
  }

  /** Ends a span that is too long, at its last pause if it has one; what follows the pause is a new span. */
  #cut(here: number): void {
    if (this.#open === null || here - this.#open.start <= this.#longest) return;
    const { start, pause } = this.#open;
    this.#spans.push({ start, end: pause?.start ?? here });
    this.#open = pause?.end ? openAt(pause.end) : null;
  }

  #silence(here: number): void {
    if (this.#open === null) return;
    this.#open.silentSince ??= here;
    const { silentSince } = this.#open;
    if (here - silentSince > samplesOf(PAUSE_MS)) this.#open.pause = { start: silentSince, end: null };
    if (here - silentSince >= samplesOf(this.#rules.silenceMs)) this.#close(this.#open, silentSince);
  }

  #close({ start }: OpenSpan, end: number): void {
    if (end - start > samplesOf(this.#rules.minMs)) this.#spans.push({ start, end });
    this.#open = null;
  }
}

/** Two spans whose padding would meet share the silence between them. */
function padded(spans: Span[], length: number, pad: number): Span[] {
  const padBetween = (one: Span, next: Span) => Math.min(pad, Math.floor((next.start - one.end) / 2));
  return spans.map((span, index) => {
    const [before, after] = [spans[index - 1], spans[index + 1]];
    const start = before ? span.start - padBetween(before, span) : Math.max(0, span.start - pad);
    const end = after ? span.end + padBetween(span, after) : Math.min(length, span.end + pad);
    return { start, end };
  });
}
