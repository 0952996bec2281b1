/** Promise: a refusal's message is stored as the client received it, bounded and without keys. */
import { expect, test } from "bun:test";
import { logRow, type RequestContext } from "../../src/usage/request-log.ts";

const context = { principal: { redaction: null }, id: "req_1" } as unknown as RequestContext;
const outcome = {
  createdAt: 0,
  durationMs: 1,
  firstByteMs: null,
  status: 400,
  errorCode: "invalid_model",
  costMicros: 0,
  replayOf: null,
};
const stored = (errorMessage: string) => logRow(context, { ...outcome, errorMessage }).errorMessage;

test.each([
  ["tts-9 is not a TTS model.", "tts-9 is not a TTS model."],
  [`sk_live_${"a".repeat(40)} is not a TTS model.`, "[key] is not a TTS model."],
  ["There is no voice ek_abcdefgh.", "There is no voice [key]."],
  ["sk-proj-abcdef-123 is not a TTS model.", "[key] is not a TTS model."],
  ["x".repeat(3000), "x".repeat(500)],
])("%s", (sent, kept) => {
  expect(stored(sent)).toBe(kept);
});

test("a request that succeeds has no error message", () => {
  expect(logRow(context, { ...outcome, status: 200, errorCode: null }).errorMessage).toBeNull();
});
