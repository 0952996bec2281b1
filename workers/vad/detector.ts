/** A voice activity detector: a speech probability for each window of `windowSamples` at 16 kHz. */

/** `S` is the state of one stream. */
export type Detector<S> = {
  readonly windowSamples: number;
  /** How long speech is still reported after it has ended. */
  readonly lateSamples: number;
  open(): S;
  close(state: S): void;
  detect(states: S[], windows: Float32Array[]): Promise<Float32Array>;
};
