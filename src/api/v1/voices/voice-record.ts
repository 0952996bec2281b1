/** A voice of one's own, as the API shows it. */
import Type, { type Static } from "typebox";
import type { OwnVoice } from "../../../voices/voices.ts";

const nullable = <S extends Type.TSchema>(schema: S, description: string) =>
  Type.Union([schema, Type.Null()], { description });

export const VoiceRecord = Type.Object({
  id: Type.String({ description: "What requests name as voice." }),
  object: Type.Literal("audio.voice"),
  name: Type.String({ description: "For people." }),
  created_at: Type.Integer({ description: "When it was made, in Unix seconds." }),
  kind: Type.Enum(["recording", "blend"], { description: "What it was made of." }),
  type: Type.Enum(["audio_sample", "prompt"], {
    description: "The same in OpenAI's words: audio_sample of a recording, prompt of a blend.",
  }),
  prompt: Type.Optional(Type.String({ description: "Of a blend: what it was written as." })),
  model: Type.String({ description: "The model that it was made for." }),
  duration_seconds: nullable(Type.Number(), "Of the recording."),
  consent: nullable(Type.Enum(["statement", "recording"]), "How the speaker has agreed."),
  consent_id: nullable(Type.String(), "The consent that it was made with, where that has an id."),
  blend: nullable(Type.String(), "Of a blend: its voices and weights."),
});

export const voiceRecord = (voice: OwnVoice): Static<typeof VoiceRecord> => ({
  id: voice.id,
  object: "audio.voice",
  name: voice.name,
  created_at: voice.createdAt,
  kind: voice.kind,
  ...(voice.blend === null
    ? { type: "audio_sample" as const }
    : { type: "prompt" as const, prompt: voice.blend }),
  model: voice.model,
  duration_seconds: voice.durationMs === null ? null : voice.durationMs / 1000,
  consent: voice.consent,
  consent_id: voice.consentId,
  blend: voice.blend,
});
