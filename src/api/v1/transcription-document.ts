/** Transcriptions and translations in the OpenAPI document. */
import Type from "typebox";
import { CHARGED_ONCE_HEADERS, CHARGED_ONCE_REFUSALS, IDEMPOTENCY_KEY } from "../openapi/charged-once.ts";
import { JobRecord } from "../openapi/job-schema.ts";
import {
  IGNORED_HEADER,
  json,
  LIMIT_HEADERS,
  METERED_REFUSALS,
  operation,
  ref,
} from "../openapi/operation.ts";
import { TranscriptionForm } from "./transcription-request.ts";

const File = {
  type: "string",
  format: "binary",
  description:
    "1 byte to 25 MB, at most 600 seconds of audio. Required, unless background is true and file_id or url is there.",
};

const WITHOUT_EFFECT = "Accepted, and without effect.";
const InputAudio = Type.Object(
  {
    data: Type.String({ description: "The recording in base64." }),
    format: Type.Optional(Type.String({ description: WITHOUT_EFFECT })),
  },
  { description: "In place of file. The format is found in the recording itself." },
);

const schemaWith = (name: string, schema: object) =>
  ({
    ...TranscriptionForm,
    properties: { [name]: schema, ...TranscriptionForm.properties },
  }) as object;

const EVENTS =
  "Server-sent events, where stream is true: transcript.text.delta, each followed by transcript.text.segment where speakers are told apart, then transcript.text.done.";

const COMMON = {
  tag: "Audio",
  access: "key",
  headers: [IDEMPOTENCY_KEY],
  body: {
    required: true,
    content: {
      "multipart/form-data": { schema: schemaWith("file", File) },
      "application/json": { schema: schemaWith("input_audio", InputAudio) },
    },
  },
  ok: {
    description: "The transcript, in the format of the request.",
    headers: { ...LIMIT_HEADERS, ...IGNORED_HEADER, ...CHARGED_ONCE_HEADERS },
    content: {
      "application/json": {
        schema: {
          anyOf: [ref("Transcription"), ref("VerboseTranscription"), ref("DiarizedTranscription")],
        },
      },
      "text/plain": { schema: { type: "string", description: "Where response_format is text, srt or vtt." } },
      "text/event-stream": { schema: { type: "string", description: EVENTS } },
    },
  },
  also: { 202: { description: "Where background is true: the job.", content: json(JobRecord) } },
} as const;

const REFUSALS = [
  ...METERED_REFUSALS,
  ...CHARGED_ONCE_REFUSALS,
  "invalid_model",
  "model_unavailable",
  "unsupported_language",
  "unsupported_response_format",
  "unsupported_parameter",
  "file_too_large",
  "audio_too_long",
  "invalid_audio",
  "inference_unavailable",
  "transcription_failed",
  "url_not_allowed",
  "too_many_jobs",
  "too_many_files",
  "not_found",
] as const;

export const formDocument = operation({
  ...COMMON,
  id: "createTranscription",
  summary: "Create transcription",
  description: "The header x-ignored-fields names what was sent and had no effect.",
  refusals: REFUSALS,
});

export const translationDocument = operation({
  ...COMMON,
  id: "createTranslation",
  summary: "Create translation",
  description:
    "The speech as English text, where the model translates. Takes the fields of a transcription, and is billed like one.",
  refusals: [...REFUSALS, "translation_not_supported"],
});
