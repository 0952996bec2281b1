/** What is used of a Piper voice's `.onnx.json`, by its engine and by the reader of its phonemes. */
import Type, { type Static } from "typebox";
import { checker } from "../../schema.ts";

const Scale = Type.Number({ minimum: 0, maximum: 10 });
const Count = (maximum: number) => Type.Integer({ minimum: 1, maximum });
const Id = Type.Integer({ minimum: 0, maximum: 1_000_000 });

export const PIPER_VOICE = checker(
  Type.Object({
    audio: Type.Object({ sample_rate: Type.Integer({ minimum: 4000, maximum: 192_000 }) }),
    espeak: Type.Object({ voice: Type.String({ minLength: 1, maxLength: 100 }) }),
    inference: Type.Object({ noise_scale: Scale, length_scale: Scale, noise_w: Scale }),
    phoneme_id_map: Type.Record(Type.String(), Type.Array(Id, { maxItems: 16 })),
    num_speakers: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000 })),
    speaker_id_map: Type.Optional(Type.Record(Type.String(), Id)),
    hop_length: Type.Optional(Count(65_536)),
  }),
);

export type PiperVoice = Static<typeof PIPER_VOICE.schema>;
