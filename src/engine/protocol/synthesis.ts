/**
 * The task and the result of a thread or process that synthesizes speech: plain data only.
 *
 * Samples are Float32 in [-1, 1], mono, at `TTS_SAMPLE_RATE`.
 */
import type { Delivery } from "./delivery.ts";
import type { VoiceStyle } from "./voice-encoding.ts";

/** One segment of text to synthesize. The engine resamples its own rate and trims the silence at both ends. */
export type SynthesisTask = {
  kind: "synthesis";
  /** Plain text, already normalized; at most a sentence or a long clause. */
  text: string;
  /** What stands before and behind a text that is a part of a sentence, with the spaces between. It is not spoken. */
  context?: TextContext;
  /** The family's own name of the voice, from the manifest. */
  speaker: string;
  /** Several speakers mixed, instead of one; weights add up to one. Only families that can are given some. */
  blend?: { speaker: string; weight: number }[];
  /** An encoded voice, instead of the speaker. */
  style?: VoiceStyle;
  /** BCP 47 tag of the text. */
  language: string;
  /** 0.25 to 4.0; 1 is the voice's natural pace. */
  speed: number;
  /** The client's delivery guidance, verbatim; "" when there is none. */
  instructions: string;
  /** By how much the samples are multiplied, so that all voices are equally loud; absent: 1. */
  gain?: number;
  /**
   * For a clip whose length is announced before it is synthesized: "measure" asks for the number of samples, a number
   * makes the segment exactly that long; absent: its natural length.
   */
  length?: "measure" | number;
  /** The text as phonemes, for engines that read nothing else. */
  phonemes?: string;
  /** How the signs in the text (`signs.ts`) are pronounced, by sign: IPA, and letters that say about the same. */
  pronounced?: Record<string, { text: string; ipa: string }>;
  /** Read between the steps of the work: non-zero means stop, by a failure or any result. */
  cancel?: Int32Array<SharedArrayBuffer>;
  /** For a thread that delivers speech while it synthesizes it. */
  delivery?: Delivery;
  /** Asks for the times of the words too. Engines that cannot tell them return samples alone. */
  words?: true;
};

/** Of a part of a sentence: its words are pronounced as in all of it. */
export type TextContext = { before: string; after: string };

/** A word of the task's text: its code units, and the samples of the result during which it is heard. */
export type SpokenWord = { from: number; to: number; start: number; end: number };

/** The words are in order, and none begins before the one before it ends. */
export type TimedSamples = { samples: Float32Array; words: SpokenWord[] };

/**
 * Samples; empty when the text has nothing to pronounce. Asked to measure, an engine that can returns their number; any
 * other returns the samples.
 */
export type SynthesisResult = Float32Array | TimedSamples | number;

/** Whether the result tells the times of its words. */
export const isTimed = (result: SynthesisResult): result is TimedSamples =>
  typeof result === "object" && "words" in result;

/** Throws where the result is a length, which only a task asks for that measures. */
export function samplesOf(result: SynthesisResult): Float32Array {
  if (typeof result === "number") throw new Error("the engine returned a length instead of samples");
  return result instanceof Float32Array ? result : result.samples;
}
