/** The parameters that select requests, and sums of them. */
import Type from "typebox";
import { Environment } from "./records.ts";

const YEAR_10000 = 253_402_300_800;

const moment = (description: string) =>
  Type.Optional(Type.Integer({ minimum: 0, maximum: YEAR_10000 - 1, description }));
const words = (description: string) =>
  Type.Optional(Type.String({ maxLength: 300, pattern: "^[^\\u0000]*$", description })); // what no database stores

export const Filters = {
  start: moment("Unix seconds, inclusive."),
  end: moment("Unix seconds, exclusive."),
  project_id: words("Only of this project."),
  key_id: words("Only with this key."),
  environment: Type.Optional(Environment),
  model: words("Only of this model; empty: only those without one."),
  endpoint: words("Only of this endpoint, such as `/v1/audio/speech`."),
};

/** A name, or what is stored of it. */
export const OfEndUser = {
  end_user: Type.Optional(
    Type.String({
      ...{ minLength: 1, maxLength: 128, pattern: "^[^\\u0000]*$" },
      description: "Only of whom their clients named so.",
    }),
  ),
};

export const RequestFilters = {
  ...Filters,
  status: Type.Optional(
    Type.String({
      pattern: "^([1-5][0-9]{2}|[1-5]xx)$",
      description: "A status, or a class of them: `200`, `4xx`, `5xx`.",
    }),
  ),
  error_code: words("Only with this error code."),
  id: Type.Optional(
    Type.String({ pattern: "^req_[0-9a-z]{0,24}$", description: "The beginning of a request id." }),
  ),
  ...OfEndUser,
  label: Type.Optional(
    Type.String({
      ...{ minLength: 1, maxLength: 64, pattern: "^[^\\u0000]*$" },
      description: "Only of those that their clients labelled so.",
    }),
  ),
  language: Type.Optional(
    Type.String({ pattern: "^[a-z]{2,3}$", description: "Only in this language, such as `de`." }),
  ),
};
