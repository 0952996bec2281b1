/**
 * Voice activity segmentation of a recording, for engines that recognize spans of speech: by Silero where it is installed,
 * by energy elsewhere. It keeps silence from models that would recognize words in it.
 */

import { findUtterances, type Span } from "../../src/audio/energy-vad.ts";
import { ASR_SAMPLE_RATE } from "../../src/audio/rates.ts";
import { openSilero } from "./silero.ts";
import { SPAN_RULES, speechSpans } from "./speech-spans.ts";

/** The rules of batched transcription with Silero: short silences are bridged, and words keep their edges. */
const RULES = { ...SPAN_RULES, silenceMs: 160, padMs: 400 };

export type SpanFinder = (samples: Float32Array) => Promise<Span[]>;

/** `silero` is the path of the model, or null. No span is longer than `longestSeconds`. */
export async function openSpanFinder(silero: string | null, longestSeconds: number): Promise<SpanFinder> {
  if (silero === null)
    return async (samples) =>
      findUtterances(samples, ASR_SAMPLE_RATE, Number.POSITIVE_INFINITY).flatMap((span) =>
        cutAtQuietest(samples, span, longestSeconds * ASR_SAMPLE_RATE),
      );
  const detector = await openSilero(silero);
  return async (samples) => {
    const { windowSamples } = detector;
    const state = detector.open();
    const probabilities = new Float32Array(Math.ceil(samples.length / windowSamples));
    for (let index = 0; index < probabilities.length; index++) {
      const window = new Float32Array(windowSamples);
      window.set(samples.subarray(index * windowSamples, (index + 1) * windowSamples));
      const [probability] = await detector.detect([state], [window]);
      probabilities[index] = probability!;
    }
    return speechSpans(probabilities, samples.length, { ...RULES, longestSeconds });
  };
}

const QUIET = 0.1 * ASR_SAMPLE_RATE;
const REACH = 4 * ASR_SAMPLE_RATE;
const STEP = 0.01 * ASR_SAMPLE_RATE;

/** Pieces of at most `longest` samples, each cut in the middle of the quietest 100 ms of its last 4 s: between words. */
function cutAtQuietest(samples: Float32Array, { start, end }: Span, longest: number): Span[] {
  const pieces: Span[] = [];
  let from = start;
  while (end - from > longest) {
    const to = quietest(samples, Math.max(from + longest / 2, from + longest - REACH), from + longest);
    pieces.push({ start: from, end: to });
    from = to;
  }
  return [...pieces, { start: from, end }];
}

/** The middle of the 100 ms with the least power between two places. */
function quietest(samples: Float32Array, start: number, end: number): number {
  let [least, place] = [Number.POSITIVE_INFINITY, start];
  for (let from = Math.round(start); from + QUIET <= end; from += STEP) {
    let power = 0;
    for (let index = from; index < from + QUIET; index++) power += samples[index]! ** 2;
    if (power < least) [least, place] = [power, from];
  }
  return place + QUIET / 2;
}

/** Joins neighbouring spans up to a length: models recognize better with context. */
export function joinNeighbours(spans: Span[], longest: number): Span[] {
  const joined: Span[] = [];
  for (const { start, end } of spans) {
    const last = joined.at(-1);
    if (last && end - last.start <= longest) last.end = end;
    else joined.push({ start, end });
  }
  return joined;
}
