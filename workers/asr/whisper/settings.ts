/** What is used of the JSON files of a Whisper export, under its published names. */
import Type from "typebox";
import { checker } from "../../../src/schema.ts";

const Count = (maximum: number) => Type.Integer({ minimum: 1, maximum });
const Id = Type.Integer({ minimum: 0, maximum: 1_000_000 });
const TOKENS_MAX = 100_000;

/** Some exports have null where others have nothing. */
const optional = <T extends Type.TSchema>(type: T) => Type.Optional(Type.Union([type, Type.Null()]));
const Tokens = Type.Array(Type.Integer({ minimum: -1, maximum: 1_000_000 }), { maxItems: TOKENS_MAX });

export const CONFIG = checker(
  Type.Object({
    num_mel_bins: Type.Union([Type.Literal(80), Type.Literal(128)]),
    d_model: Count(16_384),
    decoder_layers: Count(256),
    decoder_attention_heads: Count(1024),
    max_target_positions: optional(Count(65_536)),
    eos_token_id: Id,
  }),
);

export const GENERATION = checker(
  Type.Object({
    lang_to_id: optional(Type.Record(Type.String(), Id)),
    eos_token_id: Type.Optional(Id),
    suppress_tokens: optional(Tokens),
    begin_suppress_tokens: optional(Tokens),
    max_initial_timestamp_index: optional(Type.Integer({ minimum: 0, maximum: 1500 })),
    alignment_heads: optional(
      Type.Array(Type.Tuple([Type.Integer({ minimum: 0 }), Type.Integer({ minimum: 0 })]), {
        maxItems: 4096,
      }),
    ),
  }),
);

export const TOKENIZER = checker(
  Type.Object({ model: Type.Object({ vocab: Type.Record(Type.String(), Id) }) }),
);
