/** What the generated document says of transcriptions and translations. */
import Type from "typebox";
import { RETRY } from "../middleware/retry-after.ts";
import { TranscriptionForm } from "./transcription-request.ts";

const File = {
  type: "string",
  format: "binary",
  description: "1 byte to 25 MB, at most 600 seconds of audio.",
};

const InputAudio = Type.Object(
  { data: Type.String({ description: "The recording in base64." }), format: Type.Optional(Type.String()) },
  { description: "In place of file. The format is found in the recording itself." },
);

const schemaWith = (name: string, schema: object) =>
  ({
    ...TranscriptionForm,
    properties: { [name]: schema, ...TranscriptionForm.properties },
    required: [name, ...(TranscriptionForm.required ?? [])],
  }) as never;

const documented = (summary: string, description: string) => ({
  summary,
  description,
  tags: ["Audio"],
  requestBody: {
    required: true,
    content: {
      "multipart/form-data": { schema: schemaWith("file", File) },
      "application/json": { schema: schemaWith("input_audio", InputAudio) },
    },
  },
  responses: {
    200: { description: "The transcript in the format asked for, or server-sent events." },
    ...RETRY,
  },
});

export const formDocument = documented(
  "Create transcription",
  "The header x-ignored-fields names what was sent and had no effect.",
);

export const translationDocument = documented(
  "Create translation",
  "The speech as English text, where the model translates; otherwise translation_not_supported. Takes the fields of a transcription, and is billed like one.",
);
