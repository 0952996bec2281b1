/** The schemas that responses share, by name. Tests compare the server's responses with them. */
import Type, { type TSchema } from "typebox";
import { CODES } from "../../error-codes.ts";
import { CATALOGUE_SCHEMAS } from "./catalogue-schemas.ts";
import { nullable, oneOf, text } from "./described.ts";
import { TRANSCRIPT_SCHEMAS } from "./transcript-schemas.ts";

const KINDS = [
  "required",
  "wrong_type",
  "too_short",
  "too_long",
  "out_of_range",
  "not_one_of",
  "malformed",
  "unknown",
];

const ErrorDetail = Type.Object({
  field: text("The field as a dotted path; empty for the body as a whole."),
  code: oneOf(KINDS, "What is wrong with the field."),
  message: text("For people."),
});

const ErrorEnvelope = Type.Object({
  error: Type.Object({
    type: text("The kind of error, by status."),
    code: oneOf(CODES, "Permanent: programs may depend on it."),
    message: text("For people: what is wrong and what to do."),
    param: nullable(text("The field that is wrong, if one is.")),
    request_id: text("Also in the x-request-id header of every response."),
    details: Type.Optional(Type.Array(ErrorDetail, { description: "Every invalid field." })),
  }),
});

export const COMPONENTS = {
  Error: ErrorEnvelope,
  ...CATALOGUE_SCHEMAS,
  ...TRANSCRIPT_SCHEMAS,
} satisfies Record<string, TSchema>;

export type ComponentName = keyof typeof COMPONENTS;
