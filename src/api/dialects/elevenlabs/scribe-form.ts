/** The form of a transcription: what it asks for, what is refused by name, and what has no effect. */
import Type from "typebox";
import { invalidInput, Refusal } from "../../../errors.ts";
import { languageHint } from "../../../language-tag.ts";
import { checker } from "../../../schema.ts";
import { fieldsOf, type Kind } from "../../middleware/body/form.ts";
import type { Parsed } from "../../middleware/body/upload-parser.ts";
import { unsupported } from "../query.ts";
import type { RecordingRequest } from "../recordings.ts";

const GRANULARITIES = ["none", "word", "character"] as const;
export type Granularity = (typeof GRANULARITIES)[number];
const FORMATS = ["srt", "txt", "segmented_json"] as const;
export type AdditionalFormat = (typeof FORMATS)[number];

const scribeForm = checker(
  Type.Object({
    model_id: Type.String({ minLength: 1, maxLength: 256 }),
    language_code: Type.Optional(Type.String({ maxLength: 100 })),
    diarize: Type.Optional(Type.Boolean()),
    num_speakers: Type.Optional(Type.Integer({ minimum: 1, maximum: 32 })),
    timestamps_granularity: Type.Optional(Type.Enum([...GRANULARITIES])),
    keyterms: Type.Optional(Type.Array(Type.String({ maxLength: 100 }), { maxItems: 1000 })),
    additional_formats: Type.Optional(
      Type.Array(Type.Object({ format: Type.String({ maxLength: 100 }) }), { maxItems: 10 }),
    ),
    file_format: Type.Optional(Type.Enum(["pcm_s16le_16", "other"])),
  }),
);

const KINDS: Record<string, Kind> = {
  model_id: "text",
  language_code: "text",
  diarize: "boolean",
  num_speakers: "number",
  timestamps_granularity: "text",
  keyterms: "list",
  additional_formats: "list",
  file_format: "text",
};

/** What would change the text, or where it goes. */
const REFUSED: Record<string, string> = {
  webhook: "the transcript is in the answer.",
  use_multi_channel: "the channels of a recording are heard together.",
  entity_redaction: "nothing is removed from a transcript.",
  no_verbatim: "transcripts are as they were heard.",
  transcript_edit: "transcripts are as they were heard.",
};

const ADDRESSES = ["cloud_storage_url", "source_url"];
/** Text that clients send for what they leave out. */
const ABSENT = new Set(["", "null", "false"]);

export type ScribeRequest = RecordingRequest & {
  granularity: Granularity;
  formats: AdditionalFormat[];
  /** The file is signed 16-bit samples at 16 kHz. */
  isRaw: boolean;
};

/** Where the recording is; null: nowhere but in the form. */
export function addressIn(text: Parsed["text"]): { param: string; address: string } | null {
  const param = ADDRESSES.find((name) => isAsked(text, name));
  return param === undefined ? null : { param, address: text.get(param)![0]! };
}

/** A form without a file names where it is to be fetched. */
export const noFile = (text: Parsed["text"]): Refusal | null =>
  addressIn(text) ? null : invalidInput([{ field: "file", code: "required", message: "is required" }]);

export function readScribeForm(text: Parsed["text"]): ScribeRequest {
  for (const [name, reason] of Object.entries(REFUSED))
    if (isAsked(text, name)) throw unsupported(name, reason);
  const { value, details } = scribeForm.check(fieldsOf(text, KINDS));
  if (details !== null) throw invalidInput(details);
  const granularity = value.timestamps_granularity ?? "word";
  const prefer = value.keyterms ?? [];
  return {
    model: value.model_id,
    language: languageHint(value.language_code),
    languages: [],
    prefer,
    keywords: prefer.length > 0 ? "keyterms" : null,
    speakers: value.diarize ? "diarize" : null,
    speakerCount: value.num_speakers ?? null,
    wordTimes: granularity === "none" ? null : "timestamps_granularity",
    ignored: [...text.keys()].filter((name) => !Object.hasOwn(KINDS, name) && isAsked(text, name)),
    granularity,
    formats: (value.additional_formats ?? []).map(({ format }) => formatNamed(format)),
    isRaw: value.file_format === "pcm_s16le_16",
  };
}

const isAsked = (text: Parsed["text"], name: string): boolean =>
  (text.get(name) ?? []).some((value) => !ABSENT.has(value.trim().toLowerCase()));

function formatNamed(format: string): AdditionalFormat {
  const known = FORMATS.find((each) => each === format);
  if (known !== undefined) return known;
  const message = `additional_formats may name ${FORMATS.join(", ")}, not ${format}.`;
  throw new Refusal("unsupported_response_format", message, { param: "additional_formats" });
}
