/** What `options` of a package may set, by family. */
import Type from "typebox";

const closed = { additionalProperties: false };
export const NoOptions = Type.Object({}, closed);
const Count = Type.Integer({ minimum: 1 });

export const NemoOptions = Type.Object(
  {
    decoding: Type.Enum(["ctc", "rnnt", "tdt"]),
    mels: Count,
    /** Each mel to mean zero and deviation one, over the recording. */
    normalize: Type.Boolean(),
    /** Feature frames per encoder frame. */
    subsampling: Count,
    /** TDT: the durations of the model, in encoder frames. */
    durations: Type.Union([Type.Array(Type.Integer({ minimum: 0 }), { minItems: 1 }), Type.Null()]),
    longest_seconds: Type.Number({ minimum: 1 }),
  },
  closed,
);

export const MoonshineOptions = Type.Object(
  {
    /** Its decoder does not tell where it attends to. */
    estimated_times: Type.Optional(Type.Literal(true)),
    /** The longest text of a second of sound; absent: 6.5, which suits languages in Latin letters. */
    tokens_per_second: Type.Optional(Type.Number({ exclusiveMinimum: 0 })),
  },
  closed,
);

export const NemoStreamingOptions = Type.Object(
  { mels: Count, subsampling: Count, shift: Count, lookback: Type.Integer({ minimum: 0 }) },
  closed,
);

export const CanaryOptions = Type.Object({ longest_seconds: Type.Number({ minimum: 1 }) }, closed);

export const SupertonicOptions = Type.Object(
  { steps: Count, pace: Type.Number({ minimum: 0.7, maximum: 2 }) },
  closed,
);

export const PocketOptions = Type.Object(
  {
    /** The variance of the noise that speech is drawn from; 0: none. */
    temperature: Type.Number({ minimum: 0, maximum: 2 }),
    /** From the noise to a frame. */
    steps: Type.Integer({ minimum: 1, maximum: 64 }),
  },
  closed,
);

export const SpeakerEmbeddingOptions = Type.Object(
  {
    /** Two embeddings, and groups of them, that are nearer than this (1 - cosine) are of one speaker. */
    cluster_distance: Type.Number({ exclusiveMinimum: 0, maximum: 2 }),
    /** A speaker is a known one where the cosine is at least this. */
    known_similarity: Type.Number({ minimum: -1, maximum: 1 }),
  },
  closed,
);
