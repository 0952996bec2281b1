/**
 * Recognizes a recording of any length, a piece of some minutes at a time, so that memory does not grow with it.
 *
 *   samples ──> │ piece 1        │ piece 2      │ …      cut in the longest pause of a piece's second half
 *                        └──> recognize ──> hypotheses, moved to their place in the recording
 */
import { findUtterancesInSteps, firstPiece } from "../../audio/energy-vad.ts";
import { ASR_SAMPLE_RATE } from "../../audio/rates.ts";
import type { Hypothesis } from "../../engine/protocol/recognition.ts";
import type { Engine } from "../../engine/registry.ts";
import { type Recognition, recognize } from "../recognize.ts";
import { moved } from "./parts.ts";

export const PIECE_SAMPLES = 300 * ASR_SAMPLE_RATE;

/** `progress` is called with the seconds that are recognized. */
type LongRecognition = Omit<Recognition, "samples" | "spans"> & { progress: (seconds: number) => void };

/** Returns the duration in seconds. */
export async function* recognizeLong(
  engine: Engine,
  samples: AsyncIterable<Float32Array>,
  { progress, ...options }: LongRecognition,
): AsyncGenerator<Hypothesis, number> {
  let doneSamples = 0;
  for await (const piece of piecesOf(samples)) {
    const offset = doneSamples / ASR_SAMPLE_RATE;
    doneSamples += piece.length;
    for await (const hypothesis of recognize(engine, { ...options, samples: piece, spans: null })) {
      progress(offset + hypothesis.end);
      yield moved(hypothesis, offset);
    }
    progress(doneSamples / ASR_SAMPLE_RATE);
  }
  return doneSamples / ASR_SAMPLE_RATE;
}

/** Each in its own buffer. A recording that fits into one piece is not cut. */
export async function* piecesOf(
  samples: AsyncIterable<Float32Array>,
  pieceSamples = PIECE_SAMPLES,
): AsyncGenerator<Float32Array> {
  const held = new Float32Array(pieceSamples);
  let count = 0;
  for await (let chunk of samples) {
    while (chunk.length > 0) {
      if (count === pieceSamples) {
        const cut = await cutOf(held);
        yield held.slice(0, cut);
        held.copyWithin(0, cut);
        count -= cut;
      }
      const taken = chunk.subarray(0, pieceSamples - count);
      held.set(taken, count);
      count += taken.length;
      chunk = chunk.subarray(taken.length);
    }
  }
  if (count > 0) yield count === pieceSamples ? held : held.slice(0, count);
}

/** The middle of the longest pause in the second half; without one, its quietest place. */
async function cutOf(samples: Float32Array): Promise<number> {
  const speech = await findUtterancesInSteps(samples, ASR_SAMPLE_RATE, Number.POSITIVE_INFINITY);
  const ends = [0, ...speech.map(({ end }) => end)];
  const starts = [...speech.map(({ start }) => start), samples.length];
  let best = { cut: 0, length: 0 };
  for (const [index, end] of ends.entries()) {
    const from = Math.max(end, samples.length >> 1);
    const length = starts[index]! - from;
    if (length > best.length) best = { cut: from + (length >> 1), length };
  }
  return best.length > 0 ? best.cut : Math.max(1, firstPiece(samples, ASR_SAMPLE_RATE));
}
