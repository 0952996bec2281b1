/** Refusals as messages of a stream, which clients tell apart by their kind. */
import type { Refusal } from "../../../errors.ts";
import type { ServerEvent } from "../../../realtime/events.ts";
import { statusOf } from "../../middleware/faults.ts";

const KINDS: Record<number, string> = {
  401: "auth_error",
  402: "quota_exceeded",
  403: "auth_error",
  429: "rate_limited",
  503: "resource_exhausted",
};

function kindOf({ code }: Refusal): string {
  if (code === "session_expired") return "session_time_limit_exceeded";
  const status = statusOf(code);
  return KINDS[status] ?? (status >= 500 ? "transcriber_error" : "input_error");
}

export const errorMessage = (refusal: Refusal): ServerEvent => ({
  type: kindOf(refusal),
  error: refusal.message,
  code: refusal.code,
});
