/** Refused requests in the OpenAPI document: a response for each status, with an example for each code. */
import { ERRORS } from "../../error-codes.ts";
import type { Code } from "../../errors.ts";
import { statusOf, typeOf } from "../middleware/faults.ts";

const RETRY_AFTER = {
  "retry-after": {
    description: "Seconds to wait before retrying, 1 to 60.",
    required: true,
    schema: { type: "integer", minimum: 1, maximum: 60 },
  },
};

/** By status, in ascending order. */
export function refusalResponses(codes: readonly Code[]): Record<string, object> {
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
