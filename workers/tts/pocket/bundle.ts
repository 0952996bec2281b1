/**
 * What an export says of itself in `bundle.json`, schema 2: how texts are written, and every state of its graphs. Exports
 * before April 2026 have no such file; what is published of them stands here.
 */
import { readFileSync } from "node:fs";

/** A state by the name of the input that it is given to. */
export type StateEntry = { input_name: string; module: string; fill: string; shape: number[] };

export type Bundle = {
  sample_rate: number;
  samples_per_frame: number;
  latent_dim: number;
  conditioning_dim: number;
  max_token_per_chunk: number;
  pad_with_spaces_for_short_inputs: boolean;
  remove_semicolons: boolean;
  insert_bos_before_voice: boolean;
  model_recommended_frames_after_eos: number | null;
  flow_lm_state_manifest: StateEntry[];
  mimi_state_manifest: StateEntry[];
};

const JANUARY_2026: Bundle = {
  sample_rate: 24_000,
  samples_per_frame: 1920,
  latent_dim: 32,
  conditioning_dim: 1024,
  max_token_per_chunk: 50,
  pad_with_spaces_for_short_inputs: true,
  remove_semicolons: false,
  insert_bos_before_voice: false,
  model_recommended_frames_after_eos: null,
  flow_lm_state_manifest: [],
  mimi_state_manifest: [],
};

const SCHEMA = 2;

/** Null: the export has none. */
export function readBundle(path: string | undefined): Bundle {
  if (path === undefined) return JANUARY_2026;
  const bundle: Bundle & { schema_version: number } = JSON.parse(readFileSync(path, "utf8"));
  if (bundle.schema_version !== SCHEMA)
    throw new Error(
      `this is another model: the schema of its bundle is ${bundle.schema_version}, not ${SCHEMA}`,
    );
  return bundle;
}
