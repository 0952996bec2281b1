/** Refusals as messages of a stream. */
import type { Refusal } from "../../../errors.ts";
import type { ServerEvent } from "../../../realtime/events.ts";
import { statusOf } from "../../middleware/faults.ts";

/** `invalid_event`: a message that cannot be read. */
export const errorMessage = ({ code, message }: Refusal): ServerEvent => ({
  type: "Error",
  variant: code === "invalid_event" ? "SchemaError" : code.toUpperCase(),
  description: message,
  code,
});

/** Of Flux, whose errors end the stream. */
export const fluxError = ({ code, message }: Refusal): ServerEvent => ({
  type: "Error",
  code: fluxCode(code),
  description: message,
});

function fluxCode(code: Refusal["code"]): string {
  if (code === "invalid_event") return "UNPARSABLE_CLIENT_MESSAGE";
  return statusOf(code) >= 500 && statusOf(code) !== 503 ? "INTERNAL_SERVER_ERROR" : code.toUpperCase();
}
