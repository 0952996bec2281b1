/**
 * Where people speak in a recording, from one speech probability a window: turns joined over short silences, cut
 * where they grow too long, padded without reaching into each other.
 *
 *   probability  ▁▁▅▇▇▂▇▇▁▁▁▁▁▆▇▇▁▁
 *   spans         [────────]   [────]
 *
 * The rules and their numbers are those of Silero's own segmentation, as faster-whisper uses it.
 */

import type { Span } from "../../src/audio/energy-vad.ts";
import { ASR_SAMPLE_RATE } from "../../src/audio/rates.ts";

type SpanRules = {
  threshold: number;
  /** Shorter speech is none; a longer silence ends it; both sides are padded by so much. */
  leastMs: number;
  silenceMs: number;
  padMs: number;
  /** The longest span, its padding included; infinite: none is cut. */
  longestSeconds: number;
};

export const SPAN_RULES: SpanRules = {
  threshold: 0.5,
  leastMs: 250,
  silenceMs: 100,
  padMs: 30,
  longestSeconds: Number.POSITIVE_INFINITY,
};

const WINDOW = 512;
const BREATH_MS = 98; // a silence that a span too long may be cut at
const samplesOf = (ms: number) => (ms * ASR_SAMPLE_RATE) / 1000;

/** Spans as sample indices at 16 kHz, in order, not overlapping. `length` is the recording's. */
export function speechSpans(probabilities: Float32Array, length: number, rules: SpanRules): Span[] {
  return padded(rawSpans(probabilities, length, rules), length, samplesOf(rules.padMs));
}

/** What is going on at a window: a span that began, a silence in it, and the last breath it could be cut at. */
type Going = {
  start: number;
  quietFrom: number | null;
  breath: { from: number; until: number | null } | null;
};

function rawSpans(probabilities: Float32Array, length: number, rules: SpanRules): Span[] {
  const { threshold, leastMs, silenceMs, padMs, longestSeconds } = rules;
  const quiet = Math.max(threshold - 0.15, 0.01);
  const longest = longestSeconds * ASR_SAMPLE_RATE - WINDOW - 2 * samplesOf(padMs);
  const spans: Span[] = [];
  let going: Going | null = null;
  for (const [at, probability] of probabilities.entries()) {
    const here = at * WINDOW;
    if (probability >= threshold) {
      if (going === null) {
        going = begin(here);
        continue;
      }
      if (going.quietFrom !== null && going.breath !== null) going.breath.until ??= here;
      going.quietFrom = null;
    }
    if (going === null) continue;
    if (here - going.start > longest) {
      spans.push({ start: going.start, end: going.breath?.from ?? here });
      const isCutHere: boolean = going.breath === null;
      going = going.breath?.until ? begin(going.breath.until) : null;
      if (isCutHere || going === null) continue;
    }
    if (probability >= quiet) continue;
    going.quietFrom ??= here;
    if (here - going.quietFrom > samplesOf(BREATH_MS)) going.breath = { from: going.quietFrom, until: null };
    if (here - going.quietFrom < samplesOf(silenceMs)) continue;
    if (going.quietFrom - going.start > samplesOf(leastMs))
      spans.push({ start: going.start, end: going.quietFrom });
    going = null;
  }
  if (going && length - going.start > samplesOf(leastMs)) spans.push({ start: going.start, end: length });
  return spans;
}

const begin = (start: number): Going => ({ start, quietFrom: null, breath: null });

/** Two whose padding would meet share the silence between them. */
function padded(spans: Span[], length: number, pad: number): Span[] {
  const reach = (one: Span, next: Span) => Math.min(pad, Math.floor((next.start - one.end) / 2));
  return spans.map((span, at) => {
    const [before, after] = [spans[at - 1], spans[at + 1]];
    const start = before ? span.start - reach(before, span) : Math.max(0, span.start - pad);
    const end = after ? span.end + reach(span, after) : Math.min(length, span.end + pad);
    return { start, end };
  });
}
