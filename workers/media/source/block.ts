/** What a reader of a format gives: samples of every channel, in order, at the rate of the recording. */
import type { Layout } from "../../../src/audio/reading/downmix.ts";

/** `layout` null: unknown. */
export type Block = { channels: Float32Array[]; sampleRate: number; layout: Layout | null };

const CHANNELS_MAX = 64;
const RATES = { least: 1000, most: 768_000 }; // as for WAV
const SILENCE_SECONDS = 1; // of one block

/** Shorter gaps are rounding; they add up until they are longer. */
export const GAP_SECONDS = 0.1;
/** No recording pauses for longer: its times are wrong. */
export const GAP_SECONDS_MAX = 86_400;

export const isPossible = (channels: number, sampleRate: number): boolean =>
  channels >= 1 && channels <= CHANNELS_MAX && sampleRate >= RATES.least && sampleRate <= RATES.most;

/** The samples of a block from `start` to `end`, both counted in the block. */
export function cut({ channels, ...rest }: Block, start: number, end: number): Block {
  return { ...rest, channels: channels.map((samples) => samples.subarray(start, Math.max(start, end))) };
}

/** In place of samples that are missing before a block like this. */
export function* silenceLike({ channels, ...rest }: Block, sampleCount: number): Generator<Block> {
  const most = Math.ceil(rest.sampleRate * SILENCE_SECONDS);
  for (let left = sampleCount; left > 0; left -= most)
    yield { ...rest, channels: channels.map(() => new Float32Array(Math.min(left, most))) };
}

/** Of the channels of Vorbis and Opus, by their number. */
export const XIPH_LAYOUTS: Record<number, Layout> = {
  3: [0, 2, 1],
  4: [0, 1, 4, 5],
  5: [0, 2, 1, 4, 5],
  6: [0, 2, 1, 4, 5, 3],
  7: [0, 2, 1, 9, 10, 8, 3],
  8: [0, 2, 1, 9, 10, 4, 5, 3],
};
