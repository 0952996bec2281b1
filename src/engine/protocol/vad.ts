/**
 * The task and the result of a thread that detects voice activity: live audio in, samples and speech probabilities out.
 *
 *   bytes ──decode──> samples ──resample──> 16 kHz ──windows──> speech probability
 */
import type { LiveFormat } from "./live-format.ts";

/**
 * Of a silent stream nothing is returned until the probability of a window reaches `threshold`; then its audio from
 * `paddingSamples` before that window on.
 */
export type Silence = { threshold: number; paddingSamples: number };

/** Everything that happened to the streams since the last task. Ids are new for every stream. */
export type VadTask = {
  kind: "voice-activity";
  open: { id: number; format: LiveFormat }[];
  /** Without `detect` the windows are only converted. */
  feed: { id: number; bytes: Uint8Array; detect: boolean; silence?: Silence }[];
  close: number[];
};

/**
 * Samples and probabilities of one stream's bytes. Windows are counted from the stream's first sample and hold
 * `windowSamples` each; their samples may have been in an earlier result. A probability below zero: not detected.
 */
export type VadResult = {
  id: number;
  samples: Float32Array;
  probabilities: Float32Array;
  /** Where the task said `silence`: the windows before those of `probabilities`, and all samples of the bytes. */
  silent?: { windows: number; received: number };
  windowSamples: number;
  /** How long the detector still reports speech after it has ended. */
  lateSamples: number;
};
