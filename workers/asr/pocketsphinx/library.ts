/** The C interface of PocketSphinx and of its base library, as `bun:ffi` calls it. */

import { dlopen, FFIType } from "bun:ffi";
import { existsSync } from "node:fs";
import { SPHINX_FILES } from "../../../src/engine/families/pocketsphinx-files.ts";

const { i32, f64, ptr: pointer } = FFIType;
const [basePath, recognizerPath] = SPHINX_FILES.libraries.find((paths) => paths.every(existsSync))!;

export const { symbols: base } = dlopen(basePath, {
  cmd_ln_parse_r: { args: [pointer, pointer, i32, pointer, i32], returns: pointer },
  cmd_ln_free_r: { args: [pointer], returns: i32 },
  err_set_logfp: { args: [pointer], returns: FFIType.void },
  fe_start_utt: { args: [pointer], returns: i32 },
  fe_process_frames: { args: [pointer, pointer, pointer, pointer, pointer, pointer], returns: i32 },
  fe_end_utt: { args: [pointer, pointer, pointer], returns: i32 },
  logmath_exp: { args: [pointer, i32], returns: f64 },
});

export const { symbols: sphinx } = dlopen(recognizerPath, {
  ps_args: { args: [], returns: pointer },
  ps_init: { args: [pointer], returns: pointer },
  ps_free: { args: [pointer], returns: i32 },
  ps_get_fe: { args: [pointer], returns: pointer },
  ps_start_stream: { args: [pointer], returns: i32 },
  ps_start_utt: { args: [pointer], returns: i32 },
  ps_process_cep: { args: [pointer, pointer, i32, i32, i32], returns: i32 },
  ps_end_utt: { args: [pointer], returns: i32 },
  ps_get_logmath: { args: [pointer], returns: pointer },
  ps_seg_iter: { args: [pointer], returns: pointer },
  ps_seg_next: { args: [pointer], returns: pointer },
  ps_seg_word: { args: [pointer], returns: pointer },
  ps_seg_frames: { args: [pointer, pointer, pointer], returns: FFIType.void },
  ps_seg_prob: { args: [pointer, pointer, pointer, pointer], returns: i32 },
});
