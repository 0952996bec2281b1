/** The form of a transcription: what stock clients may send, how it reads, and what of it is refused. */
import Type from "typebox";
import { invalidInput } from "../../errors.ts";
import { checker } from "../../schema.ts";
import type { Granularity } from "../../transcription/response.ts";
import { type Form, fieldsOf, type Kind } from "../middleware/body/form.ts";
import { RETRY } from "../middleware/retry-after.ts";

const FORMATS = ["json", "text", "srt", "verbose_json", "vtt", "diarized_json"] as const;
const Texts = Type.Array(Type.String({ maxLength: 100 }), { maxItems: 100 });
const Milliseconds = Type.Integer({ minimum: 0 });

const TranscriptionForm = Type.Object({
  model: Type.String({ minLength: 1, maxLength: 256, description: "An STT model id." }),
  language: Type.Optional(Type.String({ maxLength: 256, description: "ISO 639-1; detected when absent." })),
  languages: Type.Optional(Texts),
  prompt: Type.Optional(Type.String({ maxLength: 4000 })),
  keywords: Type.Optional(Texts),
  response_format: Type.Optional(Type.Enum([...FORMATS], { default: "json" })),
  temperature: Type.Optional(Type.Number({ minimum: 0, maximum: 1, default: 0 })),
  timestamp_granularities: Type.Optional(Type.Array(Type.Enum(["word", "segment"]), { maxItems: 10 })),
  include: Type.Optional(Type.Array(Type.Enum(["logprobs"]), { maxItems: 10 })),
  stream: Type.Optional(Type.Boolean({ default: false })),
  chunking_strategy: Type.Optional(
    Type.Union([
      Type.Enum(["auto"]),
      Type.Object({
        type: Type.Enum(["server_vad"]),
        prefix_padding_ms: Type.Optional(Milliseconds),
        silence_duration_ms: Type.Optional(Milliseconds),
        threshold: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
      }),
    ]),
  ),
  known_speaker_names: Type.Optional(Type.Array(Type.String({ maxLength: 100 }), { maxItems: 4 })),
  known_speaker_references: Type.Optional(Type.Array(Type.String(), { maxItems: 4 })),
});

const transcriptionForm = checker(TranscriptionForm);

const KINDS: Record<keyof typeof TranscriptionForm.properties, Kind> = {
  model: "text",
  language: "text",
  languages: "list",
  prompt: "text",
  keywords: "list",
  response_format: "text",
  temperature: "number",
  timestamp_granularities: "list",
  include: "list",
  stream: "boolean",
  chunking_strategy: "object",
  known_speaker_names: "list",
  known_speaker_references: "list",
};

export type TranscriptionRequest = {
  model: string;
  language: string | null;
  /** What was said before, and words to expect. */
  prompt: string;
  format: (typeof FORMATS)[number];
  granularities: readonly Granularity[];
  streaming: boolean;
  diarized: boolean;
};

export function parseTranscriptionRequest(form: Form): TranscriptionRequest {
  const { value, details } = transcriptionForm.check(fieldsOf(form, KINDS));
  if (details !== null) throw invalidInput(details);
  const format = value.response_format ?? "json";
  return {
    model: value.model,
    language: value.language ?? null,
    prompt: [value.prompt, ...(value.keywords ?? [])].filter(Boolean).join(" "),
    format,
    granularities: value.timestamp_granularities ?? ["segment"],
    streaming: value.stream ?? false,
    diarized: format === "diarized_json",
  };
}

const File = {
  type: "string",
  format: "binary",
  description: "1 byte to 25 MB, at most 600 seconds of audio.",
};

/** What the generated document says of the route. */
export const formDocument = {
  summary: "Create transcription",
  tags: ["Audio"],
  requestBody: {
    required: true,
    content: {
      "multipart/form-data": {
        schema: {
          ...TranscriptionForm,
          properties: { file: File, ...TranscriptionForm.properties },
          required: ["file", ...(TranscriptionForm.required ?? [])],
        } as never,
      },
    },
  },
  responses: {
    200: { description: "The transcript in the format asked for, or server-sent events." },
    ...RETRY,
  },
};
