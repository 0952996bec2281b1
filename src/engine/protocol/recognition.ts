/** The tasks and the results of a thread that recognizes recordings: plain data only. */

/**
 * What an engine recognizes first: the final words of a live turn, then the first words of one, then its later ones, then
 * recordings, then those for which no caller waits.
 */
const PRECEDENCES = ["final", "first", "later", "recording", "background"] as const;
export type Precedence = (typeof PRECEDENCES)[number];

/** 0 is the first. Tasks from API nodes of an earlier version have none, and wait as recordings do. */
export const rankOf = ({ precedence }: Pick<RecognitionTask, "precedence">): number =>
  PRECEDENCES.indexOf(PRECEDENCES.includes(precedence) ? precedence : "recording");

/** Of a `MessagePort`, or what stands in for one on a node that sends the task to another. */
export type HypothesisPort = { postMessage(hypothesis: Hypothesis): void };

/** A recording to transcribe. `cancel[0]` is read at least between utterances: non-zero means stop and return. */
export type RecognitionTask = {
  kind: "recognition";
  /** Float32 samples at `ASR_SAMPLE_RATE`. */
  samples: Float32Array;
  /** Where there is speech, in samples; null: the engine finds it. */
  spans: { start: number; end: number }[] | null;
  /** Of a part of a recording: the loudest sample of all of it, for engines that amplify quiet recordings. */
  peak?: number;
  /** ISO 639-1 code the caller asked for, or null to detect it. */
  language: string | null;
  /** Where it is detected: one of these; absent: one of any. Not every engine can use it. */
  languages?: readonly string[];
  /** Translates to English; only engines that can are given such tasks. */
  translate?: boolean;
  /** Preceding text or expected words; "" where there is none. Not every engine can use it. */
  prompt: string;
  /** Words to prefer, as they are written; only engines that can are given some. */
  keywords?: readonly string[];
  /** An engine that cannot prefer them refuses the task. */
  mustPrefer?: boolean;
  /** Whether the times of single words matter; some engines have them only at a cost. Without, they are estimates. */
  wordTimes: boolean;
  precedence: Precedence;
  /** Int32 flag shared with the server. */
  cancel: Int32Array<SharedArrayBuffer>;
  /** Where `Hypothesis` messages go, in order, while the task runs. The task returns how many it posted. */
  port: HypothesisPort;
};

/** A long recording, before it is recognized in parts: the engine finds the speech in it. */
export type SpeechTask = { kind: "speech-search"; recording: Float32Array };

/**
 * Gives the samples back. `spans`: in samples, in order, none longer than what the engine recognizes at once; `peak`: see
 * `RecognitionTask`.
 */
export type Speech = { recording: Float32Array; spans: { start: number; end: number }[]; peak?: number };
/** What an engine reads that takes keywords as part of its prompt: they come last, because a long prompt is cut before. */
export const promptWithKeywords = ({
  prompt,
  keywords = [],
}: Pick<RecognitionTask, "prompt" | "keywords">): string =>
  [prompt, keywords.join(", ")].filter(Boolean).join(" ");

/**
 * A word with its place in the recording, in seconds, and the engine's confidence, 0 to 1. `glued`: no space stands
 * before it. `tokens`: of the model's vocabulary, where the API tells them.
 */
export type Word = {
  text: string;
  start: number;
  end: number;
  confidence: number;
  glued?: boolean;
  tokens?: number[];
};

/** How an engine that decodes windows of a recording came to the words of one, as verbose transcripts tell it. */
export type Decoding = {
  /** Where the window begins, in seconds. */
  start: number;
  temperature: number;
  /** The mean over all tokens. */
  logProbability: number;
  compressionRatio: number;
  noSpeech: number;
};

/** What the engine recognized in one utterance. Utterances are in order and never overlap; one may hold no word. */
export type Hypothesis = {
  start: number;
  end: number;
  words: Word[];
  /** ISO 639-1 code, where the engine detects the language. */
  language?: string;
  /** Probability that there is no speech, where the engine reports it. */
  noSpeech?: number;
  /** Each with the number of the words that it gave, which are the next ones. */
  decodings?: (Decoding & { words: number })[];
};
