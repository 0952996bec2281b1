/** Every error code, in one table: its HTTP status, what it means, and a message as clients get it. Codes are public and permanent. */

import { CAP_CODES } from "./cap-codes.ts";
import { CONVERSATION_CODES } from "./conversation-codes.ts";
import { FILE_CODES } from "./file-codes.ts";
import { HTTP_CODES } from "./http-codes.ts";
import { VOICE_CODES } from "./voice-codes.ts";
import { WEBHOOK_CODES } from "./webhook-codes.ts";

/** `message` is an example; messages name what was sent and what is accepted. Codes without texts are not of the public API. */
type ErrorEntry = { status: Status; meaning?: string; message?: string; param?: string };

export type Status = 400 | 401 | 402 | 403 | 404 | 405 | 409 | 415 | 422 | 429 | 500 | 502 | 503;

const TABLE = {
  // authentication
  missing_api_key: {
    status: 401,
    meaning: "No API key was sent.",
    message: "Send your API key in the header Authorization: Bearer …",
  },
  invalid_api_key: {
    status: 401,
    meaning: "The API key does not exist.",
    message: "This API key does not exist.",
  },
  api_key_revoked: { status: 401, meaning: "The API key was revoked.", message: "This API key was revoked." },
  api_key_expired: { status: 401, meaning: "The API key has expired.", message: "This API key has expired." },
  not_signed_in: { status: 401 },
  invalid_credentials: { status: 401 },
  // permission
  insufficient_scope: {
    status: 403,
    meaning: "The API key lacks the scope that the route needs.",
    message: "This API key lacks the scope speech:create.",
  },
  organization_suspended: {
    status: 403,
    meaning:
      "The server's operator has suspended the organization, or an owner has asked to delete it. Its keys work again when it is resumed, or the deletion is undone.",
    message: "Your organization is suspended. Ask this server's operator to resume it.",
  },
  insufficient_role: { status: 403 },
  owner_required: { status: 403 },
  operator_required: { status: 403 },
  csrf_failed: { status: 403 },
  sign_up_closed: { status: 403 },
  email_not_verified: { status: 403 },
  password_sign_in_off: { status: 403 },
  two_factor_required: { status: 403 },
  confirmation_required: { status: 403 },
  // billing
  insufficient_credits: {
    status: 402,
    meaning: "The organization is on the prepaid plan and has no credit left.",
    message: "Your organization has no credit left.",
  },
  spending_limit_reached: {
    status: 402,
    meaning: "The organization's monthly spending limit is reached.",
    message: "Your organization has reached its spending limit of this month.",
  },
  ...CAP_CODES,
  // rate limits
  rate_limit_exceeded: {
    status: 429,
    meaning: "A limit per minute is used up. Wait for the seconds of the retry-after header.",
    message: "Your organization may use 20 requests a minute.",
  },
  concurrency_limit_exceeded: {
    status: 429,
    meaning: "As many requests are running as the organization may have at once.",
    message: "Your organization may run 2 requests at once.",
  },
  // catalogue
  invalid_model: {
    status: 400,
    meaning: "There is no such model for this purpose. The message lists those that exist.",
    message: "tts-9 is not a TTS model. TTS models: svc-tts1, svc-tts2.",
    param: "model",
  },
  model_unavailable: {
    status: 404,
    meaning: "The model exists, but none of its engines is installed on this server.",
    message: "svc-tts2 is not installed on this server.",
    param: "model",
  },
  model_not_found: {
    status: 404,
    meaning: "There is no such model.",
    message: "There is no model tts-9.",
    param: "model",
  },
  invalid_voice: {
    status: 404,
    meaning: "There is no such voice. The message lists the voices of the model.",
    message: "There is no voice zoe. svc-tts1 speaks with female-warm, male-deep.",
    param: "voice",
  },
  voice_not_supported: {
    status: 400,
    meaning: "The voice exists, and the model does not have it.",
    message: "svc-tts2 does not have the voice male-bright.",
    param: "voice",
  },
  unsupported_language: {
    status: 400,
    meaning: "The model does not transcribe the language.",
    message: "svc-stt1 transcribes en, not de.",
    param: "language",
  },
  realtime_not_supported: {
    status: 400,
    meaning: "The model cannot transcribe live.",
    message: "svc-stt1 does not support realtime sessions.",
    param: "model",
  },
  translation_not_supported: {
    status: 400,
    meaning: "The model does not translate to English.",
    message: "svc-stt1 does not translate.",
    param: "model",
  },
  word_times_not_supported: {
    status: 400,
    meaning: "The engine does not tell when words are spoken.",
    message: "Supertonic 3 does not tell when words are heard.",
    param: "return_timing",
  },
  unsupported_parameter: {
    status: 400,
    meaning: "The model, or what is installed for it, cannot do what a field asks for.",
    message: "svc-stt1 does not tell speakers apart.",
    param: "diarize",
  },
  unsupported_response_format: {
    status: 400,
    meaning: "The model does not produce the format, or does not stream it.",
    message: "svc-tts1 streams pcm, not wav.",
    param: "response_format",
  },
  unsupported_speed: {
    status: 400,
    meaning: "The model does not speak at this speed.",
    message: "svc-tts2 accepts speed 1.0 only, not 1.2.",
    param: "speed",
  },
  unpronounceable_input: {
    status: 422,
    meaning: "The text has nothing that the voice can pronounce, such as only emoji or another script.",
    message: "input has nothing that Ada can pronounce.",
    param: "input",
  },
  // audio input
  file_too_large: {
    status: 400,
    meaning: "The recording is larger than 25 MB.",
    message: "The file is larger than 25 MB.",
    param: "file",
  },
  audio_too_long: {
    status: 400,
    meaning: "The recording is longer than 600 seconds, or that of a job than LOQUAT_JOB_HOURS.",
    message: "The recording is longer than 600 seconds.",
    param: "file",
  },
  audio_too_short: {
    status: 400,
    meaning: "The recording of a voice is shorter than it must be.",
    message: "The recording is 2.1 seconds long. It must be 3 to 30 seconds.",
    param: "audio_sample",
  },
  url_not_allowed: {
    status: 400,
    meaning: "The address is not one that this server may read: only public ones are, by https.",
    message: "The address 127.0.0.1 is not public.",
    param: "url",
  },
  url_unreachable: {
    status: 400,
    meaning: "The address did not answer, answered with an error, or took too long.",
    message: "The address could not be read. It did not answer.",
    param: "url",
  },
  invalid_audio: {
    status: 400,
    meaning: "The file is empty, damaged, or not audio in a supported format.",
    message: "The file is empty.",
    param: "file",
  },
  // realtime
  upgrade_required: { status: 400 },
  invalid_event: { status: 400 },
  input_audio_buffer_commit_empty: { status: 400 },
  item_not_found: { status: 404 },
  session_expired: { status: 400 },
  ...CONVERSATION_CODES,
  // engine
  inference_unavailable: {
    status: 502,
    meaning: "The engine failed or could not be started. Retry after a short delay.",
    message: "The speech engine is unavailable.",
  },
  inference_rejected: {
    status: 400,
    meaning: "The engine cannot process this input, and will reject it again.",
    message: "The speech engine rejected the input.",
  },
  transcription_failed: {
    status: 502,
    meaning: "Recognition failed. Retry after a short delay.",
    message: "The recording could not be transcribed.",
  },
  stream_interrupted: { status: 502 },
  ...VOICE_CODES,
  ...WEBHOOK_CODES,
  ...FILE_CODES,
  // records
  name_taken: { status: 409 },
  default_project: { status: 409 },
  first_organization: { status: 409 },
  organization_deleted: { status: 409 },
  project_archived: { status: 409 },
  key_not_active: { status: 409 },
  already_member: { status: 409 },
  account_exists: { status: 409 },
  two_factor_unavailable: { status: 409 },
  invite_pending: { status: 409 },
  last_owner: { status: 409 },
  no_payment_method: { status: 409 },
  payments_unavailable: { status: 409 },
  top_up_not_paid: { status: 409 },
  code_not_redeemable: { status: 409 },
  pull_running: { status: 409 },
  license_required: { status: 409 },
  idempotency_in_progress: {
    status: 409,
    meaning:
      "The first request with this Idempotency-Key is still running. Its retry-after says when to try again.",
    message: "The first request with this Idempotency-Key is still running. Try again in a moment.",
  },
  idempotency_key_reused: {
    status: 409,
    meaning: "This Idempotency-Key was sent with another request.",
    message: "This Idempotency-Key was sent with another request. Send another key, or the same request.",
  },
  idempotency_key_used: {
    status: 409,
    meaning:
      "The request with this Idempotency-Key was sent five times after the first, or over an hour ago.",
    message:
      "The request with this Idempotency-Key was sent too often or too long ago to be repeated. Send another key.",
  },
  invalid_cursor: { status: 400 },
  invalid_token: { status: 400 },
  invalid_signature: { status: 400 },
  // other
  validation_error: {
    status: 422,
    meaning: "The body, the form or the query is not valid. `details` names every invalid field.",
    message: "model is required.",
    param: "model",
  },
  ...HTTP_CODES,
  not_found: {
    status: 404,
    meaning: "There is nothing at this address.",
    message: "There is nothing at GET /v1/speech.",
  },
  method_not_allowed: {
    status: 405,
    meaning: "The address takes other methods: the allow header names them.",
    message: "GET /v1/audio/speech is not possible. Use POST.",
  },
  internal_error: {
    status: 500,
    meaning: "The server has a defect. The request id identifies it in the server's log.",
    message: "Something went wrong on our side. The request id helps us find it.",
  },
  service_unavailable: {
    status: 503,
    meaning: "The server is at capacity, or something it depends on does not answer.",
    message: "The ledger cannot be reached. Try again in a moment.",
  },
} satisfies Record<string, ErrorEntry>;

export type Code = keyof typeof TABLE;

export const ERRORS: Record<Code, ErrorEntry> = TABLE;

export const CODES = Object.keys(TABLE) as Code[];
