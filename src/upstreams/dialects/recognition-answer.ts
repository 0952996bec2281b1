/**
 * What a transcription server answered, as hypotheses: with the times that it has, else with times estimated from the
 * length of the words.
 *
 *   words with times ──> placed on the words of the text, which has the punctuation
 *   segments alone   ──> each segment's words spread over it
 *   a text alone     ──> its words spread over the speech in the recording
 *
 * An answer that holds more than the recording can is faulty before anything is made of it.
 */
import { findUtterances } from "../../audio/energy-vad.ts";
import { ASR_SAMPLE_RATE } from "../../audio/rates.ts";
import { checkCharacters } from "../../engine/answers/transcript-bounds.ts";
import type { Hypothesis, Word } from "../../engine/protocol/recognition.ts";
import { UpstreamFailure } from "../transport/failure.ts";
import { languageCode } from "./language-styles.ts";
import type { TranscriptionFlags } from "./preset.ts";
import {
  alignWords,
  countBefore,
  type LetteredWord,
  letteredWords,
  spreadWords,
  type TimedWord,
} from "./word-times.ts";

type Recorded = { samples: Float32Array; offsetSeconds: number };

/**
 * In order and apart from each other; seconds count from the beginning of the whole recording. Throws `UpstreamFailure`
 * where the answer is none, has a field of another type, or holds more than the recording can.
 */
export function hypothesesOf(
  answer: unknown,
  { samples, offsetSeconds }: Recorded,
  flags: Pick<TranscriptionFlags, "times" | "echoes_language">,
): Hypothesis[] {
  if (!isRecord(answer) || typeof answer.text !== "string")
    throw new UpstreamFailure("faulty", `the answer has no text: ${startOf(answer)}`);
  const seconds = samples.length / ASR_SAMPLE_RATE;
  checkCharacters(answer.text.length, seconds);
  const language = flags.echoes_language ? null : languageCode(String(answer.language ?? ""));
  const common = language === null ? {} : { language };
  const segments = flags.times === "none" ? [] : recordsOf(answer.segments);
  checkCharacters(
    sumOf(segments, ({ text }) => textOf(text).length + 1),
    seconds,
  );
  const timed = flags.times === "word" || flags.times === "token" ? wordsOf(answer, segments, flags) : [];
  checkCharacters(
    sumOf(timed, ({ text }) => text.length),
    seconds,
  );
  const lettered = letteredWords(timed);
  const found =
    segments.length > 0
      ? segments.map((segment) => segmentHypothesis(segment, lettered))
      : [textHypothesis(answer.text, lettered, samples)];
  return apart(found, seconds).flatMap((hypothesis) =>
    hypothesis.words.length === 0 ? [] : [moved({ ...hypothesis, ...common }, offsetSeconds)],
  );
}

function segmentHypothesis(segment: Record<string, unknown>, words: readonly LetteredWord[]): Hypothesis {
  const [start, end] = [numberOf(segment.start), numberOf(segment.end)];
  const text = textOf(segment.text).trim();
  const confidence = Math.exp(Math.min(0, numberOf(segment.avg_logprob)));
  const noSpeech = typeof segment.no_speech_prob === "number" ? { noSpeech: segment.no_speech_prob } : {};
  const [from, to] = [countBefore(words, start), countBefore(words, Math.max(end, start + 0.01))];
  const aligned = alignWords(text, { words, from, to }, confidence);
  return { start, end, words: aligned ?? spreadWords(text, [{ start, end }], confidence), ...noSpeech };
}

function textHypothesis(text: string, words: readonly LetteredWord[], samples: Float32Array): Hypothesis {
  const seconds = samples.length / ASR_SAMPLE_RATE;
  const aligned = alignWords(text.trim(), { words, from: 0, to: words.length }, 1);
  if (aligned) return { start: 0, end: seconds, words: aligned };
  const speech = findUtterances(samples, ASR_SAMPLE_RATE).map(({ start, end }) => ({
    start: start / ASR_SAMPLE_RATE,
    end: end / ASR_SAMPLE_RATE,
  }));
  const spans = speech.length > 0 ? speech : [{ start: 0, end: seconds }];
  const spread = spreadWords(text.trim(), spans, 1);
  return { start: spans[0]!.start, end: spans.at(-1)!.end, words: spread };
}

/** At the top of the answer, or in its segments; some servers name the text of a word `text`. */
function wordsOf(
  answer: Record<string, unknown>,
  segments: readonly Record<string, unknown>[],
  { times }: Pick<TranscriptionFlags, "times">,
): TimedWord[] {
  const atTop = recordsOf(answer.words);
  const all = atTop.length > 0 ? atTop : segments.flatMap((segment) => recordsOf(segment.words));
  const words = all.map((word) => ({
    text: textOf(word.word ?? word.text),
    start: numberOf(word.start),
    end: numberOf(word.end),
    confidence: Number(word.probability ?? word.confidence ?? Number.NaN),
  }));
  return times === "token" ? joinTokens(words) : words;
}

/** Tokens of one word: the first begins with a space. */
function joinTokens(tokens: readonly TimedWord[]): TimedWord[] {
  const words: TimedWord[] = [];
  for (const token of tokens) {
    const last = words.at(-1);
    if (last && !token.text.startsWith(" ")) {
      last.text += token.text;
      last.end = token.end;
      last.confidence = Math.min(last.confidence, token.confidence);
    } else words.push({ ...token });
  }
  return words;
}

/** Times inside the recording, none before the end of the one before. */
function apart(hypotheses: readonly Hypothesis[], seconds: number): Hypothesis[] {
  let last = 0;
  const within = (time: number) => Math.min(seconds, Math.max(last, time));
  return hypotheses.map((hypothesis) => {
    const start = within(hypothesis.start);
    const words = hypothesis.words.map((word): Word => {
      const from = within(word.start);
      last = from;
      const to = within(word.end);
      last = to;
      return { ...word, start: from, end: to };
    });
    const end = within(hypothesis.end);
    last = end;
    return { ...hypothesis, start, end, words };
  });
}

const moved = (hypothesis: Hypothesis, by: number): Hypothesis => ({
  ...hypothesis,
  start: hypothesis.start + by,
  end: hypothesis.end + by,
  words: hypothesis.words.map((word) => ({ ...word, start: word.start + by, end: word.end + by })),
});

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function recordsOf(value: unknown): Record<string, unknown>[] {
  if (!Array.isArray(value)) return [];
  if (value.every(isRecord)) return value;
  throw new UpstreamFailure("faulty", `the answer has a list of no objects: ${startOf(value)}`);
}

/** Of a segment or word; empty where there is none. */
function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  if (value === undefined || value === null) return "";
  throw new UpstreamFailure("faulty", `the answer has a text of another type: ${startOf(value)}`);
}

const startOf = (value: unknown) => JSON.stringify(value)?.slice(0, 200);

function sumOf<T>(list: readonly T[], sizeOf: (each: T) => number): number {
  let sum = 0;
  for (const each of list) sum += sizeOf(each);
  return sum;
}

/** Some servers write numbers as text. */
function numberOf(value: unknown): number {
  const number = typeof value === "string" || typeof value === "number" ? Number(value) : 0;
  return Number.isFinite(number) ? number : 0;
}
