/**
 * The words of a window's segments: their places in time, their tokens as they were written, their confidence.
 *
 * Alignment by attention divides all of the window among the words, pauses too. So a mark at the end of a sentence is held
 * to twice the usual length of a word, and the first and the last word of a segment to the times that the model gave the
 * segment. Source: the word timestamps of openai/whisper.
 */
import type { Word } from "../../../src/engine/protocol/recognition.ts";
import type { TokenTime, WindowSegment } from "./segments.ts";
import { splitWords } from "./words.ts";

/** Of a window; `times` and `logProbabilities`: one for each text token of all segments. */
export type Aligned = {
  segments: readonly WindowSegment[];
  times: readonly TokenTime[];
  logProbabilities: readonly number[];
  endOfText: number;
  language: string;
  decode: (tokens: readonly number[]) => string;
};

const SENTENCE_MARKS = /^[.。!！?？…]+["'”’)\]]*$/u;
const MEDIAN_MAX_SECONDS = 0.7;
const FAR_SECONDS = 0.5; // from the time of the segment

/** A word from token `from` to `to`, the end excluded, of all text tokens of the window. */
type Placed = { text: string; from: number; to: number; segment: number; start: number; end: number };

/** Seconds count from the start of the window. */
export function placedWords(aligned: Aligned): Word[] {
  const { segments, times, logProbabilities, language, decode } = aligned;
  const tokens = segments.flatMap((segment) => segment.tokens);
  const segmentOf = segments.flatMap((segment, index) => segment.tokens.map(() => index));
  let next = 0;
  const words = splitWords(tokens, language, decode).map(({ text, tokens: pieces }): Placed => {
    const [from, to] = [next, next + pieces.length];
    next = to;
    const start = times[from]!.start;
    return { text, from, to, segment: segmentOf[from]!, start, end: Math.max(start, times[to - 1]!.end) };
  });
  const mostSeconds = 2 * usualSeconds(words);
  for (const word of words) holdMark(word, tokens, { mostSeconds, ...aligned });
  holdToSegments(words, segments, mostSeconds / 2);
  const written = asWritten(segments, aligned.endOfText);
  return words.flatMap(({ text, from, to, start, end }) => {
    if (text.trim() === "") return [];
    const ofWord = logProbabilities.slice(from, to);
    const confidence = Math.exp(ofWord.reduce((sum, each) => sum + each, 0) / ofWord.length);
    const glued = text.startsWith(" ") ? {} : { glued: true };
    return [{ text: text.trim(), start, end, confidence, tokens: written.slice(from, to).flat(), ...glued }];
  });
}

function usualSeconds(words: readonly Placed[]): number {
  const lengths = words.flatMap(({ start, end }) => (end > start ? [end - start] : [])).sort((a, b) => a - b);
  return Math.min(MEDIAN_MAX_SECONDS, lengths[lengths.length >> 1] ?? MEDIAN_MAX_SECONDS);
}

/** The mark at the end of a sentence takes the pause behind it. */
function holdMark(
  word: Placed,
  tokens: readonly number[],
  { times, decode, mostSeconds }: Aligned & { mostSeconds: number },
): void {
  let mark = word.to;
  while (mark > word.from + 1 && SENTENCE_MARKS.test(decode(tokens.slice(mark - 1, word.to)).trim())) mark--;
  if (mark < word.to) word.end = Math.min(word.end, times[mark]!.start + mostSeconds);
}

function holdToSegments(
  words: readonly Placed[],
  segments: readonly WindowSegment[],
  usualSeconds: number,
): void {
  for (const [index, word] of words.entries()) {
    const { start, end } = segments[word.segment]!;
    if (words[index - 1]?.segment !== word.segment && word.start < start - FAR_SECONDS && word.end > start)
      word.start = Math.max(0, Math.min(word.end - usualSeconds, start));
    if (words[index + 1]?.segment !== word.segment && word.end > end + FAR_SECONDS && word.start < end)
      word.end = Math.max(word.start + usualSeconds, end);
  }
}

/** For each text token all tokens that stand for it: times before the first and behind the last of a segment are theirs. */
function asWritten(segments: readonly WindowSegment[], endOfText: number): number[][] {
  return segments.flatMap(({ sampled }) => {
    const written: number[][] = [];
    let before: number[] = [];
    for (const token of sampled) {
      if (token < endOfText) {
        written.push([...before, token]);
        before = [];
      } else before.push(token);
    }
    written.at(-1)?.push(...before);
    return written;
  });
}
