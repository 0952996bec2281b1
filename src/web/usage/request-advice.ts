/** What to do about an error, by its code. */
import type { Code } from "../../errors.ts";

const KEY = "Use an active key, from API keys.";
const CATALOGUE = "Choose what the message lists; GET /v1/models and GET /v1/voices say what there is.";
const AGAIN = "Send it again after a moment, and after longer ones if it fails again.";

const ADVICE: Partial<Record<Code, string>> = {
  missing_api_key: "Send the key in the header Authorization: Bearer …",
  invalid_api_key: KEY,
  api_key_revoked: KEY,
  api_key_expired: KEY,
  insufficient_scope: "Give the key the scope that the message names, or use another key.",
  insufficient_credits: "Add credit under Billing. Sending it again does not help before.",
  spending_limit_reached: "Raise the monthly spending limit under Billing, or wait for the next month (UTC).",
  rate_limit_exceeded: "Wait as long as the header retry-after says. Limits shows what is left.",
  concurrency_limit_exceeded:
    "Send it again when another request has ended. Limits shows how many run at once.",
  invalid_model: CATALOGUE,
  model_unavailable: CATALOGUE,
  invalid_voice: CATALOGUE,
  voice_not_supported: CATALOGUE,
  unsupported_language: CATALOGUE,
  realtime_not_supported: CATALOGUE,
  unsupported_response_format: CATALOGUE,
  unsupported_speed: CATALOGUE,
  file_too_large: "Send at most 25 MB: a shorter or a compressed recording.",
  audio_too_long: "Cut the recording into parts of at most 600 seconds.",
  invalid_audio:
    "Send a recording in a format that the message lists; the file may be cut or of another format.",
  inference_unavailable: AGAIN,
  inference_rejected: "Change the input: the engine does not take it, and will not the next time.",
  transcription_failed: AGAIN,
  stream_interrupted: AGAIN,
  validation_error: "Correct the fields that the message names.",
  internal_error: "Send it again once. If it fails again, tell whoever runs this server the request id.",
  service_unavailable: AGAIN,
  session_expired: "Open a new session; each has a longest time.",
};

export const ERROR_CODES = Object.keys(ADVICE);

/** Null where nothing went wrong. */
export function adviceFor({ status, error_code }: { status: number; error_code: string | null }) {
  if (error_code !== null) return (ADVICE as Record<string, string>)[error_code] ?? byStatus(status);
  if (status === 499)
    return "The client closed the connection before the end. What was made until then is billed.";
  return status >= 400 ? byStatus(status) : null;
}

const byStatus = (status: number): string =>
  status >= 500 ? AGAIN : "Change the request as the message says; sending the same again fails again.";
