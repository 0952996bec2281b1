/** Promise: a conversation interrupts and guesses as its operator has set it. */
import { expect, test } from "bun:test";
import type { LanguageModel } from "../../src/engine/protocol/chat.ts";
import { conversationFrom } from "../../src/models/conversation.ts";
import { openAssistants } from "../../src/server/assistants.ts";

const model: LanguageModel = {
  ...{ model: "brain", vision: false, leavesHost: false, prices: null },
  contextTokens: async () => null,
  warm: async () => {},
  async *chat() {},
};

function assistantOf(fields: object, more: Partial<LanguageModel> = {}) {
  const defined = [{ ...conversationFrom({ name: "support", ...fields }), isDefault: true }];
  const deps = { languageModel: () => ({ ...model, ...more }), conversations: { current: () => defined } };
  return openAssistants(deps).find("support", false)!;
}

const FAR = { leavesHost: true };
const PRICED = { prices: { input: 1, output: 1 } };

test.each([
  ["auto", {}, true],
  ["auto", FAR, false],
  ["auto", PRICED, false],
  ["on", { ...FAR, ...PRICED }, true],
  ["off", {}, false],
])("speculate %s of a model with %p asks early: %p", (speculate, more, expected) => {
  expect(assistantOf({ speculate }, more).guesses).toBe(expected);
});

test("how it is interrupted is as it was set", () => {
  const { interruption } = assistantOf({ interruption_ms: 0, backchannels: true, resume: false });
  expect(interruption).toEqual({ afterMs: 0, ignoresBackchannels: true, resumes: false });
});
