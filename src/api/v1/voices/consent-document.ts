/** What the OpenAPI document says of the routes of consents. */
import Type from "typebox";
import { CHARGED_ONCE_HEADERS, CHARGED_ONCE_REFUSALS, IDEMPOTENCY_KEY } from "../../openapi/charged-once.ts";
import { json, KEY_REFUSALS, LIMIT_HEADERS, METERED_REFUSALS, operation } from "../../openapi/operation.ts";
import { ConsentRecord } from "./consent-record.ts";
import { CONSENT_DOCUMENTS } from "./voice-request.ts";

/** Of a page. */
export const CONSENTS_MAX = 100;

const OF = {
  consent: { description: "The id of a consent.", example: "cons_0mh3k2q9x17f0c2d4e6a8b1c" },
};
const KEYED = { tag: "Audio", access: "key" } as const;
const REFUSALS = [...KEY_REFUSALS, "invalid_consent"] as const;
const COUNTED = { headers: LIMIT_HEADERS } as const;

export const CONSENT_DETAILS = {
  create: operation({
    ...KEYED,
    id: "createVoiceConsent",
    summary: "Store the recording in which a speaker agrees",
    description:
      "For any number of voices. The recording is stored encrypted, and costs nothing. It has at most 10 MB.",
    headers: [IDEMPOTENCY_KEY],
    body: { required: true, content: { "multipart/form-data": { schema: CONSENT_DOCUMENTS.form } } },
    ok: {
      description: "The consent, which only keys of this organization can use.",
      headers: { ...LIMIT_HEADERS, ...CHARGED_ONCE_HEADERS },
      content: json(ConsentRecord),
    },
    refusals: [
      ...METERED_REFUSALS,
      ...CHARGED_ONCE_REFUSALS,
      "too_many_consents",
      "file_too_large",
      "invalid_audio",
      "audio_too_short",
      "audio_too_long",
      "inference_unavailable",
    ],
  }),
  list: operation({
    ...KEYED,
    id: "listVoiceConsents",
    summary: "List the consents of speakers, the newest first",
    query: [
      {
        name: "after",
        description: "The id that the page follows.",
        schema: Type.String(),
        example: OF.consent.example,
      },
      {
        name: "limit",
        description: "How many a page has, 20 by default.",
        schema: Type.Integer({ minimum: 1, maximum: CONSENTS_MAX }),
      },
    ],
    ok: {
      description: "A page of consents.",
      content: json(
        Type.Object({
          object: Type.Literal("list"),
          data: Type.Array(ConsentRecord),
          first_id: Type.Union([Type.String(), Type.Null()]),
          last_id: Type.Union([Type.String(), Type.Null()], { description: "What the next page follows." }),
          has_more: Type.Boolean(),
        }),
      ),
    },
    refusals: [...KEY_REFUSALS, "validation_error"],
  }),
  retrieve: operation({
    ...KEYED,
    id: "retrieveConsent",
    summary: "Retrieve a consent",
    path: OF,
    ok: { description: "The consent.", content: json(ConsentRecord) },
    refusals: REFUSALS,
  }),
  recording: operation({
    ...KEYED,
    id: "retrieveConsentRecording",
    summary: "Hear a consent",
    path: OF,
    ok: {
      description: "The recording, mono.",
      content: { "audio/wav": { schema: { type: "string", format: "binary" } } },
    },
    refusals: [...REFUSALS, "voice_unreadable", "not_found"],
  }),
  update: operation({
    ...KEYED,
    id: "updateVoiceConsent",
    summary: "Rename a consent",
    path: OF,
    body: { required: true, content: json(CONSENT_DOCUMENTS.update, { name: "Ada" }) },
    ok: { ...COUNTED, description: "The consent.", content: json(ConsentRecord) },
    refusals: [...REFUSALS, "validation_error", "rate_limit_exceeded"],
  }),
  remove: operation({
    ...KEYED,
    id: "deleteVoiceConsent",
    summary: "Delete a consent",
    description: "Voices that were made with it stay, with their copy of it.",
    path: OF,
    ok: {
      ...COUNTED,
      description: "The consent is deleted.",
      content: json(
        Type.Object({
          id: Type.String({ description: "Of the consent." }),
          object: Type.Literal("audio.voice_consent"),
          deleted: Type.Literal(true),
        }),
      ),
    },
    refusals: [...REFUSALS, "rate_limit_exceeded"],
  }),
};
