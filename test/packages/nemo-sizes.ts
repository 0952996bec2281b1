/** The sizes of the small NeMo models of the tests, and of the published ones. */

/** Values of an encoder frame, of a layer of the prediction network, and tokens with the blank. */
export type Sizes = {
  size: number;
  hidden: number;
  tokens: number;
  /** Weights of as many cells as an LSTM layer has. */
  deep?: true;
};

/** Of the prediction network. */
export const LAYERS = 2;

export const SMALL: Sizes = { size: 24, hidden: 12, tokens: 32 };

/** Those of the search of Parakeet TDT 0.6b v2. */
export const PARAKEET: Sizes = { size: 1024, hidden: 640, tokens: 1025, deep: true };

/** `positions`: what a frame comes to depends on its place alone, so that readers with other features hear the same. */
export type Model = { seed?: number; mels?: number; durations?: number; positions?: boolean; sizes?: Sizes };
