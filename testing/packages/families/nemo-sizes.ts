/** The sizes of the small NeMo models of the tests, and of the published ones. */
import type { Sizes as PublishedSizes } from "../published.ts";

/** By their names in `models/signatures`: values of an encoder frame and of the prediction network, tokens with blank. */
export type Sizes = PublishedSizes & { width: number; hidden: number; tokens: number };

/** Layers of the prediction network. */
export const LAYERS = 2;

export const SMALL: Sizes = { width: 24, hidden: 12, tokens: 32 };

/** Those of the search of Parakeet TDT 0.6b v2. */
export const PARAKEET: Sizes = { width: 1024, hidden: 640, tokens: 1025 };

/**
 * `positions`: what a frame comes to depends on its place alone, so that readers with other features hear the same.
 * `deep`: weights of as many cells as an LSTM layer has. `rank`: weights are products of thin matrices, so that a graph of
 * published sizes is a small file.
 */
export type Model = {
  seed?: number;
  mels?: number;
  durations?: number;
  positions?: boolean;
  sizes?: Sizes;
  deep?: boolean;
  rank?: number;
};
