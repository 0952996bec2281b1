/** What to do about an error, by its code. */
import type { Code } from "../../errors.ts";

const KEY = "Use an active key from API keys.";
const CATALOGUE = "Use one of the values the message lists, or see GET /v1/models and GET /v1/voices.";
const RETRY = "Retry after a short delay, and with increasing delays if it keeps failing.";

const ADVICE: Partial<Record<Code, string>> = {
  missing_api_key: "Send the key in the header Authorization: Bearer …",
  invalid_api_key: KEY,
  api_key_revoked: KEY,
  api_key_expired: KEY,
  insufficient_scope: "Give the key the scope named in the message, or use another key.",
  organization_suspended:
    "Ask the server's operator to resume the organization, or an owner to undo its deletion under Settings.",
  insufficient_credits:
    "The organization has no credit left. Billing says how to get some. Retrying before that does not help.",
  spending_limit_reached: "Raise the monthly spending limit under Billing, or wait for the next month (UTC).",
  address_not_allowed: "Use the key where its addresses say under API keys, or add this one there.",
  model_not_allowed:
    "Use a model and a voice that the message names, or allow this one for the key or project.",
  key_budget_reached: "Raise or reset the key's budget under API keys, or wait until it begins again.",
  project_budget_reached:
    "Raise or reset the project's budget under Projects, or wait until it begins again.",
  rate_limit_exceeded: "Wait for the time given in the retry-after header. Limits shows what is left.",
  concurrency_limit_exceeded:
    "Retry when another request has finished. Limits shows how many may run at once.",
  invalid_model: CATALOGUE,
  model_unavailable: CATALOGUE,
  model_not_found: CATALOGUE,
  invalid_voice: CATALOGUE,
  invalid_consent: "Name a consent that GET /v1/audio/voice_consents lists, or send its recording.",
  voice_not_supported: CATALOGUE,
  unsupported_language: CATALOGUE,
  realtime_not_supported: CATALOGUE,
  translation_not_supported: "Use a model that translates, or ask the server's operator to install one.",
  word_times_not_supported: CATALOGUE,
  voice_cloning_not_supported: CATALOGUE,
  unsupported_response_format: CATALOGUE,
  unsupported_parameter:
    "Leave out the field that the message names, or ask the server's operator to install what it needs.",
  unsupported_speed: CATALOGUE,
  unpronounceable_input: "Send text in a script that the voice reads, or choose a voice of its language.",
  file_too_large: "Send at most 25 MB: shorten or compress the recording.",
  audio_too_long: "Send it with background=true as a job, or split it into parts of at most 600 seconds.",
  audio_too_short: "Send a longer recording: the message says how long it must be.",
  url_not_allowed: "Send a public https address, or ask the server's operator to allow the network.",
  url_unreachable: "Check that the address answers without a sign-in, or send the recording itself.",
  invalid_audio:
    "Send a recording in one of the formats the message lists; the file may be truncated or in another format.",
  inference_unavailable: RETRY,
  inference_rejected: "Change the input. The engine rejects it, and will reject it again.",
  transcription_failed: RETRY,
  stream_interrupted: RETRY,
  validation_error: "Correct the fields named in the message.",
  internal_error: "Retry once. If it fails again, send the request id to the server's operator.",
  service_unavailable: RETRY,
  too_many_voices: "Delete a voice that is no longer used, or ask the server's operator for more.",
  too_many_consents: "Delete a consent that is no longer used, or ask the server's operator for more.",
  too_many_webhooks: "Delete a webhook endpoint that is no longer used.",
  webhook_disabled: "Switch the endpoint on again first.",
  webhook_unreachable: "Check that the endpoint answers at its address, from the server's network.",
  session_expired: "Open a new session. Sessions have a maximum duration.",
};

export const ERROR_CODES = Object.keys(ADVICE);

/** Null for successful requests. */
export function adviceFor({ status, error_code }: { status: number; error_code: string | null }) {
  if (error_code !== null) return (ADVICE as Record<string, string>)[error_code] ?? adviceForStatus(status);
  if (status === 499) return "The client closed the connection early. Output produced until then is billed.";
  return status >= 400 ? adviceForStatus(status) : null;
}

const adviceForStatus = (status: number): string =>
  status >= 500 ? RETRY : "Correct the request as the message says. Retrying it unchanged fails again.";
