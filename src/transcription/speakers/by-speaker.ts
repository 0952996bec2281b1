/**
 * Who said each word of a transcript: the speaker whose turns overlap it most, or are nearest. Pure.
 *
 *   words   ├hello├there├   ├hi├yes├
 *   turns   ├── 0 ──────────┤├─ 1 ─┤      one segment for each run of words of one speaker
 */
import type { Turn } from "../../engine/protocol/diarization.ts";
import type { Word } from "../../engine/protocol/recognition.ts";
import { deltaOf, joined, type Segment } from "../transcript.ts";

/** The segment, cut where the speaker changes. */
export function bySpeaker(
  { words, ...segment }: Segment,
  turns: readonly Turn[],
  nameOf: (speaker: number) => string,
): Segment[] {
  const runs: { speaker: number; words: Word[] }[] = [];
  for (const word of words) {
    const speaker = speakerOf(word, turns);
    const run = runs.at(-1);
    if (run?.speaker === speaker) run.words.push(word);
    else runs.push({ speaker, words: [word] });
  }
  return runs.map(({ speaker, words }) => ({
    ...segment,
    start: words[0]!.start,
    end: words.at(-1)!.end,
    text: joined(words),
    words,
    speaker: nameOf(speaker),
  }));
}

/** That of the nearest turn; the first one where there is no turn, though the recognizer found a word. */
function speakerOf({ start, end }: Word, turns: readonly Turn[]): number {
  let best = { nearness: Number.NEGATIVE_INFINITY, speaker: 0 };
  for (const turn of turns) {
    const nearness = Math.min(end, turn.end) - Math.max(start, turn.start); // below zero: the distance
    if (nearness > best.nearness) best = { nearness, speaker: turn.speaker };
  }
  return best.speaker;
}

/**
 * Names by speaker: those that are known, else A, B … in the order of their first use, but for names in `taken`: those of
 * all known speakers.
 */
export function openSpeakerNames(
  known: Iterable<readonly [speaker: number, name: string]> = [],
  taken: readonly string[] = [],
): (speaker: number) => string {
  const names = new Map(known);
  let unknown = 0;
  return (speaker) => {
    let name = names.get(speaker);
    while (name === undefined) {
      const letters = lettersOf(unknown++);
      if (!taken.includes(letters)) name = letters;
    }
    names.set(speaker, name);
    return name;
  };
}

const LETTERS = 26;

/** A … Z, AA, AB … */
function lettersOf(index: number): string {
  const last = String.fromCharCode("A".charCodeAt(0) + (index % LETTERS));
  return index < LETTERS ? last : lettersOf(Math.floor(index / LETTERS) - 1) + last;
}

/** Consecutive segments of one speaker as one line each. */
export function speakerLines(segments: readonly Segment[]): string {
  const lines: { speaker: string; text: string }[] = [];
  for (const segment of segments) {
    const { speaker = "", text } = segment;
    const line = lines.at(-1);
    if (line?.speaker === speaker) line.text += deltaOf(segment, false);
    else lines.push({ speaker, text });
  }
  return lines.map(({ speaker, text }) => `${speaker}: ${text}\n`).join("");
}
