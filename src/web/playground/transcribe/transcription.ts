/** What the transcription route returns, in the formats that the playground reads. Pure. */
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

export const cuesOf = ({ segments }: Transcription) =>
  segments.map(({ start, end, text, speaker }) => ({ start, end, text: text.trim(), speaker }));

/** From 0 to 1; null where the engine reports none. */
export const confidenceOf = ({ avg_logprob = 0 }: Segment): number | null =>
  avg_logprob === 0 ? null : Math.exp(avg_logprob);

/** The words that begin in a segment. */
export const wordsOf = (words: Word[], { start, end }: Segment, isLast: boolean): Word[] =>
  words.filter((word) => word.start >= start - 0.001 && (isLast || word.start < end));
