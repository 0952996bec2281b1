/**
 * When each word of the caller's text is heard in a clip, gathered segment by segment.
 *
 *   caller   On  3/4  at  5:30 pm
 *   spoken   on  March fourth  at  five thirty PM       what belongs together shares its time
 *
 * A word that two segments share is told once, when it has ended.
 */

import { TTS_SAMPLE_RATE } from "../../audio/rates.ts";
import type { Origins } from "../../engine/protocol/plan.ts";
import type { SpokenWord } from "../../engine/protocol/synthesis.ts";
import { primaryLanguage } from "../../language-tag.ts";
import { spanOf } from "../text/origins.ts";
import { visibleText } from "../text/visible-text.ts";

/** In seconds from the start of the clip, to the millisecond. */
export type WordTime = { word: string; start_time: number; end_time: number };

/** Words of the caller, first to last, that were heard together, in samples. */
type Group = { first: number; last: number; start: number; end: number };

const DIGIT_WEIGHT = 4; // "7" is said as "seven"

export class Timeline {
  readonly #words: CallerWord[];
  readonly #segments: readonly Origins[];
  #next = 0; // of the segments
  #group: Group | null = null;
  #ready: WordTime[] = [];

  constructor({ text, language }: { text: string; language: string }, segments: readonly Origins[]) {
    const visible = visibleText(text);
    const length = visible.text.length;
    this.#words = callerWords(visible.text, language).map((word) => ({
      ...word,
      ...spanOf(visible.origins, { ...word, length }),
    }));
    this.#segments = segments;
  }

  /** The words of the next segment, which begins at a sample of the clip. */
  add(start: number, spoken: readonly SpokenWord[]): void {
    const origins = this.#segments[this.#next++]!;
    for (const word of spoken) {
      const { from, to } = spanOf(origins, { ...word, length: origins.from.length });
      const found = this.#between(from, to);
      if (found) this.#extend({ ...found, start: start + word.start, end: start + word.end });
    }
    const following = this.#segments[this.#next];
    if (this.#group && !(following && this.#isIn(following, this.#group.last))) this.#tell();
  }

  /** The words that were told since. */
  take(): WordTime[] {
    const ready = this.#ready;
    this.#ready = [];
    return ready;
  }

  /** The caller's words that a part of the text touches; null for none. */
  #between(from: number, to: number): { first: number; last: number } | null {
    const first = this.#firstFrom(from);
    let last = first;
    while (last + 1 < this.#words.length && this.#words[last + 1]!.from < to) last++;
    const word = this.#words[first];
    return word && word.from < to ? { first, last } : null;
  }

  /** The first word that ends behind a place, by bisection. */
  #firstFrom(place: number): number {
    let [low, high] = [0, this.#words.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#words[middle]!.to <= place) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #extend(group: Group): void {
    const open = this.#group;
    if (open && group.first <= open.last) {
      open.last = Math.max(open.last, group.last);
      open.end = Math.max(open.end, group.end);
      return;
    }
    if (open) this.#tell();
    this.#group = group;
  }

  /** Whether a segment begins with a part of a word. */
  #isIn({ from, to }: Origins, index: number): boolean {
    const word = this.#words[index]!;
    return from.length > 0 && from[0]! < word.to && to[0]! > word.from;
  }

  #tell(): void {
    const { first, last, start, end } = this.#group!;
    this.#group = null;
    const words = this.#words.slice(first, last + 1);
    const whole = words.reduce((sum, word) => sum + weightOf(word), 0);
    let before = 0;
    for (const word of words) {
      const from = start + ((end - start) * before) / whole;
      before += weightOf(word);
      const to = start + ((end - start) * before) / whole;
      this.#ready.push({ word: word.word, start_time: seconds(from), end_time: seconds(to) });
    }
  }
}

const seconds = (sample: number) => Math.round((1000 * sample) / TTS_SAMPLE_RATE) / 1000;

const weightOf = ({ word }: CallerWord) =>
  [...word].reduce((sum, letter) => sum + (/\p{N}/u.test(letter) ? DIGIT_WEIGHT : 1), 0);

/**
 * The words of a caller's text as they are written, without the marks around them: what captions show and highlight.
 *
 * `from` and `to` are code units of the text.
 */
export type CallerWord = { word: string; from: number; to: number };

const BEFORE = /[\p{Ps}\p{Pi}"'*_~`#<>¿¡|]/u;
const BEHIND = /[\p{Pe}\p{Pf}"'*_~`<>.,;:!?…|。，、！？；：]/u;
const SAYABLE = /[\p{L}\p{N}\p{S}&%@]/u;
/** Scripts whose words are not parted by spaces. */
const UNPARTED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

/** @internal */
export function callerWords(text: string, language: string): CallerWord[] {
  return [...text.matchAll(/\S+/gu)].flatMap(({ 0: word, index }) =>
    UNPARTED.test(word) ? partedWords(word, index, language) : (strippedWord(word, index) ?? []),
  );
}

function strippedWord(word: string, offset: number): CallerWord | null {
  let [start, end] = [0, word.length];
  while (start < end && BEFORE.test(word[start]!)) start++;
  while (end > start && BEHIND.test(word[end - 1]!)) end--;
  const stripped = word.slice(start, end);
  return SAYABLE.test(stripped) ? { word: stripped, from: offset + start, to: offset + end } : null;
}

function partedWords(text: string, offset: number, language: string): CallerWord[] {
  const segments = segmenterOf(language).segment(text);
  return Array.from(segments).flatMap(({ segment, index, isWordLike }) =>
    isWordLike ? { word: segment, from: offset + index, to: offset + index + segment.length } : [],
  );
}

/** The runtime's own rules where the language is no tag. */
function segmenterOf(language: string): Intl.Segmenter {
  try {
    return new Intl.Segmenter(primaryLanguage(language), { granularity: "word" });
  } catch {
    return new Intl.Segmenter(undefined, { granularity: "word" });
  }
}
