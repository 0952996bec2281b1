/** An encoder of one clip: samples in, bytes of a format out. */

/** Any split of the same samples into calls gives the same bytes. */

export type Encoder = {
  /** Float32 in [-1, 1], mono. */
  encode(samples: Float32Array): Uint8Array;
  /** `head` replaces the first bytes of a body that is still at hand: it knows the true length. */
  finish(): { tail: Uint8Array; head: Uint8Array | null };
};

/**
 * `sampleCount` is the clip's exact length where it is known before the first byte. `bitrate`: bits a second; absent: the
 * encoder's own.
 */
export type EncoderOptions = {
  sampleRate: number;
  sampleCount: number | null;
  bitrate?: number | undefined;
};
