/** Errors as a realtime client sees them: the fields of an error event, and the code that closes the socket. */
import type { Refusal } from "../../../errors.ts";
import type { ErrorFields } from "../../../realtime/events.ts";
import { envelope, statusOf, toFault } from "../../middleware/faults.ts";

export function errorFields(refusal: Refusal, requestId: string): ErrorFields {
  const fault = toFault(refusal);
  const { error } = envelope(fault, requestId);
  return fault.retryAfterSeconds === null ? error : { ...error, retry_after: fault.retryAfterSeconds };
}

/** Stock clients cause these in normal use and expect the session to go on. */
export const isHarmless = ({ code }: Refusal): boolean =>
  code === "input_audio_buffer_commit_empty" || code === "item_not_found";

/** A mistake in one event of a client, and no failure of the key, the credit, a limit or an engine. */
export const isSlip = ({ code }: Refusal): boolean => [400, 404, 422].includes(statusOf(code));

/** The event before it has the reason; the code tells a client only whether to reconnect. */
export function closeCode(refusal: Refusal | null): number {
  if (refusal === null || refusal.code === "session_expired") return 1001;
  const status = statusOf(refusal.code);
  if (status === 429 || status === 503) return 1013;
  return status >= 500 ? 1011 : 1008;
}
