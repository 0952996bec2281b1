/** What the OpenAPI document says of the routes of an organization's own voices. */
import Type from "typebox";
import { CHARGED_ONCE_HEADERS, CHARGED_ONCE_REFUSALS, IDEMPOTENCY_KEY } from "../../openapi/charged-once.ts";
import { json, KEY_REFUSALS, LIMIT_HEADERS, METERED_REFUSALS, operation } from "../../openapi/operation.ts";
import { VoiceRecord } from "./voice-record.ts";
import { BlendBody, VoiceFormDocument } from "./voice-request.ts";

const OF = {
  voice: { description: "The id of a voice of your own.", example: "voice_0mh3k2q9x17f0c2d4e6a8b1c" },
};
const REFUSALS = [...KEY_REFUSALS, "invalid_voice"] as const;
const WAV = { "audio/wav": { schema: { type: "string", format: "binary" } } };

export const VOICE_DETAILS = {
  create: operation({
    id: "createVoice",
    summary: "Make a voice of a recording, or a blend of voices",
    description:
      "The recording and the consent are stored encrypted. A second of the recording costs what a character of the model's speech costs. Each file has at most 10 MB. As JSON, a blend of voices is saved, which costs nothing.",
    tag: "Audio",
    access: "key",
    headers: [IDEMPOTENCY_KEY],
    body: {
      required: true,
      content: {
        "multipart/form-data": { schema: VoiceFormDocument },
        "application/json": {
          schema: BlendBody,
          example: { name: "Ada and Rowan", blend: "female-warm(2)+male-deep(1)" },
        },
      },
    },
    ok: {
      description: "The voice, which only keys of this organization can use.",
      headers: { ...LIMIT_HEADERS, ...CHARGED_ONCE_HEADERS },
      content: json(VoiceRecord),
    },
    refusals: [
      ...METERED_REFUSALS,
      ...CHARGED_ONCE_REFUSALS,
      "voice_cloning_disabled",
      "too_many_voices",
      "file_too_large",
      "invalid_consent",
      "unsupported_parameter",
      "invalid_model",
      "voice_cloning_not_supported",
      "voice_not_supported",
      "invalid_voice",
      "invalid_audio",
      "audio_too_short",
      "audio_too_long",
      "inference_rejected",
      "inference_unavailable",
    ],
  }),
  retrieve: operation({
    id: "retrieveVoice",
    summary: "Retrieve a voice of your own",
    tag: "Audio",
    access: "key",
    path: OF,
    ok: { description: "The voice.", content: json(VoiceRecord) },
    refusals: REFUSALS,
  }),
  recording: operation({
    id: "retrieveVoiceRecording",
    summary: "Hear the recording that a voice was made of",
    tag: "Audio",
    access: "key",
    path: OF,
    ok: { description: "The recording, mono.", content: WAV },
    refusals: [...REFUSALS, "voice_unreadable", "not_found"],
  }),
  consent: operation({
    id: "retrieveVoiceConsent",
    summary: "Retrieve the consent of a voice's speaker",
    tag: "Audio",
    access: "key",
    path: OF,
    ok: {
      description: "The consent as it was given: a recording, or a statement in writing.",
      content: { ...WAV, "text/plain": { schema: Type.String() } },
    },
    refusals: [...REFUSALS, "voice_unreadable", "not_found"],
  }),
  remove: operation({
    id: "deleteVoice",
    summary: "Delete a voice of your own",
    description:
      "Its recording, its copy of the consent and what engines have encoded of it are deleted too. A consent with an id stays.",
    tag: "Audio",
    access: "key",
    path: OF,
    ok: {
      description: "The voice is deleted.",
      headers: LIMIT_HEADERS,
      content: json(
        Type.Object({
          id: Type.String({ description: "Of the voice." }),
          object: Type.Literal("audio.voice.deleted"),
          deleted: Type.Literal(true),
        }),
      ),
    },
    refusals: [...REFUSALS, "rate_limit_exceeded"],
  }),
};
