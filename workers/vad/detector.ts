/** A voice activity detector: one speech probability for each window of a stream. */

/** Looks at windows of `windowSamples` at 16 kHz, each with what its stream remembers. Answers one probability each. */

export type Detector<S> = {
  readonly windowSamples: number;
  /** How long after a voice ends it is still taken for one. */
  readonly lateSamples: number;
  open(): S;
  close(state: S): void;
  detect(states: S[], windows: Float32Array[]): Promise<Float32Array>;
};
