/** What a language model is asked, and the parts of its answer in the order in which they come. */

/** `url`: a `data:` URI of png, jpeg or webp. */
export type ChatPart =
  | { is: "text"; text: string }
  | { is: "image"; url: string; detail: "auto" | "low" | "high" };

/** A function that the model wants to have called. `arguments`: JSON, never empty. */
export type ChatCall = { callId: string; name: string; arguments: string };

/** Of arguments, and of what else a language model's server sends as JSON. */
export const CHAT_JSON_LIMITS = { depthMax: 32, valuesMax: 10_000 };

/** `content` of a user is a text, or parts where one of them is an image. */
export type ChatMessage =
  | { role: "system"; content: string }
  | { role: "user"; content: string | ChatPart[] }
  | { role: "assistant"; content: string; calls: ChatCall[] }
  | { role: "tool"; callId: string; content: string };

/** `parameters`: a JSON schema, as the caller wrote it. */
export type ChatTool = { name: string; description?: string; parameters?: object };

export type ToolChoice = "none" | "auto" | "required" | { name: string };

/** `maxTokens` null: as many as the model likes. `reasoning` null: the model does not think before it answers, where it can. */
export type ChatRequest = {
  messages: ChatMessage[];
  tools: ChatTool[];
  toolChoice: ToolChoice;
  parallelCalls: boolean;
  maxTokens: number | null;
  temperature: number | null;
  reasoning: string | null;
};

/** Tokens. `cached`: of the input, those that the server had read before. */
export type ChatUsage = { input: number; cached: number; output: number };

/**
 * A part of an answer. Thinking is never one. `end` is the last, once: `limit` is the answer's own token limit, `filter` the
 * server's content filter; `usage` null where the server told none.
 */
export type ChatEvent =
  | { is: "text"; text: string }
  | ({ is: "call" } & ChatCall)
  | { is: "end"; reason: "complete" | "limit" | "filter"; usage: ChatUsage | null };

/**
 * One model of one upstream. `contextTokens`: how much it reads; null where neither its definition nor its server tells.
 * `leavesHost`: what is said reaches machines of another operator. Prices: microdollars of a million tokens; null: free.
 */
export type LanguageModel = {
  model: string;
  vision: boolean;
  leavesHost: boolean;
  prices: { input: number; output: number } | null;
  contextTokens(): Promise<number | null>;
  /**
   * Throws a refusal: `llm_unavailable`, `llm_timeout`, `llm_busy`, `llm_misconfigured`, `context_length_exceeded`, or the
   * reason of the signal, whose abort closes the connection at once.
   */
  chat(request: ChatRequest, signal: AbortSignal): AsyncGenerator<ChatEvent>;
  /** Has its server load it, and read this, unless it was used a short time ago. */
  warm(request: ChatRequest, signal: AbortSignal): Promise<void>;
};
