/** Errors of conversations, by the codes and types that clients of OpenAI's API compare. */
import type { Refusal } from "../../../errors.ts";
import type { ErrorFields } from "../../../realtime/events.ts";
import { statusOf, toFault } from "../../middleware/faults.ts";

/** Codes that have another name there; null: none. */
const NAMED: Partial<Record<Refusal["code"], string | null>> = {
  insufficient_credits: "insufficient_quota",
  spending_limit_reached: "insufficient_quota",
  key_budget_reached: "insufficient_quota",
  project_budget_reached: "insufficient_quota",
  api_key_revoked: "invalid_api_key",
  api_key_expired: "invalid_api_key",
  item_not_audio: null,
  invalid_event: "invalid_value",
};

/** Their sessions end: nothing that the client sends can mend it. */
const ENDING: readonly Refusal["code"][] = [
  "insufficient_credits",
  "spending_limit_reached",
  "key_budget_reached",
  "project_budget_reached",
  "invalid_api_key",
  "api_key_revoked",
  "api_key_expired",
  "organization_suspended",
  "session_expired",
  "service_unavailable",
];

export const endsConversation = ({ code }: Refusal): boolean => ENDING.includes(code);

export function conversationError(refusal: Refusal): ErrorFields {
  const { code, message, param, details } = toFault(refusal);
  return {
    type: typeOf(code),
    code: codeOf(refusal),
    message,
    param: param ?? details?.[0]?.field ?? null,
  };
}

function codeOf({ code, details }: Refusal): string | null {
  if (code === "validation_error")
    return details?.[0]?.code === "required" ? "missing_required_parameter" : "invalid_value";
  const named = NAMED[code];
  return named === undefined ? code : named;
}

function typeOf(code: Refusal["code"]): string {
  const status = statusOf(code);
  if (status === 402) return "insufficient_quota";
  if (status === 429 || code === "llm_busy") return "rate_limit_error";
  return status >= 500 ? "server_error" : "invalid_request_error";
}
