/** What is used of the JSON files of a Supertonic export, under its published names. */
import Type, { type Static } from "typebox";
import { checker } from "../../../src/schema.ts";

const Count = (maximum: number) => Type.Integer({ minimum: 1, maximum });

export const SETTINGS = checker(
  Type.Object({
    ae: Type.Object({
      sample_rate: Type.Integer({ minimum: 4000, maximum: 192_000 }),
      base_chunk_size: Count(65_536),
    }),
    ttl: Type.Object({ latent_dim: Count(4096), chunk_compress_factor: Count(256) }),
  }),
);

/** By code point, the id of a character; -1: it has none. */
export const INDEXER = checker(
  Type.Array(Type.Integer({ minimum: -1, maximum: 1_000_000 }), { maxItems: 0x11_0000 }),
);

/** `data` is nested as its dimensions are. */
const Style = Type.Object({ data: Type.Array(Type.Unknown()) });

export const VOICE = checker(Type.Object({ style_ttl: Style, style_dp: Style }));

export type Style = Static<typeof Style>;
