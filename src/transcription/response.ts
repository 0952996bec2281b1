/** Transcripts as the API's JSON: the short body, the verbose one, and the events of a stream. */

import type { Word } from "../engine/protocol/recognition.ts";
import { languageName } from "../language-tag.ts";
import { compressionRatio } from "./compression-ratio.ts";
import { logprobsOf } from "./logprob.ts";
import type { Segment, Transcript } from "./transcript.ts";

const AUDIO_TOKENS_PER_SECOND = 10; // stock clients want a token count; nothing is billed by it

export function jsonBody(
  { text, language, segments, durationSeconds, warnings }: Transcript,
  withLogprobs = false,
) {
  const words = withLogprobs ? segments.flatMap((segment) => segment.words) : null;
  return {
    text,
    languages: detected(language, segments),
    ...warned(warnings),
    usage: usage(durationSeconds),
    ...withTokens(words, text),
  };
}

/** Only where something is missing: stock clients know no such field. */
const warned = (warnings: readonly string[] = []) => (warnings.length > 0 ? { warnings } : {});

/** Null: not asked for. */
const withTokens = (words: Word[] | null, text: string) =>
  words ? { logprobs: logprobsOf(words, text) } : {};

export type Granularity = "word" | "segment";

export type RecognitionKind = "transcribe" | "translate";

export function verboseBody(
  transcript: Transcript,
  granularities: readonly Granularity[],
  task: RecognitionKind = "transcribe",
) {
  const { language, durationSeconds, segments, text, warnings } = transcript;
  return {
    task,
    language: languageName(language),
    languages: detected(language, segments),
    duration: seconds(durationSeconds),
    text,
    ...(granularities.includes("segment") ? { segments: segments.map(verboseSegment) } : {}),
    ...(granularities.includes("word")
      ? { words: segments.flatMap(({ words }) => words.map(verboseWord)) }
      : {}),
    ...warned(warnings),
    usage: usage(durationSeconds),
  };
}

/** With the speaker of each segment. */
export function diarizedBody(transcript: Transcript, task: RecognitionKind = "transcribe") {
  const { durationSeconds, text, segments, warnings } = transcript;
  return {
    task,
    duration: seconds(durationSeconds),
    text,
    segments: segments.map(segmentEvent),
    ...warned(warnings),
    usage: usage(durationSeconds),
  };
}

/** Of a diarized transcript, as an event of a stream and as a part of the whole. */
export const segmentEvent = ({ start, end, text, speaker = "" }: Segment, index: number) => ({
  type: "transcript.text.segment",
  id: segmentId(index),
  start: seconds(start),
  end: seconds(end),
  text,
  speaker,
});

const segmentId = (index: number) => `seg_${index}`;

/**
 * All ten fields are required by stock clients; what an engine cannot know has its neutral value. Of an engine that decodes
 * windows, `seek` and the last four are those of the window, as the reference has it.
 */
function verboseSegment({ start, end, text, words, noSpeech = 0, speaker, decoding }: Segment, id: number) {
  return {
    ...(speaker === undefined ? {} : { speaker }),
    id,
    seek: Math.round((decoding?.start ?? start) * 100),
    start: seconds(start),
    end: seconds(end),
    text: ` ${text}`,
    tokens: words.flatMap(({ tokens = [] }) => tokens),
    temperature: decoding?.temperature ?? 0,
    avg_logprob: decoding ? thousandths(decoding.logProbability) : meanLogProbability(words),
    compression_ratio: thousandths(decoding?.compressionRatio ?? compressionRatio(text)),
    no_speech_prob: Math.round((decoding?.noSpeech ?? noSpeech) * 1e6) / 1e6,
  };
}

const verboseWord = ({ text, start, end }: Word) => ({
  word: text,
  start: seconds(start),
  end: seconds(end),
});

/** `words`: null where their log probabilities are not asked for. `segment`: the index of a diarized one. */
export function deltaEvent(delta: string, words: Word[] | null = null, segment: number | null = null) {
  const id = segment === null ? {} : { segment_id: segmentId(segment) };
  return { type: "transcript.text.delta", delta, ...id, ...withTokens(words, delta) };
}

export function doneEvent(
  { text, language, segments, durationSeconds, warnings }: Transcript,
  withLogprobs = false,
) {
  const input = Math.ceil(durationSeconds * AUDIO_TOKENS_PER_SECOND);
  const output = segments.reduce((sum, { words }) => sum + words.length, 0);
  return {
    type: "transcript.text.done",
    text,
    languages: detected(language, segments),
    ...warned(warnings),
    usage: {
      ...usage(durationSeconds),
      input_tokens: input,
      input_token_details: { text_tokens: 0, audio_tokens: input },
      output_tokens: output,
      total_tokens: input + output,
    },
    ...withTokens(withLogprobs ? segments.flatMap((segment) => segment.words) : null, text),
  };
}

/** A language is claimed only where something was said. */
const detected = (code: string, segments: Segment[]) => (segments.length > 0 ? [{ code }] : []);

/** What is billed: exact. */
const usage = (durationSeconds: number) => ({ type: "duration", seconds: durationSeconds });

const thousandths = (value: number) => Math.round(value * 1000) / 1000;

/** To the millisecond. */
const seconds = thousandths;

const LEAST_PROBABILITY = 1e-4; // one hopeless word should not sink a segment

function meanLogProbability(words: Word[]): number {
  const sum = words.reduce(
    (total, { confidence }) => total + Math.log(Math.max(confidence, LEAST_PROBABILITY)),
    0,
  );
  return words.length === 0 ? 0 : thousandths(sum / words.length);
}
