/** The fields with which a transcription becomes a job: where its recording is, and what the caller notes of it. */
import Type from "typebox";
import { type Detail, invalidInput } from "../../errors.ts";
import { fieldsOf, type Kind, type NoFile } from "../middleware/body/form.ts";
import { LABEL } from "./logged-fields.ts";

const METADATA_MAX = 16;
const KEY_MAX = 64;
const VALUE_MAX = 512;

export const BackgroundFields = {
  background: Type.Optional(
    Type.Boolean({
      default: false,
      description:
        "Makes a job of it, which the answer describes with status 202: for long recordings, and callers that do not wait.",
    }),
  ),
  file_id: Type.Optional(
    Type.String({
      pattern: "^[\\w.-]{1,100}$",
      description: "With background, in place of file: a file of the project that was sent before.",
    }),
  ),
  url: Type.Optional(
    Type.String({
      maxLength: 2048,
      description: "With background, in place of file: an address from which the server fetches it.",
    }),
  ),
  metadata: Type.Optional(
    Type.Record(Type.String(), Type.String({ maxLength: VALUE_MAX }), {
      description: `${LABEL} With background: up to ${METADATA_MAX} texts of your own for the job, by names of up to ${KEY_MAX} characters.`,
    }),
  ),
};

export const BACKGROUND_KINDS = {
  background: "boolean",
  file_id: "text",
  url: "text",
  metadata: "texts",
} as const satisfies Record<keyof typeof BackgroundFields, Kind>;

type Fields = {
  background?: boolean;
  stream?: boolean;
  file_id?: string;
  url?: string;
  metadata?: Record<string, string>;
};

/** `fileId` null: the recording comes with the request. */
export type Background = { fileId: string | null; url: string | null; metadata: Record<string, string> };

export const backgroundOf = ({ file_id: fileId, url, metadata = {} }: Fields): Background => ({
  fileId: fileId ?? null,
  url: url ?? null,
  metadata,
});

/** Only a job may have its recording elsewhere. */
export const unlessElsewhere: NoFile = (text) => {
  const { background, file_id: fileId, url } = fieldsOf(text, BACKGROUND_KINDS) as Fields;
  const isElsewhere = fileId !== undefined || url !== undefined;
  if (background === true && isElsewhere) return null;
  const message = !isElsewhere
    ? "is required"
    : "is required: file_id and url are for requests with background";
  return invalidInput([{ field: "file", code: "required", message }]);
};

/** What does not go together. */
export function backgroundFaults({ stream, file_id: fileId, url, metadata = {} }: Fields): Detail[] {
  const details: Detail[] = [];
  const names = Object.keys(metadata);
  if (stream)
    details.push({ field: "stream", code: "malformed", message: "cannot be together with background" });
  if (fileId !== undefined && url !== undefined)
    details.push({ field: "url", code: "malformed", message: "cannot be together with file_id" });
  if (names.length > METADATA_MAX)
    details.push({ field: "metadata", code: "too_long", message: `has more than ${METADATA_MAX} texts` });
  if (names.some((name) => name.length > KEY_MAX))
    details.push({
      field: "metadata",
      code: "too_long",
      message: `has a name of over ${KEY_MAX} characters`,
    });
  return details;
}
