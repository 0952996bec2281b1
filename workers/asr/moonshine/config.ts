/** What `streaming_config.json` of a Moonshine model says of its graphs, under its published names. */
import Type from "typebox";
import type { OptionsOf } from "../../../src/engine/families/families.ts";
import { readJsonFile } from "../../../src/engine/families/json-file.ts";
import { checker } from "../../../src/schema.ts";

const size = (maximum: number) => Type.Integer({ minimum: 0, maximum });

const schema = checker(
  Type.Object({
    encoder_dim: size(16_384),
    decoder_dim: size(16_384),
    depth: size(256), // layers, of the encoder and of the decoder
    nheads: size(1024),
    head_dim: size(1024),
    vocab_size: size(1_000_000),
    bos_id: size(1_000_000),
    eos_id: size(1_000_000),
    total_lookahead: size(1000), // frames that the encoder reads ahead of the one it gives
    d_model_frontend: size(16_384),
    c1: size(16_384),
    max_seq_len: Type.Optional(size(65_536)), // tokens of a text
  }),
);

/** `tokensPerSecond` and `attends`, whether the decoder tells where it looks, are options of the package. */
export type MoonshineConfig = Type.Static<typeof schema.schema> & {
  tokensPerSecond: number;
  attends: boolean;
};

const TOKENS_PER_SECOND = 6.5; // as the published loop allows where nothing is set

export function readMoonshineConfig(path: string, options: OptionsOf<"moonshine"> = {}): MoonshineConfig {
  return {
    ...readJsonFile(path, schema),
    tokensPerSecond: options.tokens_per_second ?? TOKENS_PER_SECOND,
    attends: options.estimated_times !== true,
  };
}
