/**
 * Whisper's features: log mel of 25 ms every 10 ms, over a window that is always as long as the model's.
 *
 *   samples, cut or padded ──reflected at both ends──> frames of 400 ──> log10, at most 8 below the loudest, (x + 4) / 4
 *
 * Source: the published preprocessing of openai/whisper; smart-turn reads eight seconds of the same.
 */
import { ASR_SAMPLE_RATE } from "../../src/audio/rates.ts";
import { type Features, FrameReader, hann } from "./frames.ts";
import { slaneyFilters } from "./mel.ts";

const SIZE = 400;
const HOP = 160;
const FLOOR = 1e-10;
const RANGE = 8; // decades below the loudest value; anything lower counts as silence

export type WhisperFeatures = (samples: Float32Array) => Features;

/** `seconds` is the model's window: 30 for Whisper, 8 for smart-turn. Longer samples are cut at their end. */
export function openWhisperFeatures(mels: 80 | 128, seconds = 30): WhisperFeatures {
  const filters = slaneyFilters({ mels, fftSize: SIZE, sampleRate: ASR_SAMPLE_RATE });
  const reader = new FrameReader(hann(SIZE, "periodic"), filters);
  const length = seconds * ASR_SAMPLE_RATE;
  const frames = length / HOP;
  return (samples) => {
    const levels = new Float64Array(frames * mels); // rounded once, at the end: a quantized model tells the difference
    let loudest = Math.log10(FLOOR);
    for (let index = 0; index < frames; index++) {
      fill(reader.frame, samples, { from: index * HOP - SIZE / 2, length });
      reader.read();
      for (let mel = 0; mel < mels; mel++) {
        const value = Math.log10(Math.max(reader.mels[mel]!, FLOOR));
        loudest = Math.max(loudest, value);
        levels[index * mels + mel] = value;
      }
    }
    const rows = new Float32Array(levels.length);
    for (let i = 0; i < rows.length; i++) rows[i] = (Math.max(levels[i]!, loudest - RANGE) + 4) / 4;
    return { frames, mels, rows };
  };
}

/** A frame of the padded window; before its start and after its end it is mirrored. */
function fill(
  frame: Float64Array,
  samples: Float32Array,
  { from, length }: { from: number; length: number },
): void {
  for (let index = 0; index < frame.length; index++) {
    const place = from + index;
    const mirrored = place < 0 ? -place : place >= length ? 2 * (length - 1) - place : place;
    frame[index] = samples[mirrored] ?? 0;
  }
}
