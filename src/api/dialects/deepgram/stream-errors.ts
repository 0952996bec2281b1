/** Refusals as messages of a stream, and the codes that close it. */
import type { Refusal } from "../../../errors.ts";
import type { ServerEvent } from "../../../realtime/events.ts";

/** `invalid_event`: a message that cannot be read. */
export const errorMessage = ({ code, message }: Refusal): ServerEvent => ({
  type: "Error",
  variant: code === "invalid_event" ? "SchemaError" : code.toUpperCase(),
  description: message,
  code,
});
