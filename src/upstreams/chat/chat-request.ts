/** A request to a language model as the body of one kind of server. Pure. */
import type { ChatMessage, ChatRequest } from "../../engine/protocol/chat.ts";
import type { ChatFlags } from "../dialects/preset.ts";

/** `model`: the server's own name of it. `extra`: the definition's, which wins. */
export type ChatModel = { model: string; flags: ChatFlags; thinks: boolean; extra: Record<string, unknown> };

export function chatBody(request: ChatRequest, { model, flags, thinks, extra }: ChatModel): string {
  const { tools, maxTokens, temperature, reasoning } = request;
  const withoutThinking = reasoning === null && !thinks ? flags.thinking_off : {};
  return JSON.stringify({
    model,
    messages: systemFirst(request.messages, flags).map(messageOf),
    stream: true,
    ...(flags.usage ? { stream_options: { include_usage: true } } : {}),
    ...(tools.length > 0 && request.toolChoice !== "none" ? toolsOf(request, flags) : {}),
    ...(maxTokens === null ? {} : { [flags.max_tokens]: maxTokens }),
    ...(temperature === null ? {} : { temperature }),
    ...(reasoning !== null && flags.reasoning ? { reasoning_effort: reasoning } : {}),
    ...withoutThinking,
    ...extra,
  });
}

function toolsOf({ tools, toolChoice, parallelCalls }: ChatRequest, flags: ChatFlags): object {
  const choice = typeof toolChoice === "string" ? toolChoice : { type: "function", function: toolChoice };
  return {
    tools: tools.map((tool) => ({ type: "function", function: tool })),
    ...(flags.tool_choice ? { tool_choice: choice } : {}),
    ...(parallelCalls ? {} : { parallel_tool_calls: false }),
  };
}

/** Templates that refuse a later system message get it as the user's, marked. */
const systemFirst = (messages: ChatMessage[], { system }: ChatFlags): ChatMessage[] =>
  system === "anywhere"
    ? messages
    : messages.map((message, index) =>
        message.role === "system" && index > 0
          ? { role: "user", content: `(Instruction: ${message.content})` }
          : message,
      );

function messageOf(message: ChatMessage): object {
  if (message.role === "tool")
    return { role: "tool", tool_call_id: message.callId, content: message.content };
  if (message.role === "assistant") {
    const { content, calls } = message;
    if (calls.length === 0) return { role: "assistant", content };
    return {
      role: "assistant",
      content,
      tool_calls: calls.map(({ callId, name, arguments: asked }) => ({
        id: callId,
        type: "function",
        function: { name, arguments: asked },
      })),
    };
  }
  if (message.role === "system" || typeof message.content === "string") return { ...message };
  return {
    role: "user",
    content: message.content.map((part) =>
      part.is === "text"
        ? { type: "text", text: part.text }
        : { type: "image_url", image_url: { url: part.url, detail: part.detail } },
    ),
  };
}
