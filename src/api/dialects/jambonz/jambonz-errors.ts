/** Refusals as messages of a socket. */
import type { Refusal } from "../../../errors.ts";
import type { ServerEvent } from "../../../realtime/events.ts";

export const errorMessage = ({ code, message }: Refusal, requestId: string): ServerEvent => ({
  type: "error",
  error: message,
  code,
  request_id: requestId,
});
