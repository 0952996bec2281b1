/**
 * A transcript whose text was corrected. Words that stay keep their times; those that are new share the time between them,
 * by their letters. Pure.
 *
 *   heard      we │ are │ at │ the │ old │ horse
 *   corrected  We │ are │ at an│ old │ house
 *                               kept      the time of "horse"
 */
import { type Transcription, type Word, wordsOf } from "./transcription.ts";

/** The transcript with another text of one segment; empty: without the segment. */
export function withText(transcription: Transcription, index: number, text: string): Transcription {
  const { segments, words, response } = transcription;
  const segment = segments[index];
  const written = text.trim().replace(/\s+/g, " ");
  if (!segment || written === segment.text.trim()) return transcription;
  const own = wordsOf(words, segment, index === segments.length - 1);
  const others = words.filter((word) => !own.includes(word));
  const before = others.filter((word) => word.start < segment.start);
  const corrected = own.length > 0 ? retimed(own, written, segment) : [];
  const edited = {
    text: "",
    segments: segments.flatMap((each) => {
      if (each !== segment) return [each];
      return written === "" ? [] : [{ ...segment, text: written }];
    }),
    words: [...before, ...corrected, ...others.slice(before.length)],
  };
  edited.text = edited.segments.map((each) => each.text.trim()).join(" ");
  return { ...transcription, ...edited, response: responseOf(response, edited) };
}

type Edited = Pick<Transcription, "text" | "segments" | "words">;

/** The response with what was corrected; what it did not have it does not get. */
function responseOf(response: unknown, edited: Edited): unknown {
  if (typeof response !== "object" || response === null) return edited.text;
  const corrected = Object.entries(edited).filter(([name]) => name in response);
  return { ...response, ...Object.fromEntries(corrected) };
}

type Span = { start: number; end: number };

const PAIRS_MAX = 250_000; // compared words: a segment of a few seconds has a few hundred

/** The words of a text, with times by those that were heard in it. @internal */
export function retimed(heard: readonly Word[], text: string, { start, end }: Span): Word[] {
  const written = text.split(/\s+/).filter((word) => word !== "");
  const kept = written.length * heard.length > PAIRS_MAX ? [] : commonWords(heard, written);
  const words: Word[] = [];
  let from = { heard: 0, time: Math.min(start, heard[0]?.start ?? start) };
  for (const pair of [...kept, null]) {
    const at = pair?.written ?? written.length;
    const until = pair ? heard[pair.heard]! : { start: Math.max(end, from.time), end: 0 };
    const replaced = heard.slice(from.heard, pair?.heard ?? heard.length);
    const span = { start: replaced[0]?.start ?? from.time, end: replaced.at(-1)?.end ?? until.start };
    words.push(...shared(written.slice(words.length, at), span));
    if (!pair) break;
    words.push({ word: written[at]!, start: until.start, end: until.end });
    from = { heard: pair.heard + 1, time: until.end };
  }
  return words;
}

/** Words that follow each other in a span of time, each as long as its letters. */
function shared(words: string[], { start, end }: Span): Word[] {
  const letters = words.reduce((sum, { length }) => sum + length, 0);
  const seconds = Math.max(0, end - start);
  let passed = 0;
  return words.map((word) => {
    const from = start + (passed / letters) * seconds;
    passed += word.length;
    return { word, start: from, end: start + (passed / letters) * seconds };
  });
}

type Pair = { heard: number; written: number };

/** Case and marks make no other word. */
const lettersOf = (word: string): string => word.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "") || word;

/** The longest common subsequence. */
function commonWords(heard: readonly Word[], written: readonly string[]): Pair[] {
  const [one, other] = [heard.map(({ word }) => lettersOf(word)), written.map(lettersOf)];
  const lengths = Array.from({ length: one.length + 1 }, () => new Uint32Array(other.length + 1));
  for (let at = one.length - 1; at >= 0; at--)
    for (let to = other.length - 1; to >= 0; to--)
      lengths[at]![to] =
        one[at] === other[to]
          ? lengths[at + 1]![to + 1]! + 1
          : Math.max(lengths[at + 1]![to]!, lengths[at]![to + 1]!);
  const pairs: Pair[] = [];
  for (let [at, to] = [0, 0]; at < one.length && to < other.length; ) {
    if (one[at] === other[to]) pairs.push({ heard: at++, written: to++ });
    else if (lengths[at + 1]![to]! >= lengths[at]![to + 1]!) at++;
    else to++;
  }
  return pairs;
}
