/**
 * A decoder of PocketSphinx with its English model, through the C interface.
 *
 * It holds about 100 MiB that JavaScript does not know of: the end of its thread frees nothing, `free` does. Opening and
 * freeing use global state of the library, so one thread at a time may do it.
 */
import { CString, dlopen, FFIType, type Pointer, ptr } from "bun:ffi";
import { existsSync } from "node:fs";
import { ASR_SAMPLE_RATE } from "../../../src/audio/rates.ts";
import { SPHINX_FILES } from "../../../src/engine/families/pocketsphinx-files.ts";
import type { Word } from "../../../src/engine/protocol/recognition.ts";
import { returnFreeMemory } from "../../../src/natives/libc.ts";

/** `decode`: the words of one utterance, in seconds from its start. */
export type Decoder = { decode(utterance: Int16Array): Word[]; free(): void };

const FRAMES_PER_SECOND = 100;

const { i32, i64, f64, ptr: pointer } = FFIType;
const [basePath, recognizerPath] = SPHINX_FILES.libraries.find((paths) => paths.every(existsSync))!;
const { symbols: base } = dlopen(basePath, {
  cmd_ln_parse_r: { args: [pointer, pointer, i32, pointer, i32], returns: pointer },
  cmd_ln_free_r: { args: [pointer], returns: i32 },
  err_set_logfp: { args: [pointer], returns: FFIType.void },
  logmath_exp: { args: [pointer, i32], returns: f64 },
});
const { symbols: sphinx } = dlopen(recognizerPath, {
  ps_args: { args: [], returns: pointer },
  ps_init: { args: [pointer], returns: pointer },
  ps_free: { args: [pointer], returns: i32 },
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

export function openDecoder(): Decoder {
  base.err_set_logfp(null); // the log file is part of the global state
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
  const decoder = config && (sphinx.ps_init(config) as Pointer | null);
  if (!decoder) throw new Error("PocketSphinx could not load its English model");
  return {
    decode(utterance) {
      sphinx.ps_start_stream(decoder);
      sphinx.ps_start_utt(decoder);
      sphinx.ps_process_raw(decoder, ptr(utterance), utterance.length, 0, 1);
      sphinx.ps_end_utt(decoder);
      return readWords(decoder, utterance.length / ASR_SAMPLE_RATE);
    },
    free() {
      sphinx.ps_free(decoder);
      base.cmd_ln_free_r(config);
      returnFreeMemory(); // the C library would keep half of it for later
    },
  };
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
