/** Promise: the code that closes a realtime socket tells a client whether to reconnect. */
import { expect, test } from "bun:test";
import { closeCode, isSlip } from "../../../../src/api/v1/realtime/socket-errors.ts";
import { Refusal } from "../../../../src/errors.ts";

test.each([
  ["insufficient_credits", 1008],
  ["api_key_revoked", 1008],
  ["validation_error", 1008],
  ["rate_limit_exceeded", 1013],
  ["service_unavailable", 1013],
  ["inference_unavailable", 1011],
  ["internal_error", 1011],
  ["session_expired", 1001],
] as const)("a session that ends with %s closes its socket with %d", (code, closed) => {
  expect(closeCode(new Refusal(code, "It is over."))).toBe(closed);
});

test.each([
  ["invalid_event", true],
  ["validation_error", true],
  ["unsupported_language", true],
  ["invalid_model", true],
  ["insufficient_credits", false],
  ["spending_limit_reached", false],
  ["api_key_revoked", false],
  ["insufficient_scope", false],
  ["rate_limit_exceeded", false],
  ["inference_unavailable", false],
  ["service_unavailable", false],
] as const)("%s is a mistake in one event: %p", (code, expected) => {
  expect(isSlip(new Refusal(code, "Wrong."))).toBe(expected);
});

test("a server that shuts down closes its sockets with 1001", () => {
  expect(closeCode(null)).toBe(1001);
});
