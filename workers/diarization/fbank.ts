/**
 * Kaldi's filterbank features, which speaker embeddings read: 25 ms every 10 ms, without dither.
 *
 *   400 samples, less their mean ──x[t] - 0.97 x[t-1]──> Povey's window ──512──> power ──80 mels──> natural logarithm
 *
 * Frames are centred (`snip_edges` off), and samples beyond either end are mirrored. Source: kaldi-native-fbank.
 */
import { ASR_SAMPLE_RATE } from "../../src/audio/rates.ts";
import { centred, type Features, FrameReader, hann } from "../features/frames.ts";
import { kaldiFilters } from "../features/mel.ts";

const FRAME = 400;
const HOP = 160;
const FFT = 512;
const EMPHASIS = 0.97;
const FLOOR = 2 ** -23; // the precision of a float
export const FBANK_MELS = 80;
const [LOW_HERTZ, HIGH_HERTZ] = [20, 7600];

export type Fbank = (samples: Float32Array) => Features;

/** `scale`: what samples are multiplied by. */
export function openFbank(scale: number): Fbank {
  const filters = kaldiFilters(
    { mels: FBANK_MELS, fftSize: FFT, sampleRate: ASR_SAMPLE_RATE },
    { low: LOW_HERTZ, high: HIGH_HERTZ },
  );
  const povey = hann(FRAME, "symmetric").map((value) => value ** 0.85);
  const reader = new FrameReader(centred(povey, FFT), filters);
  return (samples) => {
    const frames = Math.floor((samples.length + HOP / 2) / HOP);
    const rows = new Float32Array(frames * FBANK_MELS);
    for (let index = 0; index < frames; index++) {
      fill(reader.frame, samples, { from: index * HOP + HOP / 2 - FRAME / 2, scale });
      reader.read();
      for (let mel = 0; mel < FBANK_MELS; mel++)
        rows[index * FBANK_MELS + mel] = Math.log(Math.max(reader.mels[mel]!, FLOOR));
    }
    return { frames, mels: FBANK_MELS, rows };
  };
}

const OFFSET = (FFT - FRAME) / 2;

/** A frame in the middle of the transform, without its mean and emphasized. */
function fill(
  frame: Float64Array,
  samples: Float32Array,
  { from, scale }: { from: number; scale: number },
): void {
  frame.fill(0);
  let sum = 0;
  for (let index = 0; index < FRAME; index++) {
    const sample = samples[mirrored(from + index, samples.length)]! * scale;
    frame[OFFSET + index] = sample;
    sum += sample;
  }
  const mean = sum / FRAME;
  for (let index = FRAME - 1; index >= 0; index--) {
    const before = frame[OFFSET + Math.max(0, index - 1)]!;
    frame[OFFSET + index] = frame[OFFSET + index]! - mean - EMPHASIS * (before - mean);
  }
}

function mirrored(place: number, length: number): number {
  let at = place;
  while (at < 0 || at >= length) at = at < 0 ? -at - 1 : 2 * length - 1 - at;
  return at;
}
