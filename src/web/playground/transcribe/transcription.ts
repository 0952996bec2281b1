/** What the transcription route returns, in the formats that the playground reads. Pure. */

import type { Cue } from "../../../transcription/cues.ts";
import type { TranscriptionRequest } from "../../api/snippets.ts";

export type Word = { word: string; start: number; end: number };
export type Segment = {
  start: number;
  end: number;
  text: string;
  /** Absent in some formats. */
  avg_logprob?: number;
  /** Where speakers are told apart. */
  speaker?: string;
};

export type Transcription = {
  text: string;
  /** Empty where the request asked for none. */
  words: Word[];
  segments: Segment[];
  /** An English name; null where the format has none. */
  language: string | null;
  durationSeconds: number | null;
  /** The response: parsed, if it is JSON. */
  response: unknown;
};

export const FORMATS = ["verbose_json", "diarized_json", "json", "text", "srt", "vtt"] as const;

/** The fields of a form; lists are appended one by one. */
export function formOf(request: TranscriptionRequest, file: File): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(request)) {
    if (typeof value === "string") form.set(name, value);
    else for (const each of value) form.append(`${name}[]`, each);
  }
  form.set("file", file);
  return form;
}

type VerboseBody = Partial<{
  text: string;
  words: Word[];
  segments: Segment[];
  language: string;
  duration: number;
}>;

/** `body`: as it was received. */
export function readTranscription(body: string, format: string): Transcription {
  if (!format.includes("json"))
    return {
      text: body.trim(),
      words: [],
      segments: [],
      language: null,
      durationSeconds: null,
      response: body,
    };
  const response = JSON.parse(body) as VerboseBody;
  return {
    text: response.text ?? "",
    words: response.words ?? [],
    segments: response.segments ?? [],
    language: response.language ?? null,
    durationSeconds: response.duration ?? null,
    response,
  };
}

/** The segments as subtitles; with the times of their words where these are the words of the text, marks and all. */
export function cuesOf({ segments, words }: Pick<Transcription, "segments" | "words">): Cue[] {
  let first = 0; // of a segment: both are in order, and a recording of hours has a hundred thousand words
  return segments.map((segment, index) => {
    const { start, end, speaker } = segment;
    const text = segment.text.trim();
    const isOwn = ownedBy(segment, index === segments.length - 1);
    while (first < words.length && words[first]!.start < start - TOLERANCE) first++;
    let last = first;
    while (last < words.length && isOwn(words[last]!)) last++;
    const own = words.slice(first, last);
    const isText = own.map(({ word }) => word).join(" ") === text;
    return {
      start,
      end,
      text,
      speaker,
      words: isText ? own.map(({ word, ...times }) => ({ text: word, ...times })) : [],
    };
  });
}

/** From 0 to 1; null where the engine reports none. */
export const confidenceOf = ({ avg_logprob = 0 }: Segment): number | null =>
  avg_logprob === 0 ? null : Math.exp(avg_logprob);

/** Of all segments by their length, from 0 to 1; null where the engine reports none. */
export function overallConfidence(segments: Segment[]): number | null {
  const known = segments.flatMap((segment) => {
    const confidence = confidenceOf(segment);
    return confidence === null ? [] : [{ confidence, seconds: Math.max(0.1, segment.end - segment.start) }];
  });
  const total = known.reduce((sum, { seconds }) => sum + seconds, 0);
  if (total === 0) return null;
  return known.reduce((sum, { confidence, seconds }) => sum + confidence * seconds, 0) / total;
}

type Span = { start: number; end: number };

/** What is heard at a time, of words or of segments. */
export const heardAt = <T extends Span>(spans: readonly T[], seconds: number): T | undefined =>
  spans.find(({ start, end }) => seconds >= start && seconds < end);

/** Times are rounded to the millisecond. */
const TOLERANCE = 0.001;

const ownedBy =
  ({ start, end }: Segment, isLast: boolean) =>
  (word: Word): boolean =>
    word.start >= start - TOLERANCE && (isLast || word.start < end);

/** The words that begin in a segment. */
export const wordsOf = (words: Word[], segment: Segment, isLast: boolean): Word[] =>
  words.filter(ownedBy(segment, isLast));
