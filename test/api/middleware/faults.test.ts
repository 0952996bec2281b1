/** Promise: every documented code has its status and type, and an error reveals nothing internal. */
import { describe, expect, test } from "bun:test";
import { envelope, toFault } from "../../../src/api/middleware/faults.ts";
import { CODES, type Code } from "../../../src/error-codes.ts";
import { invalidInput, Refusal } from "../../../src/errors.ts";

const DOCUMENTED: Record<string, Code[]> = {
  "401 authentication_error": [
    ...["missing_api_key", "invalid_api_key", "api_key_revoked", "api_key_expired"],
    ...["not_signed_in", "invalid_credentials"],
  ] as Code[],
  "402 billing_error": ["insufficient_credits", "spending_limit_reached"],
  "403 permission_error": [
    ...[
      "insufficient_scope",
      "organization_suspended",
      "insufficient_role",
      "owner_required",
      "operator_required",
    ],
    ...["csrf_failed", "sign_up_closed", "email_not_verified", "voice_cloning_disabled"],
  ] as Code[],
  "429 rate_limit_error": ["rate_limit_exceeded", "concurrency_limit_exceeded"],
  "400 invalid_request": [
    "invalid_model",
    "voice_not_supported",
    "unsupported_language",
    "realtime_not_supported",
    "translation_not_supported",
    "word_times_not_supported",
    "voice_cloning_not_supported",
    "unsupported_parameter",
    "unsupported_response_format",
    "unsupported_speed",
    "file_too_large",
    "audio_too_long",
    "audio_too_short",
    "invalid_audio",
    "inference_rejected",
    "upgrade_required",
    "invalid_event",
    "input_audio_buffer_commit_empty",
    "session_expired",
    "invalid_cursor",
    "invalid_token",
    "invalid_signature",
    "malformed_request",
    ...(["response_cancel_not_active", "item_not_audio", "context_length_exceeded"] as Code[]),
  ],
  "404 not_found": [
    ...["invalid_voice", "model_unavailable", "model_not_found", "not_found", "item_not_found"],
    ...["create_invalid_previous", "retrieve_invalid", "delete_invalid", "truncate_invalid"].map(
      (name) => `item_${name}_item_id`,
    ),
  ] as Code[],
  "405 invalid_request": ["method_not_allowed"],
  "409 conflict": [
    ...["name_taken", "default_project", "first_organization", "project_archived", "key_not_active"],
    ...["already_member", "invite_pending", "last_owner", "no_payment_method"],
    ...["payments_unavailable", "pull_running", "license_required"],
    ...["idempotency_in_progress", "idempotency_key_reused", "idempotency_key_used"],
    ...["too_many_voices", "voice_unreadable", "conversation_already_has_active_response"],
  ] as Code[],
  "415 invalid_request": ["unsupported_content_encoding"],
  "422 invalid_request": ["validation_error", "unpronounceable_input"],
  "502 api_error": [
    ...["inference_unavailable", "transcription_failed", "stream_interrupted"],
    ...["llm_unavailable", "llm_timeout", "llm_misconfigured"],
  ] as Code[],
  "500 api_error": ["internal_error"],
  "503 api_error": ["service_unavailable", "llm_busy"],
};

describe("the error table", () => {
  for (const [expected, codes] of Object.entries(DOCUMENTED)) {
    test.each(codes)(`gives %s status and type ${expected}`, (code) => {
      const fault = toFault(new Refusal(code, "why", { param: "field" }));
      const [status, type] = expected.split(" ");
      expect(String(fault.status)).toBe(status!);
      expect(envelope(fault, "req_1")).toEqual({
        error: {
          type: type!,
          code,
          message: expect.stringMatching(/^why( To transcribe files, .*)?$/),
          param: "field",
          request_id: "req_1",
        },
      });
    });
  }

  test("has exactly the documented codes", () => {
    expect([...CODES].sort()).toEqual(Object.values(DOCUMENTED).flat().sort());
  });
});

test("an internal error reveals neither its message nor its stack", () => {
  const body = JSON.stringify(envelope(toFault(new Error("password=hunter2 at /srv/secret.ts")), "req_1"));
  expect(body).toContain("internal_error");
  expect(body).not.toMatch(/hunter2|secret/);
});

test("validation errors name every invalid field in the details, and the first one in the message", () => {
  const fault = toFault(
    invalidInput([
      { field: "speed", code: "out_of_range", message: "must be <= 4" },
      { field: "input", code: "required", message: "is required" },
    ]),
  );
  expect(envelope(fault, "req_1")).toMatchObject({
    error: {
      message: "speed must be <= 4.",
      param: "speed",
      details: [{ field: "speed" }, { field: "input" }],
    },
  });
});
