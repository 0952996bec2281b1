/**
 * Words held to the sound: engines stretch the word before a pause over it, and sometimes the one behind it.
 *
 *   sound    ▅▇▇▅▁▁▁▁▁▁▁▁▁▅▇▅
 *   engine   [book.       ][was]
 *   held     [book]        [was]
 *
 * Sound is what is louder than the noise of the span; a word without any is left where it is.
 */
import { loudRuns } from "../../src/audio/energy-vad.ts";
import { ASR_SAMPLE_RATE } from "../../src/audio/rates.ts";
import type { Word } from "../../src/engine/protocol/recognition.ts";

const GAP_MS = 250; // longer than the closure of a stop, shorter than a pause between sentences
const EDGE_SECONDS = 0.04; // the first and the last of a sound is below the threshold

/** A stretch of time, in seconds. */
export type Stretch = { start: number; end: number };

/** Where there is sound in samples that begin at `offset` seconds. */
export const soundIn = (samples: Float32Array, offset: number): Stretch[] =>
  loudRuns(samples, ASR_SAMPLE_RATE, GAP_MS).map(({ start, end }) => ({
    start: offset + start / ASR_SAMPLE_RATE - EDGE_SECONDS,
    end: offset + end / ASR_SAMPLE_RATE + EDGE_SECONDS,
  }));

/** In order and without overlap: a word ends at the latest where the next one begins. */
export function heldToSound(words: readonly Word[], sound: readonly Stretch[]): Word[] {
  let earliest = 0;
  const held = words.map((word) => {
    const { start, end } = within(word, sound);
    earliest = Math.max(earliest, start);
    return { ...word, start: earliest, end: Math.max(earliest, end) };
  });
  return held.map((word, index) => ({
    ...word,
    end: Math.min(word.end, held[index + 1]?.start ?? Number.POSITIVE_INFINITY),
  }));
}

/** The part of a word in the sound that it has most of. */
function within({ start, end }: Stretch, sound: readonly Stretch[]): Stretch {
  let longest: Stretch = { start, end: start };
  for (const run of sound) {
    const part = { start: Math.max(start, run.start), end: Math.min(end, run.end) };
    if (part.end - part.start > longest.end - longest.start) longest = part;
  }
  return longest.end > longest.start ? longest : { start, end };
}
