/**
 * What crosses the boundary between the server and an ear: live audio in, samples and speech probabilities out.
 *
 *   bytes ──decode──> samples ──resample──> 16 kHz ──windows──> how likely each is speech
 */

/** How a client sends live audio. PCM is signed 16-bit, little-endian, mono; G.711 is 8 kHz. */
export type LiveFormat =
  | { type: "audio/pcm"; rate: number }
  | { type: "audio/pcmu" }
  | { type: "audio/pcma" };

export const bytesPerSecond = (format: LiveFormat): number =>
  format.type === "audio/pcm" ? format.rate * 2 : 8000;

/** Everything an ear is told at a time, for all its streams at once. Ids are new for every stream. */
export type VadTask = {
  open: { id: number; format: LiveFormat }[];
  /** Without `detect` the windows go by unlooked at. */
  feed: { id: number; bytes: Uint8Array; detect: boolean }[];
  close: number[];
};

/**
 * What one stream's bytes came to. Windows are counted from the stream's first sample and hold `windowSamples` each;
 * their samples may have come with an earlier answer. A probability below zero: nobody looked.
 */
export type VadResult = {
  id: number;
  samples: Float32Array;
  probabilities: Float32Array;
  windowSamples: number;
  /** How long after a voice ends the detector still takes what it hears for it. */
  lateSamples: number;
};

/** The end of what somebody said so far, at 16 kHz: have they finished? The answer is how likely. */
export type TurnTask = { samples: Float32Array };
