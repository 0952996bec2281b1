/**
 * The words of a text with the samples during which they are heard, from where each phoneme begins and ends.
 *
 *   text      Good      morning.
 *   phonemes  ɡˈʊd      mˈɔːɹnɪŋ.
 *   samples   0 … 5400  6000 … 14400      a space or a mark between two words belongs to neither
 */
import type { SpokenWord } from "../../../src/engine/protocol/synthesis.ts";
import { align } from "./align.ts";
import type { Boundaries } from "./boundaries.ts";
import { phonemeWordsOf, wordsOf } from "./tokens.ts";

/** `boundaries` has an entry for each code unit of the phonemes. */
export function spokenWords(text: string, phonemes: string, boundaries: Boundaries): SpokenWord[] {
  const sounds = phonemeWordsOf(phonemes).filter(({ from, to }) => spanOf(boundaries, from, to) !== null);
  const times = sounds.map(({ from, to }) => spanOf(boundaries, from, to)!);
  const words = wordsOf(text);
  const spans = align(words, sounds);
  return words.flatMap(({ from, to }, index) => {
    const { from: first, to: last } = spans[index]!;
    return last > first
      ? [{ from, to, start: timeAt(times, first, "start"), end: timeAt(times, last, "end") }]
      : [];
  });
}

function spanOf(boundaries: Boundaries, from: number, to: number): [number, number] | null {
  let span: [number, number] | null = null;
  for (let at = from; at < to; at++) {
    const each = boundaries[at];
    if (each) span = [span?.[0] ?? each[0], each[1]];
  }
  return span;
}

/** At a part of a sound: as far into it. At its edge, the side that was asked for. */
function timeAt(times: [number, number][], place: number, side: "start" | "end"): number {
  const whole = Math.round(place);
  if (Math.abs(place - whole) < 1e-9) return side === "start" ? times[whole]![0] : times[whole - 1]![1];
  const [start, end] = times[Math.floor(place)]!;
  return start + (end - start) * (place - Math.floor(place));
}

/** Samples of the model before they were finished, as those that come out: `scale` times as many, without the first `cut`. */
export type Finishing = { scale: number; cut: number; length: number };

export function afterFinishing(
  words: readonly SpokenWord[],
  { scale, cut, length }: Finishing,
): SpokenWord[] {
  const place = (sample: number) => Math.min(length, Math.max(0, Math.round(sample * scale - cut)));
  return words.map(({ from, to, start, end }) => ({ from, to, start: place(start), end: place(end) }));
}
