/**
 * NeMo's features, for Parakeet and Nemotron: pre-emphasis, frames of 25 ms in the middle of 512 samples every 10 ms,
 * natural log of Slaney's mel.
 *
 *   y[t] = x[t] - 0.97 x[t-1]     frame k reads 160k - 256 … 160k + 255, silence beyond both ends
 *
 * Whole recordings are normalized per mel by their own mean and deviation; streams are not, and their frames do not
 * depend on how the samples are divided. Source: NeMo's FilterbankFeatures.
 */
import { join } from "../../src/audio/pcm.ts";
import { ASR_SAMPLE_RATE } from "../../src/audio/rates.ts";
import { centred, type Features, FrameReader, hann } from "./frames.ts";
import { type Filterbank, slaneyFilters } from "./mel.ts";

const FFT = 512;
const WINDOW = 400;
/** Samples from frame to frame. */
export const HOP = 160;
const EMPHASIS = 0.97;
const GUARD = 2 ** -24;
/** A mel of silence, which is not zero. */
export const SILENCE = Math.log(GUARD);
const DEVIATION_GUARD = 1e-5;

const WINDOWED = centred(hann(WINDOW, "symmetric"), FFT);
const filtersOf = new Map<number, Filterbank>(); // computed once a size

function openReader(mels: number): FrameReader {
  const filters = filtersOf.get(mels) ?? slaneyFilters({ mels, fftSize: FFT, sampleRate: ASR_SAMPLE_RATE });
  filtersOf.set(mels, filters);
  return new FrameReader(WINDOWED, filters);
}

/** All frames of a recording: one for every 160 whole samples. */
export function nemoFeatures(samples: Float32Array, mels: number, normalize: boolean): Features {
  const stream = new NemoStream(mels);
  const frames = Math.floor(samples.length / HOP);
  const rows = join(stream.push(samples), stream.finish()).slice(0, frames * mels);
  const features = { frames, mels, rows };
  if (normalize) normalizeEach(features);
  return features;
}

export class NemoStream {
  readonly #mels: number;
  readonly #reader: FrameReader;
  /** Emphasized samples that later frames need, and the position of the first of them. */
  #held = new Float32Array(FFT / 2) as Float32Array;
  #heldFrom = -FFT / 2;
  #last = 0;
  #made = 0;

  constructor(mels: number) {
    this.#mels = mels;
    this.#reader = openReader(mels);
  }

  /** Rows of the frames that are complete. */
  push(samples: Float32Array): Float32Array {
    const emphasized = new Float32Array(samples.length);
    let last = this.#last;
    for (let index = 0; index < samples.length; index++) {
      const sample = samples[index]!;
      emphasized[index] = sample - EMPHASIS * last;
      last = sample;
    }
    this.#last = last;
    return this.#make(emphasized);
  }

  /** Rows of the frames that reach beyond the end. */
  finish(): Float32Array {
    return this.#make(new Float32Array(FFT / 2));
  }

  #make(more: Float32Array): Float32Array {
    this.#held = join(this.#held, more);
    const end = this.#heldFrom + this.#held.length;
    const count = Math.max(0, Math.floor((end - FFT / 2) / HOP) + 1 - this.#made);
    const size = this.#mels;
    const rows = new Float32Array(count * size);
    const { frame, mels } = this.#reader;
    for (let index = 0; index < count; index++) {
      const from = (this.#made + index) * HOP - FFT / 2 - this.#heldFrom;
      frame.set(this.#held.subarray(from, from + FFT));
      this.#reader.read();
      for (let mel = 0; mel < size; mel++) rows[index * size + mel] = Math.log(mels[mel]! + GUARD);
    }
    this.#made += count;
    this.#drop();
    return rows;
  }

  #drop(): void {
    const unused = this.#made * HOP - FFT / 2 - this.#heldFrom;
    if (unused <= 0) return;
    this.#held = this.#held.slice(unused);
    this.#heldFrom += unused;
  }
}

/** Normalizes each mel to mean zero and deviation one. */
function normalizeEach({ frames, mels, rows }: Features): void {
  const means = new Float64Array(mels);
  const squares = new Float64Array(mels);
  for (let index = 0, mel = 0; index < rows.length; index++, mel = mel + 1 === mels ? 0 : mel + 1)
    means[mel]! += rows[index]!;
  for (let mel = 0; mel < mels; mel++) means[mel]! /= frames;
  for (let index = 0, mel = 0; index < rows.length; index++, mel = mel + 1 === mels ? 0 : mel + 1)
    squares[mel]! += (rows[index]! - means[mel]!) ** 2;
  const scales = squares.map((sum) => 1 / (Math.sqrt(sum / (frames - 1)) + DEVIATION_GUARD));
  for (let index = 0, mel = 0; index < rows.length; index++, mel = mel + 1 === mels ? 0 : mel + 1)
    rows[index] = (rows[index]! - means[mel]!) * scales[mel]!;
}
