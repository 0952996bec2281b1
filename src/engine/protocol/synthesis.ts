/**
 * The task and the result of a thread or process that synthesizes speech: plain data only.
 *
 * Samples are Float32 in [-1, 1], mono, at `TTS_SAMPLE_RATE`.
 */

/** One segment of text to synthesize. The engine resamples its own rate and trims the silence at both ends. */
export type SynthesisTask = {
  /** Plain text, already normalized; at most a sentence or a long clause. */
  text: string;
  /** The family's own name of the voice, from the manifest. */
  speaker: string;
  /** BCP 47 tag of the text. */
  language: string;
  /** 0.25 to 4.0; 1 is the voice's natural pace. */
  speed: number;
  /** The client's delivery guidance, verbatim; "" when there is none. */
  instructions: string;
  /**
   * For a clip whose length is announced before it is synthesized: "measure" asks for the number of samples, a number
   * makes the segment exactly that long; absent: its natural length.
   */
  length?: "measure" | number;
  /** The text as phonemes, for engines that read nothing else. */
  phonemes?: string;
};

/**
 * Samples; empty when the text has nothing to pronounce. Asked to measure, an engine that can returns their number; any
 * other returns the samples.
 */
export type SynthesisResult = Float32Array | number;
