/**
 * What crosses the boundary between the server and a worker thread or process: plain data only.
 *
 * All audio between our parts is Float32 in [-1, 1], mono: 24 kHz on its way out, 16 kHz on its way in.
 */

/** One segment of text to say. The engine resamples its own rate to `TTS_SAMPLE_RATE` and trims its edges. */
export type SynthesisTask = {
  /** Plain text, already normalised; at most a sentence or a long clause. */
  text: string;
  /** The family's own name of the voice, from the manifest. */
  speaker: string;
  /** BCP 47 tag of the text. */
  language: string;
  /** 0.25 to 4.0, 1 is the voice's natural pace. */
  speed: number;
  /** The client's delivery guidance, verbatim; "" when there is none. */
  instructions: string;
  /**
   * How long the segment is to be, for a clip whose length is told before it is said: "measure" asks, a number of
   * samples holds the engine to its answer; absent: as long as it gets.
   */
  length?: "measure" | number;
  /** The text as its engine's phonemes, for engines that read nothing else. */
  phonemes?: string;
};

/**
 * What an engine answers to a `SpeechTask`: Float32 samples at `TTS_SAMPLE_RATE`; empty when it had nothing to say. Asked to
 * measure, an engine that can answers how many they will be; one that cannot says it all.
 */
export type SynthesisResult = Float32Array | number;

/** A recording to transcribe. `cancel[0]` is read between utterances: non-zero means stop and return. */
export type RecognitionTask = {
  /** Float32 samples at `ASR_SAMPLE_RATE`. */
  samples: Float32Array;
  /** Where somebody speaks, in samples; null: the engine looks for it. */
  spans: { start: number; end: number }[] | null;
  /** ISO 639-1 code the caller asked for, or null to detect it. */
  language: string | null;
  /** What was said before, or words to expect; "" where there is none. Not every engine can use it. */
  prompt: string;
  /** Somebody is talking: it is heard before what can wait. */
  urgent: boolean;
  /** Int32 flag shared with the server. */
  cancel: Int32Array<SharedArrayBuffer>;
  /** Where `Hypothesis` messages go, in order, while the task runs. The task answers how many it posted. */
  port: MessagePort;
};

/** A word with its place in the recording, in seconds, and the engine's confidence, 0 to 1. */
/** `glued`: no space stands before it. */
export type Word = { text: string; start: number; end: number; confidence: number; glued?: boolean };

/** What the engine heard in one utterance. Utterances come in order and never overlap; one may hold no word. */
export type Hypothesis = {
  start: number;
  end: number;
  words: Word[];
  /** ISO 639-1 code of what was heard, where the engine finds out. */
  language?: string;
  /** How likely it is that nobody speaks there, where the engine says so. */
  noSpeech?: number;
};
