/** What `streaming_config.json` of a Moonshine model says of its graphs, under its published names. */
import { readFileSync } from "node:fs";
import type { OptionsOf } from "../../../src/engine/families/families.ts";

const SIZES = [
  "encoder_dim",
  "decoder_dim",
  "depth", // layers, of the encoder and of the decoder
  "nheads",
  "head_dim",
  "vocab_size",
  "bos_id",
  "eos_id",
  "total_lookahead", // frames that the encoder reads ahead of the one it gives
  "d_model_frontend",
  "c1",
] as const;

/**
 * `max_seq_len`: tokens of a text. `tokensPerSecond` and `attends`, whether the decoder tells where it looks, are options of the
 * package.
 */
export type MoonshineConfig = Record<(typeof SIZES)[number], number> & {
  max_seq_len?: number;
  tokensPerSecond: number;
  attends: boolean;
};

const TOKENS_PER_SECOND = 6.5; // as the published loop allows where nothing is set

export function readMoonshineConfig(path: string, options: OptionsOf<"moonshine"> = {}): MoonshineConfig {
  const config: MoonshineConfig = {
    ...JSON.parse(readFileSync(path, "utf8")),
    tokensPerSecond: options.tokens_per_second ?? TOKENS_PER_SECOND,
    attends: options.estimated_times !== true,
  };
  const missing = SIZES.filter((name) => !(Number.isInteger(config[name]) && config[name] >= 0));
  if (missing.length > 0) throw new Error(`this is another model: its settings lack ${missing.join(", ")}`);
  return config;
}
