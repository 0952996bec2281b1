/**
 * The engine of the family `sphinx`: PocketSphinx through its C interface, English, one decoder per thread.
 *
 *   samples ──utterances──> decoder ──> a hypothesis each ──> port
 *
 * An utterance is decoded whole: decoding in pieces carries the cepstral mean over from the utterance before, which mixes
 * callers and makes a quarter more errors. The cancel flag is read between utterances, which are at most twelve seconds
 * of speech and take two to four to decode.
 */
import { CString, dlopen, FFIType, type Pointer, ptr } from "bun:ffi";
import { existsSync } from "node:fs";
import { workerData } from "piscina";
import { findUtterances, type Span } from "../../../src/audio/energy-vad.ts";
import { toInt16 } from "../../../src/audio/pcm.ts";
import { ASR_SAMPLE_RATE } from "../../../src/audio/rates.ts";
import { SPHINX_FILES } from "../../../src/engine/families/pocketsphinx-files.ts";
import { withMutex } from "../../../src/engine/mutex.ts";
import type { Hypothesis, RecognitionTask, Word } from "../../../src/engine/protocol/recognition.ts";

const FRAMES_PER_SECOND = 100;
const PEAK = 0.5; // quiet recordings are amplified to it: the acoustic model was trained on full-range speech

const { i32, i64, f64, ptr: pointer } = FFIType;
const [basePath, recognizerPath] = SPHINX_FILES.libraries.find((paths) => paths.every(existsSync))!;
const { symbols: base } = dlopen(basePath, {
  cmd_ln_parse_r: { args: [pointer, pointer, i32, pointer, i32], returns: pointer },
  err_set_logfp: { args: [pointer], returns: FFIType.void },
  logmath_exp: { args: [pointer, i32], returns: f64 },
});
const { symbols: sphinx } = dlopen(recognizerPath, {
  ps_args: { args: [], returns: pointer },
  ps_init: { args: [pointer], returns: pointer },
  ps_start_stream: { args: [pointer], returns: i32 },
  ps_start_utt: { args: [pointer], returns: i32 },
  ps_process_raw: { args: [pointer, pointer, i64, i32, i32], returns: i32 },
  ps_end_utt: { args: [pointer], returns: i32 },
  ps_get_logmath: { args: [pointer], returns: pointer },
  ps_seg_iter: { args: [pointer], returns: pointer },
  ps_seg_next: { args: [pointer], returns: pointer },
  ps_seg_word: { args: [pointer], returns: pointer },
  ps_seg_frames: { args: [pointer, pointer, pointer], returns: FFIType.void },
  ps_seg_prob: { args: [pointer, pointer, pointer, pointer], returns: i32 },
});

const decoder = withMutex(workerData.mutex, openDecoder);
const logmath = sphinx.ps_get_logmath(decoder);

/** Returns how many hypotheses it posted. */
export default function recognize({ samples, spans, cancel, port }: RecognitionTask): number {
  let posted = 0;
  const pcm = toInt16(normalizePeak(samples));
  for (const span of spans ?? findUtterances(samples, ASR_SAMPLE_RATE)) {
    if (Atomics.load(cancel, 0) !== 0) break;
    const [start, end] = [span.start / ASR_SAMPLE_RATE, span.end / ASR_SAMPLE_RATE];
    port.postMessage({ start, end, words: decode(pcm, span) } satisfies Hypothesis);
    posted++;
  }
  return posted;
}

function decode(samples: Int16Array, { start, end }: Span): Word[] {
  const whole = samples.slice(start, end);
  sphinx.ps_start_stream(decoder);
  sphinx.ps_start_utt(decoder);
  sphinx.ps_process_raw(decoder, ptr(whole), whole.length, 0, 1);
  sphinx.ps_end_utt(decoder);
  return readWords(start, end);
}

/** The words of the best path, without fillers and marks of pronunciation variants. */
function readWords(startSample: number, endSample: number): Word[] {
  const [from, to, unused] = [new Int32Array(1), new Int32Array(1), new Int32Array(1)];
  const offset = startSample / ASR_SAMPLE_RATE;
  const words: Word[] = [];
  for (let segment = sphinx.ps_seg_iter(decoder); segment; segment = sphinx.ps_seg_next(segment)) {
    const text = String(new CString(sphinx.ps_seg_word(segment)!)).replace(/\(\d+\)$/, "");
    if (/^[<[+]/.test(text)) continue;
    sphinx.ps_seg_frames(segment, ptr(from), ptr(to));
    const posterior = sphinx.ps_seg_prob(segment, ptr(unused), ptr(unused), ptr(unused));
    words.push({
      text,
      start: offset + from[0]! / FRAMES_PER_SECOND,
      end: Math.min(offset + (to[0]! + 1) / FRAMES_PER_SECOND, endSample / ASR_SAMPLE_RATE),
      confidence: Math.min(1, base.logmath_exp(logmath, posterior)),
    });
  }
  return words;
}

/** One thread at a time: loading uses global state of the library. */
function openDecoder(): Pointer {
  base.err_set_logfp(null); // the log file is part of that global state
  const { acousticModel, languageModel, dictionary } = SPHINX_FILES;
  const options = {
    "-hmm": acousticModel,
    "-lm": languageModel,
    "-dict": dictionary,
    "-cmn": "batch",
    "-remove_silence": "no", // removing frames would shift all later times
  };
  const texts = ["loquat", ...Object.entries(options).flat()].map((text) => Buffer.from(`${text}\0`));
  const argv = BigUint64Array.from(texts, (text) => BigInt(ptr(text)));
  const config = base.cmd_ln_parse_r(null, sphinx.ps_args(), texts.length, ptr(argv), 1);
  const opened = config && sphinx.ps_init(config);
  if (!opened) throw new Error("PocketSphinx could not load its English model");
  return opened as Pointer;
}

function normalizePeak(samples: Float32Array): Float32Array {
  let peak = 0;
  for (const sample of samples) peak = Math.max(peak, Math.abs(sample) || 0);
  return peak === 0 || peak >= PEAK ? samples : samples.map((sample) => (sample * PEAK) / peak);
}
