/**
 * The cepstra of an utterance, 13 in each frame of 10 ms, less their mean over all of it: the search can then read them in
 * pieces, and finds the words that it finds in the whole.
 *
 * Source: acmod_process_full_raw, feat_s2mfc2feat_live and cmn of CMU Sphinx, to the bit.
 */
import { type Pointer, ptr } from "bun:ffi";
import { base } from "./library.ts";

const CEPSTRA = 13;
const FRAME_SAMPLES = 160;
/** The search learns of a frame with the three after it; behind the last one there are copies of it. */
const COPIES = 3;

/** `frames`: the copies included. `from(frame)`: an array of rows, for `ps_process_cep`, which point to `values`. */
export type Cepstra = { frames: number; from(frame: number): Pointer; values: Float32Array };

/** `frontEnd`: of a decoder whose utterance has started. */
export function cepstraOf(frontEnd: Pointer, utterance: Int16Array): Cepstra {
  const most = Math.ceil(utterance.length / FRAME_SAMPLES) + 2;
  const values = new Float32Array((most + COPIES) * CEPSTRA);
  const rowBytes = CEPSTRA * values.BYTES_PER_ELEMENT;
  const first = BigInt(ptr(values));
  const rows = BigUint64Array.from({ length: most + COPIES }, (_, row) => first + BigInt(row * rowBytes));
  const samples = BigUint64Array.of(BigInt(ptr(utterance)));
  const left = BigUint64Array.of(BigInt(utterance.length));
  const [count, tail] = [Int32Array.of(most), new Int32Array(1)];
  base.fe_start_utt(frontEnd);
  base.fe_process_frames(frontEnd, ptr(samples), ptr(left), ptr(rows), ptr(count), null);
  base.fe_end_utt(frontEnd, ptr(values, count[0]! * rowBytes), ptr(tail));
  const frames = count[0]! + tail[0]!;
  subtractMean(values.subarray(0, frames * CEPSTRA));
  const last = values.slice((frames - 1) * CEPSTRA, frames * CEPSTRA);
  for (let copy = 0; copy < COPIES; copy++) values.set(last, (frames + copy) * CEPSTRA);
  return {
    frames: frames + COPIES,
    from: (frame) => ptr(rows, frame * rows.BYTES_PER_ELEMENT),
    values,
  };
}

/** Frames without energy count for nothing. */
function subtractMean(values: Float32Array): void {
  const mean = new Float32Array(CEPSTRA); // added up in single precision, as the library does
  let counted = 0;
  for (let at = 0; at < values.length; at += CEPSTRA) {
    if (values[at]! < 0) continue;
    counted++;
    for (let index = 0; index < CEPSTRA; index++) mean[index]! += values[at + index]!;
  }
  if (counted === 0) return;
  for (let index = 0; index < CEPSTRA; index++) mean[index]! /= counted;
  for (let at = 0; at < values.length; at++) values[at]! -= mean[at % CEPSTRA]!;
}
