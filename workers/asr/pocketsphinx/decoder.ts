/**
 * A decoder of PocketSphinx with its English model, through the C interface.
 *
 * It holds about 100 MiB that JavaScript does not know of: the end of its thread frees nothing, `free` does. Opening and
 * freeing use global state of the library, so one thread at a time may do it.
 */

import { CString, type Pointer, ptr } from "bun:ffi";
import { readFileSync } from "node:fs";
import { ASR_SAMPLE_RATE } from "../../../src/audio/rates.ts";
import { SPHINX_FILES } from "../../../src/engine/families/pocketsphinx-files.ts";
import type { Word } from "../../../src/engine/protocol/recognition.ts";
import { returnFreeMemory } from "../../../src/natives/libc.ts";
import { base, sphinx } from "./library.ts";

/**
 * `decode`: the words of one utterance, in seconds from its start; null: it is no longer needed. `isCancelled` is asked before
 * each 40 ms of the utterance, and before the words are read.
 */
export type Decoder = {
  decode(utterance: Int16Array, isCancelled: () => boolean): Word[] | null;
  free(): void;
};

const FRAMES_PER_SECOND = 100;
const FRAMES_AT_ONCE = 4; // about 12 ms of work: what is no longer needed ends soon, and what is in the background gives way
/**
 * What sounds like any word keeps most of the dictionary's states in the beam. With at most so many a frame, it takes four
 * times as long as speech, not twelve; the word errors of speech stay as many. Fewer than 5,000 make more.
 */
const STATES_MAX = 5000;

export function openDecoder(): Decoder {
  base.err_set_logfp(null); // the log file is part of the global state
  const { acousticModel, languageModel, dictionary } = SPHINX_FILES;
  const options = {
    "-hmm": acousticModel,
    "-lm": languageModel,
    "-dict": dictionary,
    ...modelParameters(acousticModel),
    "-featparams": "/dev/null", // a file goes before what is said here
    "-cmn": "none", // the cepstra come without their mean
    "-maxhmmpf": String(STATES_MAX),
    "-remove_silence": "no", // removing frames would shift all later times
  };
  const texts = ["loquat", ...Object.entries(options).flat()].map((text) => Buffer.from(`${text}\0`));
  const argv = BigUint64Array.from(texts, (text) => BigInt(ptr(text)));
  const config = base.cmd_ln_parse_r(null, sphinx.ps_args(), texts.length, ptr(argv), 0); // the model has parameters of other programs
  const decoder = config && (sphinx.ps_init(config) as Pointer | null);
  if (!decoder) throw new Error("PocketSphinx could not load its English model");
  const frontEnd = sphinx.ps_get_fe(decoder) as Pointer;
  return {
    decode(utterance, isCancelled) {
      sphinx.ps_start_stream(decoder);
      sphinx.ps_start_utt(decoder);
      const cepstra = cepstraOf(frontEnd, utterance);
      const isComplete = search(decoder, cepstra, isCancelled);
      sphinx.ps_end_utt(decoder);
      return isComplete && !isCancelled() ? readWords(decoder, utterance.length / ASR_SAMPLE_RATE) : null;
    },
    free() {
      sphinx.ps_free(decoder);
      base.cmd_ln_free_r(config);
      returnFreeMemory(); // the C library would keep half of it for later
    },
  };
}

/** Returns whether it came to the end. */
function search(decoder: Pointer, cepstra: Cepstra, isCancelled: () => boolean): boolean {
  const { frames, from } = cepstra;
  for (let frame = 0; frame < frames; frame += FRAMES_AT_ONCE) {
    if (isCancelled()) return false;
    sphinx.ps_process_cep(decoder, from(frame), Math.min(FRAMES_AT_ONCE, frames - frame), 0, 0);
  }
  return true;
}

/** How the acoustic model's features are made. */
function modelParameters(acousticModel: string): Record<string, string> {
  const words = readFileSync(`${acousticModel}/feat.params`, "utf8").trim().split(/\s+/);
  return Object.fromEntries(words.flatMap((word, at) => (at % 2 === 0 ? [[word, words[at + 1]!]] : [])));
}

/** The words of the best path, without fillers and marks of pronunciation variants. */
function readWords(decoder: Pointer, durationSeconds: number): Word[] {
  const logmath = sphinx.ps_get_logmath(decoder);
  const [from, to, unused] = [new Int32Array(1), new Int32Array(1), new Int32Array(1)];
  const words: Word[] = [];
  for (let segment = sphinx.ps_seg_iter(decoder); segment; segment = sphinx.ps_seg_next(segment)) {
    const text = String(new CString(sphinx.ps_seg_word(segment)!)).replace(/\(\d+\)$/, "");
    if (/^[<[+]/.test(text)) continue;
    sphinx.ps_seg_frames(segment, ptr(from), ptr(to));
    const posterior = sphinx.ps_seg_prob(segment, ptr(unused), ptr(unused), ptr(unused));
    words.push({
      text,
      start: from[0]! / FRAMES_PER_SECOND,
      end: Math.min((to[0]! + 1) / FRAMES_PER_SECOND, durationSeconds),
      confidence: Math.min(1, base.logmath_exp(logmath, posterior)),
    });
  }
  return words;
}

const CEPSTRA = 13;
const FRAME_SAMPLES = 160;
/** The search learns of a frame with the three after it; behind the last one there are copies of it. */
const COPIES = 3;

/**
 * The cepstra of an utterance, 13 in each frame of 10 ms, less their mean over all of it: the search can then read them in
 * pieces, and finds the words that it finds in the whole.
 *
 * Source: acmod_process_full_raw, feat_s2mfc2feat_live and cmn of CMU Sphinx, to the bit.
 *
 * `frames`: the copies included. `from(frame)`: an array of rows, for `ps_process_cep`, which point to `values`.
 */
type Cepstra = { frames: number; from(frame: number): Pointer; values: Float32Array };

/** `frontEnd`: of a decoder whose utterance has started. */
function cepstraOf(frontEnd: Pointer, utterance: Int16Array): Cepstra {
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
