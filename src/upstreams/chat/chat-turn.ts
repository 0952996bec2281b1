/**
 * One answer of a language model of an upstream: its text, its calls and its end, as they come.
 *
 *   a place at a server ──> request ──first token within──> text ──next within──> … ──> end
 *                              │ it failed before the first token: once more, elsewhere if there is another
 */

import type { ChatEvent, ChatMessage, ChatRequest } from "../../engine/protocol/chat.ts";
import { type Code, Refusal, retrySeconds } from "../../errors.ts";
import { openEventLoopShare } from "../../memory/event-loop-share.ts";
import type { ChatFlags } from "../dialects/preset.ts";
import type { RetriedConnection } from "../dialects/upstream-connection.ts";
import { openExchange } from "../transport/exchange.ts";
import { failureFrom, isRetryable, readable, UpstreamFailure } from "../transport/failure.ts";
import type { Lease } from "../transport/server-pool.ts";
import { type TokensMax, tokensMaxOf } from "./chat-bounds.ts";
import { ChatStream } from "./chat-stream.ts";
import type { Leading } from "./thinking.ts";

const BETWEEN_MS = 10_000;
const WHOLE_MS = 120_000;
/** What is worked on before other work may run: bytes that are read, and characters that are spoken. */
const BYTES_AT_ONCE = 16 * 1024;
const CHARACTERS_AT_ONCE = 400;
/** Enough for a greeting, whose end shows how answers begin. */
const TRIAL_TOKENS = 64;

/** `firstTokenMs`: a server may load the model first. `leading`: how its answers begin, which each of them may show. */
export type Asking = { model: ChatModel; firstTokenMs: number; leading: { is: Leading } };

/** Throws a refusal for an answer that failed, or the reason of the signal, whose abort closes the connection. */
export async function* chatTurn(
  connection: RetriedConnection,
  request: ChatRequest,
  asking: Asking & { signal: AbortSignal },
): AsyncGenerator<ChatEvent> {
  const { signal } = asking;
  const attempt = attemptOf(request, asking);
  const avoided = new Set<string>();
  connection.budget.requested();
  for (let isAgain = false; ; isAgain = true) {
    let hasBegun = false;
    const lease = await placeAt(connection, signal, avoided);
    try {
      for await (const event of answer(connection, lease, attempt)) {
        hasBegun = true;
        yield event;
      }
      return;
    } catch (thrown) {
      const error = failureFrom(thrown);
      if (signal.aborted) throw signal.reason;
      if (!(error instanceof UpstreamFailure)) throw error;
      lease.failed(error);
      connection.failed(error, lease.server.address.key);
      if (isAgain || hasBegun || !isRetryable(error) || error.kind === "busy" || !connection.budget.retry())
        throw refusalOf(error);
      avoided.add(lease.server.address.key);
    } finally {
      lease.release();
    }
  }
}

/** Has a server load the model and read a request. That it fails says nothing of the answers to come. */
export async function warmUp(
  connection: RetriedConnection,
  request: ChatRequest,
  asking: Asking & { signal: AbortSignal },
): Promise<void> {
  const maxTokens = asking.leading.is === "unknown" ? TRIAL_TOKENS : 1;
  const attempt = attemptOf({ ...request, maxTokens }, asking);
  const lease = await placeAt(connection, asking.signal, new Set());
  try {
    await Array.fromAsync(answer(connection, lease, attempt));
  } finally {
    lease.release();
  }
}

/** A server without a place is asked again when it has one. */
async function placeAt(
  { pool }: RetriedConnection,
  signal: AbortSignal,
  avoided: ReadonlySet<string>,
): Promise<Lease> {
  try {
    return await pool.take(signal, avoided);
  } catch (error) {
    if (signal.aborted || !(error instanceof Refusal)) throw error;
    throw new Refusal("llm_unavailable", FAILED, { cause: error });
  }
}

type Attempt = Asking & { body: string; tokensMax: TokensMax; signal: AbortSignal };

function attemptOf(request: ChatRequest, asking: Asking & { signal: AbortSignal }): Attempt {
  const body = chatBody(request, asking.model);
  return { ...asking, body, tokensMax: tokensMaxOf(request, body, asking.model.thinks) };
}

/** Of all answers together. */
const share = openEventLoopShare();

