/**
 * Refusals as the API answers them: one table, code -> status, and the error envelope.
 *
 *   Refusal (a domain's: code, message) ──> Fault (with status, type, retry-after) ──> envelope and headers
 */
import { type Code, type Refusal, toRefusal } from "../../errors.ts";
import type { Metrics } from "../../metrics/metrics.ts";

const TYPES = {
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
} as const;

type Status = keyof typeof TYPES;

const STATUSES: Record<Code, Status> = {
  // authentication
  missing_api_key: 401,
  invalid_api_key: 401,
  api_key_revoked: 401,
  api_key_expired: 401,
  not_signed_in: 401,
  invalid_credentials: 401,
  // permission
  insufficient_scope: 403,
  organization_suspended: 403,
  insufficient_role: 403,
  owner_required: 403,
  operator_required: 403,
  csrf_failed: 403,
  sign_up_closed: 403,
  email_not_verified: 403,
  // billing
  insufficient_credits: 402,
  spending_limit_reached: 402,
  // rate limits
  rate_limit_exceeded: 429,
  concurrency_limit_exceeded: 429,
  // catalogue
  invalid_model: 400,
  model_unavailable: 404,
  model_not_found: 404,
  invalid_voice: 404,
  voice_not_supported: 400,
  unsupported_language: 400,
  realtime_not_supported: 400,
  translation_not_supported: 400,
  word_times_not_supported: 400,
  voice_cloning_not_supported: 400,
  unsupported_parameter: 400,
  unsupported_response_format: 400,
  unsupported_speed: 400,
  unpronounceable_input: 422,
  voice_cloning_disabled: 403,
  voice_unreadable: 409,
  // audio input
  file_too_large: 400,
  audio_too_long: 400,
  audio_too_short: 400,
  invalid_audio: 400,
  // realtime
  upgrade_required: 400,
  invalid_event: 400,
  input_audio_buffer_commit_empty: 400,
  item_not_found: 404,
  session_expired: 400,
  // engine
  inference_unavailable: 502,
  inference_rejected: 400,
  transcription_failed: 502,
  stream_interrupted: 502,
  // records
  name_taken: 409,
  too_many_voices: 409,
  default_project: 409,
  first_organization: 409,
  project_archived: 409,
  key_not_active: 409,
  already_member: 409,
  invite_pending: 409,
  last_owner: 409,
  no_payment_method: 409,
  payments_unavailable: 409,
  pull_running: 409,
  license_required: 409,
  idempotency_in_progress: 409,
  idempotency_key_reused: 409,
  idempotency_key_used: 409,
  invalid_cursor: 400,
  invalid_token: 400,
  invalid_signature: 400,
  // other
  validation_error: 422,
  malformed_request: 400,
  unsupported_content_encoding: 415,
  not_found: 404,
  method_not_allowed: 405,
  internal_error: 500,
  service_unavailable: 503,
};

/** Counts a refusal that a client gets. */
export function countRefusal(metrics: Metrics, code: Code): void {
  const http_response_status_code = String(statusOf(code));
  metrics.count("loquat_refusals_total", { error_type: code, http_response_status_code });
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

export const statusOf = (code: Code): Status => STATUSES[code];

export const typeOf = (code: Code): string => TYPES[STATUSES[code]];

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
