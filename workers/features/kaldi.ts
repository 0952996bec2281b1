/**
 * Kaldi's filterbank features, for zipformers: frames of 25 ms every 10 ms, each without its mean, pre-emphasised,
 * under Povey's window, and the natural log of HTK's mel from 20 Hz to 400 below the highest.
 *
 *   frame k is centred on 160k + 80: samples beyond both ends are mirrored, and no frame is left out for them
 */
import { ASR_SAMPLE_RATE } from "../../src/audio/rates.ts";
import { type Features, FrameReader, hann } from "./frames.ts";
import { kaldiFilters } from "./mel.ts";

const FFT = 512;
const WINDOW = 400;
const HOP = 160;
const EMPHASIS = 0.97;
const FLOOR = 1.1920928955078125e-7; // the smallest step of a float at one
const LOW_HERTZ = 20;
const BELOW_TOP_HERTZ = 400;

/** Samples in [-1, 1]. */
export function kaldiFeatures(samples: Float32Array, mels = 80): Features {
  const filters = kaldiFilters(
    { mels, fftSize: FFT, sampleRate: ASR_SAMPLE_RATE },
    LOW_HERTZ,
    ASR_SAMPLE_RATE / 2 - BELOW_TOP_HERTZ,
  );
  const povey = hann(WINDOW, "symmetric").map((value) => value ** 0.85);
  const window = new Float64Array(FFT);
  window.set(povey);
  const reader = new FrameReader(window, filters);
  const frames = Math.floor((samples.length + HOP / 2) / HOP);
  const rows = new Float32Array(frames * mels);
  for (let at = 0; at < frames; at++) {
    fill(reader.frame, samples, at * HOP + HOP / 2 - WINDOW / 2);
    reader.read();
    for (let mel = 0; mel < mels; mel++) rows[at * mels + mel] = Math.log(Math.max(reader.mels[mel]!, FLOOR));
  }
  return { frames, mels, rows };
}

function fill(frame: Float64Array, samples: Float32Array, from: number): void {
  let sum = 0;
  for (let at = 0; at < WINDOW; at++) {
    frame[at] = samples[mirrored(from + at, samples.length)]!;
    sum += frame[at]!;
  }
  const mean = sum / WINDOW;
  for (let at = WINDOW - 1; at > 0; at--) frame[at] = frame[at]! - mean - EMPHASIS * (frame[at - 1]! - mean);
  frame[0] = (frame[0]! - mean) * (1 - EMPHASIS);
  frame.fill(0, WINDOW);
}

/** The edge itself is repeated: -1 is 0, and the length is one less. */
function mirrored(place: number, length: number): number {
  if (place < 0) return mirrored(-place - 1, length);
  return place >= length ? mirrored(2 * length - 1 - place, length) : place;
}
