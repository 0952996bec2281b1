/** Times of words: those of a server placed on the words of its text, or estimated. */
import type { Word } from "../../engine/protocol/recognition.ts";

/** `confidence` may be no number: the server reports none. */
export type TimedWord = { text: string; start: number; end: number; confidence: number };

type Span = { start: number; end: number };
type Token = { text: string; glued: boolean };

/** Before each character that is a word of its own, and between one and a letter. */
const CUT =
  /(?=[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}])|(?<=[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}])(?=[\p{L}\p{N}])/u;

/** The words of a text, with their punctuation. */
const tokensOf = (text: string): Token[] =>
  text
    .split(/\s+/)
    .filter((part) => part !== "")
    .flatMap((part) => part.split(CUT).map((piece, index) => ({ text: piece, glued: index > 0 })));

/** Spread over spans by the number of their characters. Takes time in proportion to the text and the spans. */
export function spreadWords(text: string, spans: readonly Span[], confidence: number): Word[] {
  const tokens = tokensOf(text);
  const total = tokens.reduce((sum, token) => sum + token.text.length, 0);
  const seconds = spans.reduce((sum, { start, end }) => sum + Math.max(0, end - start), 0);
  const placeAfter = placesIn(spans);
  let passed = 0;
  return tokens.map((token) => {
    const start = placeAfter((passed / total) * seconds);
    passed += token.text.length;
    const end = placeAfter((passed / total) * seconds);
    return wordOf(token, { start, end, confidence });
  });
}

/** The time after so many seconds of speech; asked with numbers that never fall. */
function placesIn(spans: readonly Span[]): (seconds: number) => number {
  let at = 0;
  let before = 0; // seconds of speech in the spans before that one
  return (seconds) => {
    for (; at < spans.length; at++) {
      const { start, end } = spans[at]!;
      const length = Math.max(0, end - start);
      if (seconds - before <= length) return start + seconds - before;
      before += length;
    }
    return spans.at(-1)?.end ?? 0;
  };
}

const wordOf = ({ text, glued }: Token, times: Span & { confidence: number }): Word => ({
  text,
  ...times,
  ...(glued ? { glued } : {}),
});

const lettersOf = (text: string) => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");

/** Words with their letters, which are what aligns. */
export type LetteredWord = TimedWord & { letters: string };

/** Without those that are marks alone, by the middle of their times. */
export const letteredWords = (timed: readonly TimedWord[]): LetteredWord[] =>
  timed
    .map((word) => ({ ...word, letters: lettersOf(word.text) }))
    .filter(({ letters }) => letters !== "")
    .sort((a, b) => middleOf(a) - middleOf(b));

const middleOf = ({ start, end }: Span) => (start + end) / 2;

/** How many of the words, which are in order, have their middle before a time in seconds. */
export function countBefore(words: readonly Span[], seconds: number): number {
  let [low, high] = [0, words.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (middleOf(words[middle]!) < seconds) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Words that are in order, from the index `from` up to and without the index `to`. */
type Among = { words: readonly LetteredWord[]; from: number; to: number };

/**
 * Null where the words are not those of the text, or there are none. A word may be several tokens, and one token several
 * words. Takes time in proportion to the text, however the letters are divided.
 */
export function alignWords(
  text: string,
  { words: spoken, from, to }: Among,
  fallback: number,
): Word[] | null {
  if (from >= to) return null;
  const words: Word[] = [];
  let at = from;
  let inWord = 0; // letters of the current timed word that tokens have used
  for (const token of tokensOf(text)) {
    const letters = lettersOf(token.text);
    const first = spoken[Math.min(at, to - 1)]!;
    let last = letters === "" ? (words.at(-1) ?? first) : first;
    const start = letters === "" ? last.end : first.start;
    for (let used = 0; used < letters.length; ) {
      if (at === to) return null;
      last = spoken[at]!;
      const { letters: known } = spoken[at]!;
      const count = Math.min(known.length - inWord, letters.length - used);
      if (known.slice(inWord, inWord + count) !== letters.slice(used, used + count)) return null;
      used += count;
      inWord += count;
      if (inWord === known.length) {
        at++;
        inWord = 0;
      }
    }
    const known = last.confidence;
    const confidence = Number.isFinite(known) ? Math.min(1, Math.max(0, known)) : fallback;
    words.push(wordOf(token, { start, end: last.end, confidence }));
  }
  return words;
}
