/**
 * What an export says of itself in `bundle.json`, schema 2: how texts are written, and every state of its graphs. Exports
 * before April 2026 have no such file; what is published of them stands here.
 */
import Type, { type Static } from "typebox";
import { readJsonFile } from "../../../src/engine/families/json-file.ts";
import { checker } from "../../../src/schema.ts";

const Count = (maximum: number) => Type.Integer({ minimum: 1, maximum });

/** A state by the name of the input that it is given to. */
const StateEntry = Type.Object({
  input_name: Type.String(),
  module: Type.String(),
  fill: Type.String(),
  shape: Type.Array(Type.Integer({ minimum: 0, maximum: 1_000_000 }), { maxItems: 8 }),
});
const States = Type.Array(StateEntry, { maxItems: 10_000 });

const schema = checker(
  Type.Object({
    schema_version: Type.Integer(),
    sample_rate: Type.Integer({ minimum: 4000, maximum: 192_000 }),
    samples_per_frame: Count(65_536),
    latent_dim: Count(16_384),
    conditioning_dim: Count(16_384),
    max_token_per_chunk: Count(10_000),
    pad_with_spaces_for_short_inputs: Type.Boolean(),
    remove_semicolons: Type.Boolean(),
    insert_bos_before_voice: Type.Boolean(),
    model_recommended_frames_after_eos: Type.Union([
      Type.Integer({ minimum: 0, maximum: 1000 }),
      Type.Null(),
    ]),
    flow_lm_state_manifest: States,
    mimi_state_manifest: States,
  }),
);

export type StateEntry = Static<typeof StateEntry>;
export type Bundle = Omit<Static<typeof schema.schema>, "schema_version">;

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
  const bundle = readJsonFile(path, schema);
  if (bundle.schema_version !== SCHEMA)
    throw new Error(
      `this is another model: the schema of its bundle is ${bundle.schema_version}, not ${SCHEMA}`,
    );
  return bundle;
}
