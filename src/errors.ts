/**
 * Every failure a client can see: one table, code -> status and type. Codes are public and permanent.
 *
 * A `Fault` is thrown where a refusal meets a caller and becomes the error envelope at the edge.
 * Its message is for the client; what went wrong inside travels as `cause` and reaches only the log.
 */

const TYPES = {
  400: "invalid_request",
  401: "authentication_error",
  402: "billing_error",
  403: "permission_error",
  404: "not_found",
  409: "conflict",
  422: "invalid_request",
  429: "rate_limit_error",
  500: "api_error",
  502: "api_error",
  503: "api_error",
} as const;

export type Status = keyof typeof TYPES;

export const CODES = {
  // authentication
  missing_api_key: 401,
  invalid_api_key: 401,
  api_key_revoked: 401,
  api_key_expired: 401,
  not_signed_in: 401,
  invalid_credentials: 401,
  // permission
  insufficient_scope: 403,
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
  unsupported_response_format: 400,
  unsupported_speed: 400,
  // audio in
  file_too_large: 400,
  audio_too_long: 400,
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
  default_project: 409,
  project_archived: 409,
  key_not_active: 409,
  already_member: 409,
  invite_pending: 409,
  last_owner: 409,
  no_payment_method: 409,
  payments_unavailable: 409,
  pull_running: 409,
  license_required: 409,
  idempotency_key_reused: 409,
  invalid_cursor: 400,
  invalid_token: 400,
  invalid_signature: 400,
  // other
  validation_error: 422,
  not_found: 404,
  internal_error: 500,
  service_unavailable: 503,
} as const satisfies Record<string, Status>;

export type Code = keyof typeof CODES;

export const typeOf = (code: Code): string => TYPES[CODES[code]];

/** One offending field of a body that failed its schema. `field` is a dotted path, "" for the whole body. */
export type Detail = {
  field: string;
  code:
    | "required"
    | "wrong_type"
    | "too_short"
    | "too_long"
    | "out_of_range"
    | "not_one_of"
    | "malformed"
    | "unknown";
  message: string;
};

type FaultOptions = { param?: string; details?: Detail[]; retryAfterSeconds?: number; cause?: unknown };

const RETRIED = new Set<Status>([429, 503]);

export class Fault extends Error {
  readonly code: Code;
  readonly param: string | null;
  readonly details: Detail[] | null;
  /** Whole seconds, 1 to 60; sent as `retry-after`, with every 429 and 503. */
  readonly retryAfterSeconds: number | null;

  constructor(code: Code, message: string, options: FaultOptions = {}) {
    super(message, { cause: options.cause });
    this.name = "Fault";
    this.code = code;
    this.param = options.param ?? null;
    this.details = options.details ?? null;
    this.retryAfterSeconds = options.retryAfterSeconds ?? (RETRIED.has(this.status) ? 1 : null);
  }

  get status(): Status {
    return CODES[this.code];
  }
}

/** A body that failed its schema: 422, naming every offending field. */
export function invalidBody(details: Detail[]): Fault {
  const first = details[0] ?? { field: "", message: "is not valid" };
  const message =
    first.field === "" ? `The request body ${first.message}.` : `${first.field} ${first.message}.`;
  return new Fault("validation_error", message, { details, ...(first.field ? { param: first.field } : {}) });
}

/** Waits for something this server depends on; where that fails, the client may try again. */
export async function unavailableOnError<T>(what: string, answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (cause) {
    if (cause instanceof Fault) throw cause;
    throw new Fault("service_unavailable", `${what} cannot be reached. Try again in a moment.`, {
      retryAfterSeconds: 1,
      cause,
    });
  }
}

/** What the client is told of anything thrown. A bug says nothing of itself. */
export function toFault(thrown: unknown): Fault {
  if (thrown instanceof Fault) return thrown;
  return new Fault("internal_error", "Something went wrong on our side. The request id helps us find it.", {
    cause: thrown,
  });
}

/** The error envelope of the specification's section 7.1, with `param` for stock clients. */
export function envelope(fault: Fault, requestId: string): object {
  return {
    error: {
      type: typeOf(fault.code),
      code: fault.code,
      message: fault.message,
      param: fault.param,
      request_id: requestId,
      ...(fault.details ? { details: fault.details } : {}),
    },
  };
}