async function* answer(
  { headers }: RetriedConnection,
  lease: Lease,
  { body, model, firstTokenMs, leading, tokensMax, signal }: Attempt,
): AsyncGenerator<ChatEvent> {
  const late = new AbortController();
  const limit = openLimit(late, firstTokenMs);
  const begunMs = performance.now();
  try {
    using exchange = await openExchange(
      { path: model.flags.path, headers: { "content-type": "application/json" }, body },
      {
        address: lease.server.address,
        headers: readable(headers),
        timeouts: { firstByteMs: firstTokenMs, betweenBytesMs: firstTokenMs + BETWEEN_MS, wholeMs: WHOLE_MS },
        signal: AbortSignal.any([signal, late.signal]),
      },
    );
    const isJson = exchange.contentType === "application/json";
    const stream = new ChatStream({ isJson, leading: leading.is, tokensMax });
    for await (const bytes of exchange.chunks()) {
      limit.next();
      for (let from = 0; from < bytes.length && !stream.isDone; from += BYTES_AT_ONCE) {
        yield* spoken(stream.push(bytes.subarray(from, from + BYTES_AT_ONCE)), signal);
        await turnOf(signal);
      }
      if (stream.isDone) break;
    }
    const last = stream.finish();
    lease.succeeded(performance.now() - begunMs);
    if (stream.leads !== "unknown") leading.is = stream.leads;
    for (const event of last)
      if (event.is === "text") yield* spoken(event.text, signal);
      else yield event;
  } finally {
    limit.end();
  }
}

/** In pieces, none of which takes long to be handled. */
async function* spoken(text: string, signal: AbortSignal): AsyncGenerator<ChatEvent> {
  for (let from = 0; from < text.length; ) {
    const piece = text.slice(from, pieceEnd(text, from));
    from += piece.length;
    yield { is: "text", text: piece };
    await turnOf(signal);
  }
}

/** A character of two code units is not divided. */
function pieceEnd(text: string, from: number): number {
  const end = from + CHARACTERS_AT_ONCE;
  return /[\uD800-\uDBFF]/.test(text.charAt(end - 1)) ? end + 1 : end;
}

/** Throws the reason of the signal where the caller has left meanwhile. */
async function turnOf(signal: AbortSignal): Promise<void> {
  if (!share.isUsed()) return;
  await share.turn();
  signal.throwIfAborted();
}

/** Ends an answer whose next part does not come. */
function openLimit(late: AbortController, firstMs: number) {
  const fail = (what: string, ms: number) => () =>
    late.abort(new UpstreamFailure("late", `${what} within ${ms} ms`));
  let timer = setTimeout(fail("no first token", firstMs), firstMs);
  return {
    next() {
      clearTimeout(timer);
      timer = setTimeout(fail("no next token", BETWEEN_MS), BETWEEN_MS);
    },
    end: () => clearTimeout(timer),
  };
}

const FAILED = "The language model failed. Try again.";
const TOO_LONG =
  /context.{0,40}(length|window|size)|too (long|many tokens)|maximum.{0,20}tokens|exceed.{0,40}(context|tokens)/i;

/** Nothing of the server's own words leaves. */
function refusalOf(failure: UpstreamFailure): Refusal {
  const refused = (code: Code, message: string) => new Refusal(code, message, { cause: failure });
  switch (failure.kind) {
    case "busy":
      return new Refusal("llm_busy", "The language model is busy. Try again in a moment.", {
        retryAfterSeconds: retrySeconds(failure.retryAfterMs ?? 1000),
        cause: failure,
      });
    case "late":
      return refused("llm_timeout", "The language model did not answer in time. Try again.");
    case "credential":
      return refused("llm_misconfigured", "The language model of this server cannot be used.");
    case "rejected":
      if (TOO_LONG.test(failure.message))
        return refused(
          "context_length_exceeded",
          "The conversation is longer than the language model can read.",
        );
      return refused("llm_misconfigured", "The language model of this server cannot be used.");
    default:
      return refused("llm_unavailable", FAILED);
  }
}

/**
 * A request to a language model as the body of one kind of server. Pure.
 *
 * `model`: the server's own name of it. `extra`: the definition's, which wins.
 */
type ChatModel = { model: string; flags: ChatFlags; thinks: boolean; extra: Record<string, unknown> };

function chatBody(request: ChatRequest, { model, flags, thinks, extra }: ChatModel): string {
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
