/**
 * What of an answer its listener has heard, if the client plays it from its first sound on without a pause.
 *
 *   sent     ▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒
 *   played   ▒▒▒▒▒▒▒▒ now            segment  "It is sunny in Oslo."   ─> heard "It is sunny"
 */
import { splitSentences } from "../../speech/text/sentences.ts";

/** Milliseconds of sound that were sent, and how much of it is played. It stands still while nothing is left to play. */
export class PlaybackClock {
  #endsMs: number | null = null;
  #sentMs = 0;

  get sentMs(): number {
    return this.#sentMs;
  }

  /** So much more is sent now. */
  add(ms: number, nowMs: number): void {
    this.#endsMs = Math.max(this.#endsMs ?? nowMs, nowMs) + ms;
    this.#sentMs += ms;
  }

  aheadMs(nowMs: number): number {
    return Math.max(0, (this.#endsMs ?? nowMs) - nowMs);
  }

  playedMs(nowMs: number): number {
    return this.#sentMs - this.aheadMs(nowMs);
  }
}

/** `at`: a code unit of the segment's text; `ms`: from the start of the segment. */
export type WordStart = { at: number; ms: number };

/**
 * Text that was, or is being, spoken. `startMs`: where it begins in the item's sound; `ms`: of its sound that was sent;
 * `expectedMs`: of all of it, as far as is known. `words` null: the engine does not tell them.
 */
export type Segment = {
  text: string;
  startMs: number;
  ms: number;
  expectedMs: number;
  words: WordStart[] | null;
};

/** The words that begin before a position in the item's sound. */
export function heardText(segments: readonly Segment[], positionMs: number): string {
  return segments
    .map(({ text, startMs, ms, expectedMs, words }) => {
      const heardMs = positionMs - startMs;
      if (heardMs <= 0) return "";
      if (heardMs >= Math.max(ms, expectedMs)) return text;
      return text.slice(0, heardLength({ text, words, expectedMs: Math.max(ms, expectedMs) }, heardMs));
    })
    .join("")
    .trimEnd();
}

type Spoken = Pick<Segment, "text" | "words" | "expectedMs">;

/** The end of the last word that begins before it. */
function heardLength({ text, words, expectedMs }: Spoken, heardMs: number): number {
  const starts = words ?? estimatedStarts(text, expectedMs);
  const last = starts.findLast(({ ms }) => ms < heardMs);
  if (!last) return 0;
  const word = /^\S*/.exec(text.slice(last.at))![0];
  return last.at + word.length;
}

/** What follows of a text of which the beginning was heard: from the start of the sentence that was cut. */
export function unheardText(text: string, heard: string, language: string): string {
  let from = 0;
  for (const sentence of sentencesOf(text, language)) {
    if (from + sentence.trimEnd().length > heard.length) break;
    from += sentence.length;
  }
  return text.slice(from).trimStart();
}

/** Of a text of several lines. Joined they are the text. */
const sentencesOf = (text: string, language: string): string[] =>
  text.split(/(?<=\n)/).flatMap((line) => {
    const sentences = splitSentences(line, language);
    return sentences.join("") === line ? sentences : [line];
  });

/** Of each word of a text that takes so long, if every character takes the same. */
export const estimatedStarts = (text: string, totalMs: number): WordStart[] =>
  [...text.matchAll(/\S+/gu)].map(({ index }) => ({ at: index, ms: (totalMs * index) / text.length }));

/** Where words that an engine told, in seconds of the segment, stand in its text. */
export function placedWords(
  text: string,
  words: readonly { word: string; start_time: number }[],
): WordStart[] {
  let from = 0;
  return words.flatMap(({ word, start_time }) => {
    const at = text.indexOf(word, from);
    if (at < 0) return [];
    from = at + word.length;
    return [{ at, ms: start_time * 1000 }];
  });
}

/** A segment's text in pieces that are told just before their sound. Joined they are the text. */
export function piecesOf(text: string, starts: readonly WordStart[]): { text: string; ms: number }[] {
  if (starts.length === 0) return text === "" ? [] : [{ text, ms: 0 }];
  return starts.map(({ at, ms }, index) => ({
    text: text.slice(
      index === 0 ? 0 : at - spaceBefore(text, at),
      starts[index + 1] ? cutBefore(text, starts[index + 1]!.at) : undefined,
    ),
    ms: index === 0 ? 0 : ms,
  }));
}

/** A word brings the space before it. */
const spaceBefore = (text: string, at: number): number => at - cutBefore(text, at);

const cutBefore = (text: string, at: number): number => text.slice(0, at).trimEnd().length;
