/**
 * The bytes of an answer of chat completions, as its parts: text, calls, its end. Servers differ in all that the API leaves
 * open; what has no meaning here is ignored.
 *
 *   data: {"choices":[{"delta":{"content":"Good"}}]} … data: [DONE]      or one JSON object in place of a stream
 */
import { FaultyAnswer, mustBe } from "../../engine/answers/faulty-answer.ts";
import type { ChatEvent, ChatUsage } from "../../engine/protocol/chat.ts";
import { errorFailure } from "../transport/failure.ts";
import { type Leading, ThinkingFilter } from "./thinking.ts";
import { ToolCalls } from "./tool-calls.ts";

const LINE_MAX = 1024 * 1024;
const BYTES_MAX = 16 * 1024 * 1024;

type Ended = Extract<ChatEvent, { is: "end" }>["reason"];

export class ChatStream {
  readonly #decoder = new TextDecoder();
  readonly #thinking: ThinkingFilter;
  readonly #calls = new ToolCalls();
  readonly #isJson: boolean;
  #line = "";
  #bytes = 0;
  #usage: ChatUsage | null = null;
  #reason: Ended | null = null;
  #hasText = false;
  #isDone = false;

  /** `isJson`: the answer is one JSON object. `leading`: whether it begins within its thinking. */
  constructor({ isJson, leading }: { isJson: boolean; leading: Leading }) {
    this.#isJson = isJson;
    this.#thinking = new ThinkingFilter(leading);
  }

  /** What this answer shows of how answers begin. */
  get leads(): Leading {
    return this.#thinking.leads;
  }

  /** Whether the server has said that it is complete. */
  get isDone(): boolean {
    return this.#isDone;
  }

  /** The text that these bytes complete. Throws a `FaultyAnswer`, or the failure that the server reports. */
  push(bytes: Uint8Array): string {
    this.#bytes += bytes.length;
    mustBe(this.#bytes <= BYTES_MAX, "the answer is not too long");
    this.#line += this.#decoder.decode(bytes, { stream: true });
    if (this.#isJson) return "";
    let text = "";
    const lines = this.#line.split("\n");
    this.#line = lines.pop()!;
    mustBe(this.#line.length <= LINE_MAX, "a line of the answer is not too long");
    for (const line of lines) text += this.#read(line);
    return text;
  }

  #read(line: string): string {
    const data = /^data:\s?(.*?)\r?$/.exec(line)?.[1];
    if (data === undefined || this.#isDone) return "";
    if (data.trim() === "[DONE]") {
      this.#isDone = true;
      return "";
    }
    mustBe(data.length <= LINE_MAX, "a line of the answer is not too long");
    return this.#add(parsed(data));
  }

  #add(value: Chunk): string {
    if (value.error != null) throw errorFailure(value.error);
    this.#usage = usageOf(value.usage) ?? this.#usage;
    const choice = Array.isArray(value.choices) ? value.choices[0] : null;
    if (!choice || typeof choice !== "object") return "";
    const said = choice.delta ?? choice.message ?? {};
    this.#calls.add(said.tool_calls);
    this.#reason = reasonOf(choice.finish_reason) ?? this.#reason;
    const text = this.#thinking.push(textOf(said.content) + textOf(said.refusal));
    this.#hasText ||= text !== "";
    return text;
  }

  /** The last parts, once all bytes are read. Throws a `FaultyAnswer` for one that broke off before it said anything. */
  finish(): ChatEvent[] {
    let text = "";
    if (this.#isJson) text += this.#add(parsed(this.#line));
    else if (this.#line.trim() !== "") text += this.#read(this.#line);
    text += this.#thinking.finish(this.#reason === "complete");
    const calls = this.#calls.finish();
    const isComplete = this.#isDone || this.#isJson || this.#reason !== null;
    mustBe(isComplete || this.#hasText || text !== "", "the answer is complete");
    return [
      ...(text === "" ? [] : [{ is: "text" as const, text }]),
      ...calls.map((call) => ({ is: "call" as const, ...call })),
      { is: "end", reason: this.#reason ?? "complete", usage: this.#usage },
    ];
  }
}

type Chunk = {
  error?: unknown;
  usage?: unknown;
  choices?: ({ delta?: Said | null; message?: Said | null; finish_reason?: unknown } | null)[];
};
type Said = { content?: unknown; refusal?: unknown; tool_calls?: unknown };

function parsed(text: string): Chunk {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new FaultyAnswer(`a part of the answer is not JSON: ${text.slice(0, 200)}`);
  }
  mustBe(typeof value === "object" && value !== null, "a part of the answer is an object");
  return value as Chunk;
}

/** Some servers send a list of parts. */
function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content
    .map((part) => (typeof part?.text === "string" && part.type !== "thinking" ? part.text : ""))
    .join("");
}

function reasonOf(reason: unknown): Ended | null {
  if (reason === "length" || reason === "max_tokens") return "limit";
  if (reason === "content_filter") return "filter";
  return typeof reason === "string" && reason !== "" ? "complete" : null;
}

const count = (value: unknown): number =>
  typeof value === "number" && Number.isFinite(value) && value > 0 ? Math.min(Math.round(value), 1e9) : 0;

function usageOf(usage: unknown): ChatUsage | null {
  if (typeof usage !== "object" || usage === null) return null;
  const { prompt_tokens, completion_tokens, prompt_tokens_details } = usage as Record<string, unknown>;
  const details = (prompt_tokens_details ?? {}) as Record<string, unknown>;
  const input = count(prompt_tokens);
  return { input, cached: Math.min(input, count(details.cached_tokens)), output: count(completion_tokens) };
}
