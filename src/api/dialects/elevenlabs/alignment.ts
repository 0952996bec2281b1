/**
 * When each character of a text is heard, from when its words are: those of a word share its time, and those between two
 * words the time between.
 *
 *   Hi, Ada      H i  ,  _  A d a
 *                └─┘ └──┘  └───┘        word, between, word
 */
import type { WordTime } from "../../../speech/words/timeline.ts";

/** Seconds, each list as long as the others. */
export type Aligned = { characters: string[]; starts: number[]; ends: number[] };

export class Alignment {
  readonly #text: string;
  readonly #visible: string;
  /** What was told of the text, in code units, and of its sound, in seconds. */
  #at = 0;
  #seconds = 0;

  /** `visible`: as long as the text, with blanks for what is no word. */
  constructor(text: string, visible = text) {
    this.#text = text;
    this.#visible = visible;
  }

  /** The characters until the end of these words; null: none. */
  take(words: readonly WordTime[]): Aligned | null {
    const aligned: Aligned = { characters: [], starts: [], ends: [] };
    for (const { word, start_time: start, end_time: end } of words) {
      const from = this.#visible.indexOf(word, this.#at);
      if (from === -1) continue;
      this.#add(aligned, from, start);
      this.#add(aligned, from + word.length, end);
    }
    return aligned.characters.length > 0 ? aligned : null;
  }

  /** The characters that are left, of a text whose sound is so long. */
  finish(seconds: number): Aligned | null {
    const aligned: Aligned = { characters: [], starts: [], ends: [] };
    this.#add(aligned, this.#text.length, seconds);
    return aligned.characters.length > 0 ? aligned : null;
  }

  /** The characters up to a place, in the time up to its own. */
  #add({ characters, starts, ends }: Aligned, to: number, seconds: number): void {
    const added = [...this.#text.slice(this.#at, to)];
    const from = this.#seconds;
    const until = Math.max(from, seconds);
    const share = (until - from) / Math.max(1, added.length);
    for (const [index, character] of added.entries()) {
      characters.push(character);
      starts.push(rounded(from + index * share));
      ends.push(rounded(from + (index + 1) * share));
    }
    this.#at = Math.max(this.#at, to);
    this.#seconds = until;
  }
}

const rounded = (seconds: number): number => Math.round(seconds * 1000) / 1000;

/** As answers over HTTP have it. */
export const alignmentOf = (aligned: Aligned | null) =>
  aligned && {
    characters: aligned.characters,
    character_start_times_seconds: aligned.starts,
    character_end_times_seconds: aligned.ends,
  };
