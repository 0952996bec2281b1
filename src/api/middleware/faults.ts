/**
 * Refusals as the API answers them: status, type and the error envelope.
 *
 *   Refusal (a domain's: code, message) ──> Fault (with status, type, retry-after) ──> envelope and headers
 */
import { type Code, ERRORS, type Status } from "../../error-codes.ts";
import { type Refusal, toRefusal } from "../../errors.ts";
import type { Log } from "../../log/log.ts";
import type { Metrics } from "../../metrics/metrics.ts";
import { type Trace, traceFields } from "../../tracing/tracing.ts";

const TYPES: Record<Status, string> = {
  400: "invalid_request",
  401: "authentication_error",
  402: "billing_error",
  403: "permission_error",
  404: "not_found",
  405: "invalid_request",
  409: "conflict",
  415: "invalid_request",
  422: "invalid_request",
  429: "rate_limit_error",
  500: "api_error",
  502: "api_error",
  503: "api_error",
};

/** Counts a refusal that a client gets. */
export function countRefusal(metrics: Metrics, code: Code): void {
  const http_response_status_code = String(statusOf(code));
  metrics.count("loquat_refusals_total", { error_type: code, http_response_status_code });
}

/** The request that became a socket. */
type Refused = { id: string; trace: Trace | null | undefined };

/** What a socket was ended or answered with, counted and logged; the cause of an internal one goes to the log only. */
export function loggedRefusal(
  { log, metrics }: { log: Log; metrics: Metrics },
  { id, trace }: Refused,
  thrown: unknown,
): Refusal {
  const refusal = toRefusal(thrown);
  const { code, cause } = refusal;
  const fields = { id, code, ...traceFields(trace) };
  countRefusal(metrics, code);
  if (statusOf(code) >= 500) log.error("request_failed", { ...fields, cause: cause ?? null });
  else log.debug("request_rejected", fields);
  return refusal;
}

/** What a refusal's message cannot say, because only the API has routes. */
const HINTS: Partial<Record<Code, string>> = {
  realtime_not_supported: "To transcribe files, use POST /v1/audio/transcriptions.",
};

/** What a client sees of a refusal. */
export type Fault = Pick<
  Refusal,
  "code" | "message" | "param" | "details" | "retryAfterSeconds" | "cause"
> & {
  status: Status;
  type: string;
};

export const statusOf = (code: Code): Status => ERRORS[code].status;

export const typeOf = (code: Code): string => TYPES[ERRORS[code].status];

/** Anything thrown, as the client sees it. Every 429 and 503 says when to try again. */
export function toFault(thrown: unknown): Fault {
  const { code, message, param, details, retryAfterSeconds, cause } = toRefusal(thrown);
  const status = statusOf(code);
  const isRetryable = status === 429 || status === 503;
  return {
    status,
    type: typeOf(code),
    code,
    message: HINTS[code] ? `${message} ${HINTS[code]}` : message,
    param,
    details,
    retryAfterSeconds: retryAfterSeconds ?? (isRetryable ? 1 : null),
    cause,
  };
}

/** The error envelope of the specification's section 7.1, with `param` for stock clients. */
export function envelope({ type, code, message, param, details }: Fault, requestId: string) {
  return {
    error: {
      type,
      code,
      message,
      param,
      request_id: requestId,
      ...(details ? { details } : {}),
    },
  };
}

export function faultHeaders({ status, retryAfterSeconds }: Fault): Record<string, string> {
  const headers: Record<string, string> = {};
  if (retryAfterSeconds !== null) headers["retry-after"] = String(retryAfterSeconds);
  if (status === 409) headers["x-should-retry"] = String(retryAfterSeconds !== null); // stock clients would repeat any conflict
  return headers;
}
