/** How a task fails on the way to an engine node and back: as data, and as what its caller catches. */
import { type Code, Refusal, retrySeconds } from "../../errors.ts";
import { FaultyAnswer } from "../answers/faulty-answer.ts";
import { StartFailure } from "../runner.ts";
import type { Failure } from "./messages.ts";

/**
 * `lost`: the connection with a node. `failed`: its engine, as the node says. `begun`: the engine may have worked on the
 * task.
 */
export class NodeFailure extends Error {
  readonly kind: "lost" | "failed";
  readonly begun: boolean;

  constructor(kind: "lost" | "failed", message: string, begun = true) {
    super(message);
    this.kind = kind;
    this.begun = begun;
  }
}

/** A node refuses with nothing begun where it is busy, closing, or restarting the engine. */
const NOT_BEGUN = "service_unavailable";

/** What engines refuse with. Of a node, any other code is a failure: it must not speak of a caller's key, credit or limits. */
const ENGINE_CODES: ReadonlySet<Code> = new Set([
  NOT_BEGUN,
  "inference_unavailable",
  "inference_rejected",
  "transcription_failed",
  "unsupported_parameter",
  "voice_not_supported",
  "word_times_not_supported",
]);

const MESSAGE_MAX = 1000;

export function failureOf(error: unknown): Failure {
  const message = (error instanceof Error ? error.message : String(error)).slice(0, MESSAGE_MAX);
  if (!(error instanceof Refusal))
    return { code: null, message, retryAfterSeconds: null, begun: !(error instanceof StartFailure) };
  const { code, param, retryAfterSeconds } = error;
  return { code, message, ...(param ? { param } : {}), retryAfterSeconds, begun: code !== NOT_BEGUN };
}

export function errorOf({ code, message, param, retryAfterSeconds, begun }: Failure): Refusal | NodeFailure {
  if (code === null) return new NodeFailure("failed", message, begun);
  if (!ENGINE_CODES.has(code))
    return new NodeFailure("failed", `the engine node refused with ${code}: ${message}`);
  const options =
    retryAfterSeconds === null ? {} : { retryAfterSeconds: retrySeconds(1000 * retryAfterSeconds) };
  return new Refusal(
    code,
    message.slice(0, MESSAGE_MAX),
    param === undefined ? options : { ...options, param },
  );
}

/** Whether another node may succeed where this error was the outcome; null: it may not. */
export function outcomeOf(error: unknown): { begun: boolean } | null {
  if (error instanceof FaultyAnswer) return { begun: true };
  if (error instanceof NodeFailure) return { begun: error.begun };
  return error instanceof Refusal && error.code === NOT_BEGUN ? { begun: false } : null;
}

/** No node can take a task. */
export const noNode = (): Refusal =>
  new Refusal("service_unavailable", "No engine node can take this request. Try again in a moment.", {
    retryAfterSeconds: 5,
  });
