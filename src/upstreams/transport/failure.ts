/**
 * How a request to another server failed, and what its caller is answered. Nothing of the server's own words leaves: they
 * are in the cause, for the log.
 */

import { FaultyAnswer } from "../../engine/answers/faulty-answer.ts";
import { busy } from "../../engine/runner.ts";
import { type Code, Refusal, retrySeconds } from "../../errors.ts";

/**
 * `unreachable`: no connection, or it broke. `faulty`: an error, or an answer that is not what was asked. `late`: a time
 * limit. `busy`: it asks to wait. `credential`: it refuses ours. `rejected`: it refuses this request.
 */
export type FailureKind = "unreachable" | "faulty" | "late" | "busy" | "credential" | "rejected";

type Unsupported = { code: Code; param: string };
type Options = { retryAfterMs?: number; unsupported?: Unsupported | null; cause?: unknown };

export class UpstreamFailure extends Error {
  readonly kind: FailureKind;
  /** For a busy server that says when to try again. */
  readonly retryAfterMs: number | null;
  /** Of a request that it refuses: what its engine cannot do. */
  readonly unsupported: Unsupported | null;

  constructor(kind: FailureKind, message: string, options: Options = {}) {
    super(message, { cause: options.cause });
    this.name = "UpstreamFailure";
    this.kind = kind;
    this.retryAfterMs = options.retryAfterMs ?? null;
    this.unsupported = options.unsupported ?? null;
  }
}

/** An answer that cannot be is a failure of its server; any other error stays what it is. */
export const failureFrom = (error: unknown): unknown =>
  error instanceof FaultyAnswer ? new UpstreamFailure("faulty", error.message, { cause: error }) : error;

/** The headers of a credential. One that cannot be read is a failure. */
export function readable(headers: () => Record<string, string>): Record<string, string> {
  try {
    return headers();
  } catch (cause) {
    throw new UpstreamFailure("credential", (cause as Error).message, { cause });
  }
}

/** Whether another server may succeed. */
export const isRetryable = ({ kind }: UpstreamFailure): boolean =>
  kind !== "credential" && kind !== "rejected";

const BUSY_STATUSES = [429, 503, 529];
const REJECTED_STATUSES = [400, 404, 405, 406, 409, 410, 413, 414, 415, 416, 422, 431, 451];
const BUSY_CODES = /rate_limit|concurrency_limit|service_unavailable|overloaded/;
const CREDENTIAL_CODES = /api_key|authentication|permission|scope|credit|quota/;
const RETRY_AFTER_MAX_MS = 300_000;

/** By the status of an answer, with the beginning of its body. */
export function statusFailure({ status, headers }: Response, body: string): UpstreamFailure {
  const message = `the server answered ${status}: ${body.slice(0, 500)}`;
  if (BUSY_STATUSES.includes(status)) return new UpstreamFailure("busy", message, retryAfterOf(headers));
  if (status === 401 || status === 403) return new UpstreamFailure("credential", message);
  if (REJECTED_STATUSES.includes(status))
    return new UpstreamFailure("rejected", message, { unsupported: unsupportedIn(body) });
  return new UpstreamFailure("faulty", message);
}

/** What only the server knows of its engines, and clients can leave out: other refusals contradict its manifest here. */
const UNSUPPORTED: Unsupported[] = [
  { code: "unsupported_parameter", param: "keywords" },
  { code: "unsupported_parameter", param: "languages" },
  { code: "word_times_not_supported", param: "return_timing" },
  { code: "voice_not_supported", param: "voice" },
];

const unsupportedIn = (body: string): Unsupported | null => unsupportedOf(errorIn(body));

function unsupportedOf(error: unknown): Unsupported | null {
  const named = (error ?? {}) as Partial<Record<string, unknown>>;
  return UNSUPPORTED.find(({ code, param }) => named.code === code && named.param === param) ?? null;
}

/** Of an error event of a realtime session. */
export function errorFailure(error: unknown): UpstreamFailure {
  const { code, type, message, retry_after } = (error ?? {}) as Partial<Record<string, unknown>>;
  const text = `the server sent an error: ${JSON.stringify({ code, type, message }).slice(0, 500)}`;
  const unsupported = unsupportedOf(error);
  if (unsupported) return new UpstreamFailure("rejected", text, { unsupported });
  if (BUSY_CODES.test(`${code} ${type}`)) {
    const retryAfterMs = Number(retry_after) * 1000;
    return new UpstreamFailure("busy", text, retryAfterMs > 0 ? { retryAfterMs } : {});
  }
  return new UpstreamFailure(CREDENTIAL_CODES.test(`${code} ${type}`) ? "credential" : "faulty", text);
}

function errorIn(body: string): unknown {
  try {
    return JSON.parse(body).error ?? null;
  } catch {
    return null;
  }
}

/** Seconds or a date, RFC 9110, 10.2.3. */
function retryAfterOf(headers: Headers): { retryAfterMs?: number } {
  const value = headers.get("retry-after")?.trim() ?? "";
  const ms = /^\d{1,9}$/.test(value)
    ? Number(value) * 1000
    : Date.parse(value) - Date.parse(headers.get("date") ?? "");
  return ms >= 0 ? { retryAfterMs: Math.min(ms, RETRY_AFTER_MAX_MS) } : {};
}

/** `what` names the kind of engine in a sentence. */
export function refusalOf(failure: UpstreamFailure, task: "synthesis" | "recognition"): Refusal {
  const what = task === "synthesis" ? "The speech engine" : "The transcription engine";
  const code = task === "synthesis" ? "inference_unavailable" : "transcription_failed";
  switch (failure.kind) {
    case "busy":
      return busy(failure.retryAfterMs ?? 1000, failure);
    case "late":
      return new Refusal(code, `${what} did not answer in time. Try again.`, { cause: failure });
    case "rejected":
      if (failure.unsupported) return unsupported(failure.unsupported, failure);
      return new Refusal(code, `${what} did not accept this request.`, { cause: failure });
    default:
      return new Refusal(code, `${what} failed. Try again.`, { cause: failure });
  }
}

const unsupported = ({ code, param }: Unsupported, cause: UpstreamFailure) =>
  new Refusal(
    code,
    `The engine of this model cannot use ${param} as it was sent. Leave it out or change it.`,
    {
      param,
      cause,
    },
  );

/** No server of an upstream can be used at this time. */
export function allOut(retryAfterMs: number): Refusal {
  return new Refusal("service_unavailable", "The engine cannot be reached. Try again in a moment.", {
    retryAfterSeconds: retrySeconds(retryAfterMs),
  });
}
