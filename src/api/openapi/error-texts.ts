/** What each error of the public API means, and a message as clients get it: for the OpenAPI document and docs/errors.md. */
import type { Code } from "../../errors.ts";

/** `message` is an example; messages name what was sent and what is accepted. */
type ErrorText = { meaning: string; message: string; param?: string };

export const ERROR_TEXTS: Partial<Record<Code, ErrorText>> = {
  missing_api_key: {
    meaning: "No API key was sent.",
    message: "Send your API key in the header Authorization: Bearer …",
  },
  invalid_api_key: { meaning: "The API key does not exist.", message: "This API key does not exist." },
  api_key_revoked: { meaning: "The API key was revoked.", message: "This API key was revoked." },
  api_key_expired: { meaning: "The API key has expired.", message: "This API key has expired." },
  insufficient_scope: {
    meaning: "The API key lacks the scope that the route needs.",
    message: "This API key lacks the scope speech:create.",
  },
  organization_suspended: {
    meaning: "The server's operator has suspended the organization. Its keys work again when it is resumed.",
    message: "Your organization is suspended. Ask this server's operator to resume it.",
  },
  idempotency_in_progress: {
    meaning:
      "The first request with this Idempotency-Key is still running. Its retry-after says when to try again.",
    message: "The first request with this Idempotency-Key is still running. Try again in a moment.",
  },
  idempotency_key_reused: {
    meaning: "This Idempotency-Key was sent with another request.",
    message: "This Idempotency-Key was sent with another request. Send another key, or the same request.",
  },
  idempotency_key_used: {
    meaning:
      "The request with this Idempotency-Key was sent five times after the first, or over an hour ago.",
    message:
      "The request with this Idempotency-Key was sent too often or too long ago to be repeated. Send another key.",
  },
  insufficient_credits: {
    meaning: "The organization is on the prepaid plan and has no credit left.",
    message: "Your organization has no credit left.",
  },
  spending_limit_reached: {
    meaning: "The organization's monthly spending limit is reached.",
    message: "Your organization has reached its spending limit of this month.",
  },
  rate_limit_exceeded: {
    meaning: "A limit per minute is used up. Wait for the seconds of the retry-after header.",
    message: "Your organization may use 20 requests a minute.",
  },
  concurrency_limit_exceeded: {
    meaning: "As many requests are running as the organization may have at once.",
    message: "Your organization may run 2 requests at once.",
  },
  invalid_model: {
    meaning: "There is no such model for this purpose. The message lists those that exist.",
    message: "tts-9 is not a TTS model. TTS models: svc-tts1, svc-tts2.",
    param: "model",
  },
  model_unavailable: {
    meaning: "The model exists, but none of its engines is installed on this server.",
    message: "svc-tts2 is not installed on this server.",
    param: "model",
  },
  model_not_found: {
    meaning: "There is no such model.",
    message: "There is no model tts-9.",
    param: "model",
  },
  invalid_voice: {
    meaning: "There is no such voice. The message lists the voices of the model.",
    message: "There is no voice zoe. svc-tts1 speaks with female-warm, male-deep.",
    param: "voice",
  },
  voice_not_supported: {
    meaning: "The voice exists, and the model does not have it.",
    message: "svc-tts2 does not have the voice male-bright.",
    param: "voice",
  },
  unsupported_language: {
    meaning: "The model does not transcribe the language.",
    message: "svc-stt1 transcribes en, not de.",
    param: "language",
  },
  realtime_not_supported: {
    meaning: "The model cannot transcribe live.",
    message: "svc-stt1 does not support realtime sessions.",
    param: "model",
  },
  unsupported_response_format: {
    meaning: "The model does not produce the format, or does not stream it.",
    message: "svc-tts1 streams pcm, not wav.",
    param: "response_format",
  },
  unsupported_speed: {
    meaning: "The model does not speak at this speed.",
    message: "svc-tts2 accepts speed 1.0 only, not 1.2.",
    param: "speed",
  },
  file_too_large: {
    meaning: "The recording is larger than 25 MB.",
    message: "The file is larger than 25 MB.",
    param: "file",
  },
  audio_too_long: {
    meaning: "The recording is longer than 600 seconds.",
    message: "The recording is longer than 600 seconds.",
    param: "file",
  },
  audio_too_short: {
    meaning: "The recording of a voice is shorter than it must be.",
    message: "The recording is 2.1 seconds long. It must be 3 to 30 seconds.",
    param: "audio_sample",
  },
  invalid_audio: {
    meaning: "The file is empty, damaged, or not audio in a supported format.",
    message: "The file is empty.",
    param: "file",
  },
  translation_not_supported: {
    meaning: "The model does not translate to English.",
    message: "svc-stt1 does not translate.",
    param: "model",
  },
  word_times_not_supported: {
    meaning: "The engine does not tell when words are spoken.",
    message: "Supertonic 3 does not tell when words are heard.",
    param: "return_timing",
  },
  voice_cloning_not_supported: {
    meaning: "The engine neither encodes recorded voices nor speaks with them.",
    message: "Supertonic 3 speaks with its own voices only.",
    param: "voice",
  },
  unsupported_parameter: {
    meaning: "The model, or what is installed for it, cannot do what a field asks for.",
    message: "svc-stt1 does not tell speakers apart.",
    param: "diarize",
  },
  voice_cloning_disabled: {
    meaning: "The operator of the server does not allow voices that are made of recordings.",
    message: "The operator of this server has switched voice cloning off.",
  },
  too_many_voices: {
    meaning: "The organization has as many voices of its own as it may have.",
    message:
      "Your organization has 100 voices of its own, which is as many as it may have. Delete one first.",
  },
  voice_unreadable: {
    meaning: "The voice was encrypted with another secret than the server has now.",
    message: "voice_0mh3k2q9x17f0c2d4e6a8b1c was encrypted with another secret than the server has now.",
    param: "voice",
  },
  unpronounceable_input: {
    meaning: "The text has nothing that the voice can pronounce, such as only emoji or another script.",
    message: "input has nothing that Ada can pronounce.",
    param: "input",
  },
  inference_rejected: {
    meaning: "The engine cannot process this input, and will reject it again.",
    message: "The speech engine rejected the input.",
  },
  inference_unavailable: {
    meaning: "The engine failed or could not be started. Retry after a short delay.",
    message: "The speech engine is unavailable.",
  },
  transcription_failed: {
    meaning: "Recognition failed. Retry after a short delay.",
    message: "The recording could not be transcribed.",
  },
  validation_error: {
    meaning: "The body, the form or the query is not valid. `details` names every invalid field.",
    message: "model is required.",
    param: "model",
  },
  malformed_request: {
    meaning: "The request is not valid HTTP, such as one with two Host headers.",
    message: "A request has exactly one Host header.",
  },
  unsupported_content_encoding: {
    meaning: "The body is compressed. Bodies are read uncompressed only.",
    message: "Bodies are not read in Content-Encoding: gzip. Send the body uncompressed.",
  },
  method_not_allowed: {
    meaning: "The address takes other methods: the allow header names them.",
    message: "GET /v1/audio/speech is not possible. Use POST.",
  },
  not_found: { meaning: "There is nothing at this address.", message: "There is nothing at GET /v1/speech." },
  internal_error: {
    meaning: "The server has a defect. The request id identifies it in the server's log.",
    message: "Something went wrong on our side. The request id helps us find it.",
  },
  service_unavailable: {
    meaning: "The server is at capacity, or something it depends on does not answer.",
    message: "The ledger cannot be reached. Try again in a moment.",
  },
};
