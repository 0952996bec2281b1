/**
 * Refusals and their reasons, in words that fit every interface: HTTP, sockets, the command line.
 *
 * Their codes are in `error-codes.ts`. The message is for the client. The internal reason is the `cause`, which reaches
 * only the log.
 */
import type { Code } from "./error-codes.ts";

export type { Code };

/** One invalid field of the input. `field` is a dotted path, "" for the input as a whole. */
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

/** What the operator can correct: commands print its message, without a stack. */
export class OperatorError extends Error {}

type RefusalOptions = { param?: string; details?: Detail[]; retryAfterSeconds?: number; cause?: unknown };

/**
 * How long what was admitted waits for its turn: for a slot, for memory, for an engine. Bounded by time, never by a count.
 * OpenAI's libraries give up after as long, most clients earlier: one that leaves no longer waits.
 */
export const WAIT_MAX_MS = 600_000;

const RETRY_SECONDS_MAX = 60; // OpenAI's library for JavaScript ignores more, and tries again at once

/** When to try again, as refusals have it. `ms`: until the work ahead is done. */
export const retrySeconds = (ms: number): number =>
  Math.min(RETRY_SECONDS_MAX, Math.max(1, Math.ceil(ms / 1000)));

export class Refusal extends Error {
  readonly code: Code;
  readonly param: string | null;
  readonly details: Detail[] | null;
  /** When to try again: whole seconds, 1 to 60. Null where that is unknown or makes no difference. */
  readonly retryAfterSeconds: number | null;

  constructor(code: Code, message: string, options: RefusalOptions = {}) {
    super(message, { cause: options.cause });
    this.name = "Refusal";
    this.code = code;
    this.param = options.param ?? null;
    this.details = options.details ?? null;
    this.retryAfterSeconds = options.retryAfterSeconds ?? null;
  }
}

/** Whether a request was given up by its caller, and not by the server, which gives a refusal as its reason. */
export const isLeft = (signal: AbortSignal): boolean => signal.aborted && !(signal.reason instanceof Refusal);

/** Input that fails its schema; names every invalid field. */
export function invalidInput(details: Detail[]): Refusal {
  const first = details[0] ?? { field: "", message: "is not valid" };
  const message =
    first.field === "" ? `The request body ${first.message}.` : `${first.field} ${first.message}.`;
  return new Refusal("validation_error", message, {
    details,
    ...(first.field ? { param: first.field } : {}),
  });
}

const CAUSES_MAX = 8;

type Lack = { codes: ReadonlySet<string>; message: RegExp };

/** Of file systems, SQLite and PostgreSQL. */
const SPACE: Lack = {
  codes: new Set(["ENOSPC", "EDQUOT", "SQLITE_FULL", "53100"]),
  message: /database or disk is full|\bENOSPC\b/,
};
/** Of this process, or of the machine. */
const DESCRIPTORS: Lack = { codes: new Set(["EMFILE", "ENFILE"]), message: /\b(EMFILE|ENFILE)\b/ };

/** Whether something failed for want of it. An error of another thread has kept its message only. */
function lacks({ codes, message }: Lack, thrown: unknown): boolean {
  let error = thrown as { code?: unknown; message?: unknown; cause?: unknown } | null | undefined;
  for (let depth = 0; depth < CAUSES_MAX && typeof error === "object" && error !== null; depth++) {
    if (codes.has(String(error.code)) || message.test(String(error.message))) return true;
    error = error.cause as typeof error;
  }
  return false;
}

export const isDiskFull = (thrown: unknown): boolean => lacks(SPACE, thrown);

/** Whether something failed because no file or connection more can be opened. */
export const isOutOfDescriptors = (thrown: unknown): boolean => lacks(DESCRIPTORS, thrown);

const SPACE_RETRY_SECONDS = 60;
const DESCRIPTORS_RETRY_SECONDS = 5;

export const noSpaceLeft = (cause?: unknown): Refusal =>
  new Refusal(
    "service_unavailable",
    "No space is left on the disk of LOQUAT_DATA. Try again once the server's operator has freed some.",
    { retryAfterSeconds: SPACE_RETRY_SECONDS, cause },
  );

const noDescriptorsLeft = (cause?: unknown): Refusal =>
  new Refusal(
    "service_unavailable",
    "The server has too many open connections and files. Try again in a few seconds.",
    { retryAfterSeconds: DESCRIPTORS_RETRY_SECONDS, cause },
  );

/** A refusal that names what was lacking: space on a disk, or descriptors; null where neither was the reason. */
export function lackOf(cause: unknown): Refusal | null {
  if (cause instanceof Refusal) return null;
  if (isDiskFull(cause)) return noSpaceLeft(cause);
  return isOutOfDescriptors(cause) ? noDescriptorsLeft(cause) : null;
}

/** Waits for something this server depends on. If it fails, the caller may try again. */
export async function unavailableOnError<T>(what: string, result: Promise<T>): Promise<T> {
  try {
    return await result;
  } catch (cause) {
    if (cause instanceof Refusal) throw cause;
    const message = `${what} cannot be reached. Try again in a moment.`;
    throw lackOf(cause) ?? new Refusal("service_unavailable", message, { retryAfterSeconds: 1, cause });
  }
}

/** What `choose` returns; null where it refuses. */
export function unlessRefused<T>(choose: () => T): T | null {
  try {
    return choose();
  } catch (error) {
    if (error instanceof Refusal) return null;
    throw error;
  }
}

/** Anything thrown, as a refusal. A bug reveals nothing of itself. */
export function toRefusal(thrown: unknown): Refusal {
  if (thrown instanceof Refusal) return thrown;
  return (
    lackOf(thrown) ??
    new Refusal("internal_error", "Something went wrong on our side. The request id helps us find it.", {
      cause: thrown,
    })
  );
}
