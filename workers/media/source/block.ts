/** What a reader of a format gives: samples of every channel, in order, at the rate of the recording. */
export type Block = { channels: Float32Array[]; sampleRate: number };

const CHANNELS_MAX = 64;
const RATES = { least: 1000, most: 768_000 }; // as for WAV

export const isPossible = (channels: number, sampleRate: number): boolean =>
  channels >= 1 && channels <= CHANNELS_MAX && sampleRate >= RATES.least && sampleRate <= RATES.most;

/** The samples of a block from `start` to `end`, both counted in the block. */
export function cut({ channels, sampleRate }: Block, start: number, end: number): Block {
  return { channels: channels.map((samples) => samples.subarray(start, Math.max(start, end))), sampleRate };
}
