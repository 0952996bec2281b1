/** What the language model is asked for an answer: the conversation as it is now, and the settings. Pure. */
import type { ChatMessage, ChatRequest } from "../../engine/protocol/chat.ts";
import type { Context, Reading } from "./context.ts";
import type { AnswerSettings, Truncation } from "./dialogue-settings.ts";
import type { Item } from "./items.ts";

/** `input` null: the conversation. `note`: a last message in the name of the user. */
export type Asked = {
  settings: AnswerSettings;
  isInConversation: boolean;
  input: readonly Item[] | null;
  metadata: Record<string, string> | null;
  note: string | null;
};

type Readable = { context: Context; items: { all: readonly Item[] }; truncation: () => Truncation };

/** Null: it is longer than the model can read. */
export function requestOf(asked: Asked, { context, items, truncation }: Readable): ChatRequest | null {
  const messages = context.messages(readingOf(asked, items), truncation());
  return messages && withMessages(asked, messages);
}

/** After the model refused it as too long: with half of it. */
export const halvedRequestOf = (asked: Asked, { context, items }: Readable): ChatRequest =>
  withMessages(asked, context.halve(readingOf(asked, items)));

function readingOf({ settings, input, note }: Asked, { all }: Readable["items"]): Reading {
  const { instructions, tools, modality } = settings;
  return { items: input ?? all, instructions, tools, isSpoken: modality === "audio", note };
}

function withMessages({ settings }: Asked, messages: ChatMessage[]): ChatRequest {
  const { tools, toolChoice, parallelCalls, maxTokens, temperature, reasoning } = settings;
  return {
    ...{ messages, tools, toolChoice, parallelCalls, temperature, reasoning },
    maxTokens: maxTokens === "inf" ? null : maxTokens,
  };
}
