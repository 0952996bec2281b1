/**
 * An operation of the OpenAPI document, from what its route declares. Refusals are named by code; their statuses,
 * envelopes and headers follow from the tables of errors.
 */

import type { TSchema } from "typebox";
import { ERRORS } from "../../error-codes.ts";
import type { Code } from "../../errors.ts";
import { statusOf, typeOf } from "../middleware/faults.ts";
import { IGNORED_FIELDS, RATE_LIMIT_HEADERS } from "../middleware/response-headers.ts";
import type { ComponentName } from "./components.ts";

export type Schema = TSchema | { $ref: string } | object;
/** A body by media type. */
export type Content = Record<string, { schema: Schema; example?: unknown; examples?: object }>;

export type Operation = {
  /** The name of the function in generated clients. */
  id: string;
  summary: string;
  description?: string;
  tag: Tag;
  access: "key" | "admin" | "key or admin" | "session" | "none";
  /** What a parameter of the path means, by name. */
  path?: Record<string, { description: string; example?: string }>;
  query?: QueryParameter[];
  headers?: readonly RequestHeader[];
  body?: { content: Content; required: boolean };
  ok: Response & { status?: number };
  /** Responses besides, by status. */
  also?: Record<number, Response>;
  refusals: readonly Code[];
};

type Response = { description: string; content?: Content; headers?: object };
type RequestHeader = { name: string; description: string; schema: Schema };
type QueryParameter = { name: string; description?: string; schema: Schema; example?: unknown };

export const TAGS = {
  Audio: "Text to speech, and transcription of recordings.",
  Files: "Files of a project, sent whole or in parts.",
  Jobs: "Transcriptions in the background, alone and in batches: asked for, read, cancelled and deleted.",
  Realtime: "Secrets with which browsers open live transcription sessions.",
  Catalogue: "Models and voices of this server, and what a key may do.",
  Webhooks: "Endpoints that events are sent to.",
  Organization: "What programs read and manage of an organization, with an admin key.",
  Operation: "Probes and metrics for the operator of the server.",
  Dashboard: "What the dashboard calls, for signed-in people.",
} as const;
type Tag = keyof typeof TAGS;

export const ref = (name: ComponentName) => ({ $ref: `#/components/schemas/${name}` });

/** Every route that takes a key may answer these. */
export const KEY_REFUSALS = [
  "missing_api_key",
  "invalid_api_key",
  "api_key_revoked",
  "api_key_expired",
  "insufficient_scope",
  "organization_suspended",
  "address_not_allowed",
  "internal_error",
  "service_unavailable",
] as const satisfies Code[];

/** Every route that is limited and priced may answer these too. */
export const METERED_REFUSALS = [
  ...KEY_REFUSALS,
  "insufficient_credits",
  "spending_limit_reached",
  "model_not_allowed",
  "key_budget_reached",
  "project_budget_reached",
  "rate_limit_exceeded",
  "concurrency_limit_exceeded",
  "validation_error",
  "unsupported_content_encoding",
] as const satisfies Code[];

const LIMIT_MEANINGS = {
  limit: { type: "integer", text: (bucket: string) => `How many ${bucket} a minute are allowed.` },
  remaining: { type: "integer", text: (bucket: string) => `How many ${bucket} are left now.` },
  reset: {
    type: "string",
    text: (bucket: string) => `When all ${bucket} are available again, such as 1.5s.`,
  },
};

/** The headers of a metered response: three for each bucket that the request took from. */
export const LIMIT_HEADERS = Object.fromEntries(
  RATE_LIMIT_HEADERS.map((name) => {
    const [, , kind, bucket] = name.split("-") as [string, string, keyof typeof LIMIT_MEANINGS, string];
    const { type, text } = LIMIT_MEANINGS[kind];
    return [name, { description: text(bucket), schema: { type } }];
  }),
);

const SECURITY = {
  ...{ key: [{ key: [] }], admin: [{ admin: [] }], session: [{ session: [] }], none: [] },
  "key or admin": [{ key: [] }, { admin: [] }],
};

export const IGNORED_HEADER = {
  [IGNORED_FIELDS]: {
    description: "What was sent and had no effect, separated by commas.",
    schema: { type: "string" },
  },
};

/** The `detail` of a route; `query` is moved to the parameters when the document is assembled. */
export function operation({
  id,
  tag,
  access,
  path,
  query = [],
  headers = [],
  body,
  ok,
  also,
  refusals,
  ...texts
}: Operation) {
  const { status = 200, ...response } = ok;
  return {
    ...texts,
    operationId: id,
    tags: [tag],
    security: SECURITY[access],
    ...(body ? { requestBody: body as never } : {}),
    responses: { [status]: response, ...refusalResponses(refusals), ...also } as never,
    "x-parameters": { path: path ?? {}, query, headers },
  };
}

export const json = (schema: Schema, example?: unknown): Content => ({
  "application/json": { schema, ...(example === undefined ? {} : { example }) },
});

const RETRY_AFTER = {
  "retry-after": {
    description: "Seconds to wait before retrying, 1 to 60.",
    required: true,
    schema: { type: "integer", minimum: 1, maximum: 60 },
  },
};

/**
 * Refused requests in the OpenAPI document: a response for each status, with an example for each code.
 *
 * By status, in ascending order.
 */
function refusalResponses(codes: readonly Code[]): Record<string, object> {
  const byStatus = [...Map.groupBy(new Set(codes), statusOf)].sort(([one], [other]) => one - other);
  return Object.fromEntries(byStatus.map(([status, sameStatus]) => [status, responseOf(status, sameStatus)]));
}

const made = new Map<string, object>(); // a hundred routes have few combinations of codes

function responseOf(status: number, codes: Code[]): object {
  const name = codes.join(" ");
  const response = made.get(name) ?? describe(status, codes);
  made.set(name, response);
  return response;
}

function describe(status: number, codes: readonly Code[]): object {
  const meanings = codes.map(
    (code) => `\`${code}\`${ERRORS[code].meaning ? `: ${ERRORS[code].meaning}` : ""}`,
  );
  const examples = Object.fromEntries(codes.map((code) => [code, { value: exampleOf(code) }]));
  return {
    description: meanings.join("\n\n"),
    ...(status === 429 || status === 503 ? { headers: RETRY_AFTER } : {}),
    content: { "application/json": { schema: { $ref: "#/components/schemas/Error" }, examples } },
  };
}

function exampleOf(code: Code): object {
  const { message = "The request was refused.", param = null } = ERRORS[code];
  const details = code === "validation_error" ? { details: [DETAIL] } : {};
  return {
    error: {
      type: typeOf(code),
      code,
      message,
      param,
      request_id: "req_0mh3k2q9x17f0c2d4e6a8b1c",
      ...details,
    },
  };
}

const DETAIL = { field: "model", code: "required", message: "is required" };
