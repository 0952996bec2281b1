/**
 * A transcript: ordered segments, one for each utterance that contains a word, and their joined text.
 *
 * Streamed and whole transcripts are equal: the deltas of a stream, joined, are the text.
 */
import type { Decoding, Hypothesis, Word } from "../engine/protocol/recognition.ts";

/**
 * `start` and `end` are seconds; `text` is the words joined; `speaker` is there where speakers are told apart, and the rest
 * where the engine reports it. `decoding`: that of the first word.
 */
export type Segment = {
  start: number;
  end: number;
  text: string;
  words: Word[];
  speaker?: string;
  decoding?: Decoding;
} & Pick<Hypothesis, "language" | "noSpeech">;

/** `language` is an ISO 639-1 code; `durationSeconds` is what was recognized and is billed. */
export type Transcript = {
  language: string;
  durationSeconds: number;
  segments: Segment[];
  text: string;
  /** What of the file is missing. */
  warnings?: readonly string[];
};

const SENTENCE_END = /[.?!…。！？]["'”’)\]]*$/u;
const PAUSE_SECONDS = 0.7;
const LEAST_SECONDS = 1; // "Mr." is not a sentence
const LONGEST_SECONDS = 12;

/** Segments by sentence where the engine marks sentences, otherwise by pause; none is too long for a subtitle. */
export function segmentsOf({ words, language, noSpeech, decodings = [] }: Hypothesis): Segment[] {
  const decodingOf = new Map<Word, Decoding>();
  let next = 0;
  for (const { words: count, ...decoding } of decodings) {
    for (const word of words.slice(next, next + count)) decodingOf.set(word, decoding);
    next += count;
  }
  const runs: Word[][] = [];
  for (const [index, word] of words.entries()) {
    const run = runs.at(-1);
    const before = words[index - 1];
    if (!run || !before || endsBefore(run, before, word)) runs.push([word]);
    else run.push(word);
  }
  return runs.map((run) => {
    const decoding = decodingOf.get(run[0]!);
    return {
      start: run[0]!.start,
      end: run.at(-1)!.end,
      text: joined(run),
      words: run,
      ...(language ? { language } : {}),
      ...(noSpeech === undefined ? {} : { noSpeech }),
      ...(decoding ? { decoding } : {}),
    };
  });
}

function endsBefore(run: Word[], before: Word, word: Word): boolean {
  const seconds = before.end - run[0]!.start;
  if (word.end - run[0]!.start > LONGEST_SECONDS || word.start - before.end >= PAUSE_SECONDS) return true;
  return SENTENCE_END.test(before.text) && seconds >= LEAST_SECONDS;
}

/** Words as text. */
export function joined(words: readonly Pick<Word, "text" | "glued">[]): string {
  return words.map(({ text, glued }, index) => (index === 0 || glued ? text : ` ${text}`)).join("");
}

/** The delta that a stream sends for a segment. */
export function deltaOf({ text, words }: Segment, isFirst: boolean): string {
  return isFirst || words[0]?.glued ? text : ` ${text}`;
}

/** `language` is the language to assume where the engine detects none. */
export function transcriptOf(segments: Segment[], language: string, durationSeconds: number): Transcript {
  const recognized = segments.find((segment) => segment.language)?.language ?? language;
  const text = segments.map((segment, index) => deltaOf(segment, index === 0)).join("");
  return { language: recognized, durationSeconds, segments, text };
}
