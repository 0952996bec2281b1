/**
 * The bytes of an answer of chat completions, as its parts: text, calls, its end. Servers differ in all that the API leaves
 * open; what has no meaning here is ignored.
 *
 *   data: {"choices":[{"delta":{"content":"Good"}}]} … data: [DONE]      or one JSON object in place of a stream
 */
import { mustBe } from "../../engine/answers/faulty-answer.ts";
import type { ChatEvent, ChatUsage } from "../../engine/protocol/chat.ts";
import { errorFailure } from "../transport/failure.ts";
import {
  BYTES_MAX,
  believed,
  CONTENT_MAX,
  LINE_MAX,
  OBJECT_MAX,
  parsedObject,
  TEXT_MAX,
  type TokensMax,
} from "./chat-bounds.ts";
import { type Leading, ThinkingFilter } from "./thinking.ts";
import { ToolCalls } from "./tool-calls.ts";

type Ended = Extract<ChatEvent, { is: "end" }>["reason"];

/** `isJson`: the answer is one JSON object. `leading`: whether it begins within its thinking. */
type Options = { isJson: boolean; leading: Leading; tokensMax: TokensMax };

const THINKING_PIECE = 16 * 1024;

export class ChatStream {
  readonly #decoder = new TextDecoder();
  readonly #thinking: ThinkingFilter;
  readonly #calls = new ToolCalls();
  readonly #options: Options;
  #line = "";
  #bytes = 0;
  #usage: ChatUsage | null = null;
  #reason: Ended | null = null;
  /** Characters of what the model wrote, and of those its text. */
  #content = 0;
  #text = 0;
  #isDone = false;

  constructor(options: Options) {
    this.#options = options;
    this.#thinking = new ThinkingFilter(options.leading);
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
    mustBe(this.#bytes <= BYTES_MAX, "the answer is too long");
    const decoded = this.#decoder.decode(bytes, { stream: true });
    if (this.#options.isJson) {
      this.#keep(decoded, OBJECT_MAX);
      return "";
    }
    let text = "";
    const lines = decoded.split("\n");
    const last = lines.pop()!;
    for (const line of lines) {
      this.#keep(line, LINE_MAX);
      text += this.#take();
    }
    this.#keep(last, LINE_MAX);
    return text;
  }

  #keep(piece: string, lengthMax: number): void {
    this.#line += piece;
    mustBe(this.#line.length <= lengthMax, "a part of the answer is too long");
  }

  /** The text of the line that is complete. */
  #take(): string {
    const line = this.#line;
    this.#line = "";
    if (!line.startsWith("data:") || this.#isDone) return "";
    const data = line.slice("data:".length).trim();
    if (data !== "[DONE]") return this.#add(parsedObject(data) as Chunk);
    this.#isDone = true;
    return "";
  }

  #add(value: Chunk): string {
    if (value.error != null) throw errorFailure(value.error);
    this.#usage = usageOf(value.usage) ?? this.#usage;
    const choice = Array.isArray(value.choices) ? value.choices[0] : null;
    if (!choice || typeof choice !== "object") return "";
    const said = choice.delta ?? choice.message ?? {};
    this.#calls.add(said.tool_calls);
    this.#reason = reasonOf(choice.finish_reason) ?? this.#reason;
    const content = textOf(said.content) + textOf(said.refusal);
    this.#content += content.length + textOf(said.reasoning_content ?? said.reasoning).length;
    mustBe(this.#content <= CONTENT_MAX, "the answer does not end");
    return this.#spoken(content);
  }

  #spoken(content: string): string {
    let text = "";
    for (let from = 0; from < content.length; from += THINKING_PIECE)
      text += this.#thinking.push(content.slice(from, from + THINKING_PIECE));
    return this.#counted(text);
  }

  #counted(text: string): string {
    this.#text += text.length;
    mustBe(this.#text <= TEXT_MAX, "the text of the answer does not end");
    return text;
  }

  /**
   * The last parts, once all bytes are read. Throws a `FaultyAnswer` for one that is not complete: without a word, a call or
   * an end.
   */
  finish(): ChatEvent[] {
    let text = "";
    if (this.#options.isJson) text += this.#add(parsedObject(this.#line) as Chunk);
    else text += this.#take();
    text += this.#counted(this.#thinking.finish(this.#reason === "complete"));
    const calls = this.#calls.finish();
    const isComplete = this.#isDone || this.#options.isJson || this.#reason !== null;
    mustBe(isComplete || this.#text > 0, "the answer is not complete");
    const characters = this.#content + this.#calls.characters;
    const usage = believed(this.#usage, characters, this.#options.tokensMax);
    return [
      ...(text === "" ? [] : [{ is: "text" as const, text }]),
      ...calls.map((call) => ({ is: "call" as const, ...call })),
      { is: "end", reason: this.#reason ?? "complete", usage },
    ];
  }
}

type Chunk = {
  error?: unknown;
  usage?: unknown;
  choices?: ({ delta?: Said | null; message?: Said | null; finish_reason?: unknown } | null)[];
};
type Said = {
  content?: unknown;
  refusal?: unknown;
  reasoning?: unknown;
  reasoning_content?: unknown;
  tool_calls?: unknown;
};

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
