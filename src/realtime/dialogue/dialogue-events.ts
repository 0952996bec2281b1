/** The server's events of a conversation, without their ids, by the names of the current API. */

import type { ChatUsage } from "../../engine/protocol/chat.ts";
import type { LiveFormat } from "../../engine/protocol/live-format.ts";
import type { Outcome } from "../dialogue-effects.ts";
import type { ServerEvent } from "../events.ts";
import { copyOf, type Item } from "./items.ts";

export const itemAdded = (item: Item, previousId: string | null): ServerEvent => ({
  type: "conversation.item.added",
  previous_item_id: previousId,
  item: copyOf(item),
});

export const itemDone = (item: Item, previousId: string | null): ServerEvent => ({
  ...itemAdded(item, previousId),
  type: "conversation.item.done",
});

export const itemRetrieved = (item: Item): ServerEvent => ({
  type: "conversation.item.retrieved",
  item: copyOf(item),
});

export const itemTruncated = (itemId: string, audioEndMs: number): ServerEvent => ({
  type: "conversation.item.truncated",
  item_id: itemId,
  content_index: 0,
  audio_end_ms: audioEndMs,
});

type ResponseStatus = "in_progress" | Outcome["status"];

/** Why a response was not completed, as clients read it; null: it was, or is under way. */
export type StatusDetails =
  | { type: "cancelled"; reason: "turn_detected" | "client_cancelled" | "session_ended" }
  | { type: "incomplete"; reason: "max_output_tokens" | "content_filter" }
  | { type: "failed"; error: { type: string; code: string; message: string } }
  | null;

/** What of a response stays the same from its first event to its last. */
export type ResponseFields = {
  id: string;
  conversationId: string | null;
  modality: "audio" | "text";
  maxTokens: number | "inf";
  output: { format: LiveFormat; voice: string | { id: string } };
  metadata: Record<string, string> | null;
};

type ResponseState = {
  status: ResponseStatus;
  details: StatusDetails;
  output: readonly Item[];
  usage: object | null;
};

export const responseObject = (
  { id, conversationId, modality, maxTokens, output: sound, metadata }: ResponseFields,
  { status, details, output, usage }: ResponseState,
): object => ({
  object: "realtime.response",
  id,
  status,
  status_details: details,
  output: output.map(copyOf),
  conversation_id: conversationId,
  output_modalities: [modality],
  max_output_tokens: maxTokens,
  audio: { output: { format: sound.format, voice: sound.voice } },
  metadata,
  usage,
});

/** Zeros where the model told none: clients read all of it. */
export function usageObject(usage: ChatUsage | null): object {
  const { input, cached, output } = usage ?? { input: 0, cached: 0, output: 0 };
  return {
    total_tokens: input + output,
    input_tokens: input,
    output_tokens: output,
    input_token_details: {
      text_tokens: input,
      audio_tokens: 0,
      image_tokens: 0,
      cached_tokens: cached,
      cached_tokens_details: { text_tokens: cached, audio_tokens: 0, image_tokens: 0 },
    },
    output_token_details: { text_tokens: output, audio_tokens: 0 },
  };
}
