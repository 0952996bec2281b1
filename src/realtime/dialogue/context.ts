/**
 * What a language model reads of a conversation: its items as messages, within the tokens that the model can read.
 *
 *   items     ·········|██████████████████     where there are too many, the oldest go until 70 % is used,
 *             left out │ read                  so that the beginning stays the same for many turns
 */
import { parseJson } from "../../bounded-json.ts";
import {
  CHAT_JSON_LIMITS,
  type ChatMessage,
  type ChatPart,
  type ChatTool,
} from "../../engine/protocol/chat.ts";
import type { Truncation } from "./dialogue-settings.ts";
import type { CallItem, Content, Item, MessageItem } from "./items.ts";

/** Said to the model before anything else, behind the instructions, and never to the client. */
const HINT =
  "Your answer is spoken aloud. Use short sentences. Use no markup, lists, emoji or web addresses. Write numbers in digits. Answer in the language of the caller.";
const STARTS = "(The conversation starts.)";
const RUNNING = "The function is still running.";
const CHARACTERS_OF_TOKEN = 3.5;
const MOST_CHARACTERS = 8;
const LEAST_TOKENS = 100; // fewer say little of how the model counts
const IMAGE_CHARACTERS = 3500;
const MESSAGE_CHARACTERS = 12; // what a template adds
const DEFAULT_LIMIT = 8192;
const RETAINED = 0.7; // of the limit, where the client names no ratio

/** `isSpoken`: the answer is. `note`: a last message in the name of the user. */
export type Reading = {
  items: readonly Item[];
  instructions: string;
  tools: readonly ChatTool[];
  isSpoken: boolean;
  note: string | null;
};

export class Context {
  /** The oldest item that is read; null: all are. */
  #from: string | null = null;
  /** What a token of this conversation is, corrected by what the model counted. */
  #charactersOfToken = CHARACTERS_OF_TOKEN;
  #limit = DEFAULT_LIMIT;

  /** Tokens that the model reads; null: that is not known. */
  set limit(tokens: number | null) {
    this.#limit = tokens ?? DEFAULT_LIMIT;
  }

  /** The model counted so many tokens of these messages and tools. */
  correct(messages: readonly ChatMessage[], tools: readonly ChatTool[], tokens: number): void {
    const characters = charactersOf(messages, tools);
    if (tokens >= LEAST_TOKENS)
      this.#charactersOfToken = Math.min(MOST_CHARACTERS, Math.max(1, characters / tokens));
  }

  /** Null where they are too long, and no more may be left out. */
  messages(reading: Reading, truncation: Truncation): ChatMessage[] | null {
    const items = this.#rest(reading.items);
    const most = this.#limit * this.#charactersOfToken;
    const fixed = fixedCharacters(reading);
    const wanted = Math.min(most, fixed + this.#charactersOfToken * tokensOf(truncation));
    const size = items.reduce((sum, item) => sum + itemCharacters(item), fixed);
    if (size <= wanted) return messagesOf({ ...reading, items });
    if (truncation === "disabled") return null;
    const retained = truncation === "auto" ? RETAINED : truncation.retention_ratio;
    const goal = Math.min(most * retained, fixed + (wanted - fixed) * retained);
    const kept = this.#cut(items, size - goal);
    const left = kept.reduce((sum, item) => sum + itemCharacters(item), fixed);
    return left <= most ? messagesOf({ ...reading, items: kept }) : null;
  }

  /** The model refused the messages as too long: half of them go. */
  halve(reading: Reading): ChatMessage[] {
    const items = this.#rest(reading.items);
    const size = items.reduce((sum, item) => sum + itemCharacters(item), 0);
    return messagesOf({ ...reading, items: this.#cut(items, size / 2) });
  }

  #rest(items: readonly Item[]): readonly Item[] {
    const from = this.#from === null ? -1 : items.findIndex(({ id }) => id === this.#from);
    return from < 0 ? items : items.slice(from);
  }

  /** Leaves out the oldest, so many characters of them, and begins with what the user said; never leaves out what they said last. */
  #cut(items: readonly Item[], characters: number): readonly Item[] {
    const lastUser = items.findLastIndex(isUser);
    const last = lastUser < 0 ? items.length - 1 : lastUser;
    let from = 0;
    for (let gone = 0; from < last && (gone < characters || !isUser(items[from]!)); from++)
      gone += itemCharacters(items[from]!);
    this.#from = items[from]?.id ?? null;
    return items.slice(from);
  }
}

/** Of the conversation, that its client wants to be read. */
const tokensOf = (truncation: Truncation): number =>
  (typeof truncation === "object" ? truncation.token_limits?.post_instructions : null) ??
  Number.POSITIVE_INFINITY;

/** That a model reads. */
export const charactersOf = (messages: readonly ChatMessage[], tools: readonly ChatTool[]): number =>
  messages.reduce((sum, message) => sum + sizeOf(message), toolCharacters(tools));

const isUser = (item: Item): boolean => item.type === "message" && item.role === "user";

const toolCharacters = (tools: readonly ChatTool[]): number =>
  tools.length === 0 ? 0 : JSON.stringify(tools).length;

const fixedCharacters = ({ instructions, tools, isSpoken, note }: Reading): number =>
  MESSAGE_CHARACTERS +
  instructions.length +
  (isSpoken ? HINT.length : 0) +
  (note?.length ?? 0) +
  toolCharacters(tools);

function itemCharacters(item: Item): number {
  if (item.type === "function_call") return MESSAGE_CHARACTERS + item.name.length + item.arguments.length;
  if (item.type === "function_call_output") return MESSAGE_CHARACTERS + item.output.length;
  return item.content.reduce(
    (sum, part) => sum + (part.type === "input_image" ? IMAGE_CHARACTERS : textOf(part).length),
    MESSAGE_CHARACTERS,
  );
}

function sizeOf(message: ChatMessage): number {
  const { content } = message;
  const text =
    typeof content === "string"
      ? content.length
      : content.reduce((sum, part) => sum + (part.is === "text" ? part.text.length : IMAGE_CHARACTERS), 0);
  const calls = message.role === "assistant" ? message.calls : [];
  return calls.reduce(
    (sum, call) => sum + call.name.length + call.arguments.length,
    MESSAGE_CHARACTERS + text,
  );
}

function messagesOf({ items, instructions, isSpoken, note }: Reading): ChatMessage[] {
  const system = [instructions, isSpoken ? HINT : ""].filter((text) => text !== "").join("\n\n");
  const messages: ChatMessage[] = system === "" ? [] : [{ role: "system", content: system }];
  const outputs = new Map(
    items.flatMap((item) => (item.type === "function_call_output" ? [[item.call_id, item.output]] : [])),
  );
  for (const item of items) {
    if (item.type === "message") addMessage(messages, item);
    else if (item.type === "function_call") addCall(messages, item);
  }
  if (note !== null) addText(messages, "user", note);
  const answered = messages.flatMap((message): ChatMessage[] =>
    message.role !== "assistant" || message.calls.length === 0
      ? [message]
      : [message, ...message.calls.map(({ callId }) => toolMessage(callId, outputs.get(callId)))],
  );
  const last = answered.at(-1)?.role;
  return last === "user" || last === "tool" ? answered : [...answered, { role: "user", content: STARTS }];
}

const toolMessage = (callId: string, output: string | undefined): ChatMessage => ({
  role: "tool",
  callId,
  content: output ?? RUNNING,
});

function addMessage(messages: ChatMessage[], { role, content }: MessageItem): void {
  if (content.some(({ type }) => type === "input_image")) {
    messages.push({ role: "user", content: content.flatMap(partOf) });
    return;
  }
  const text = content
    .map(textOf)
    .filter((each) => each !== "")
    .join("\n");
  if (text !== "") addText(messages, role, text);
}

function partOf(part: Content): ChatPart[] {
  if (part.type === "input_image") return [{ is: "image", url: part.image_url, detail: part.detail }];
  const text = textOf(part);
  return text === "" ? [] : [{ is: "text", text }];
}

const textOf = (part: Content): string =>
  "text" in part ? part.text : "transcript" in part ? (part.transcript ?? "") : "";

/** Neighbours of one role become one message: some templates take no others. */
function addText(messages: ChatMessage[], role: MessageItem["role"], text: string): void {
  const last = messages.at(-1);
  if (
    last?.role === role &&
    typeof last.content === "string" &&
    (last.role !== "assistant" || last.calls.length === 0)
  )
    last.content = `${last.content}\n${text}`;
  else if (role === "assistant") messages.push({ role, content: text, calls: [] });
  else messages.push({ role, content: text });
}

/** Calls of one answer are one message, with the text before them. */
function addCall(messages: ChatMessage[], { call_id: callId, name, arguments: asked }: CallItem): void {
  const call = { callId, name, arguments: isJson(asked) ? asked : "{}" };
  const last = messages.at(-1);
  if (last?.role === "assistant") last.calls.push(call);
  else messages.push({ role: "assistant", content: "", calls: [call] });
}

const isJson = (text: string): boolean => parseJson(text, CHAT_JSON_LIMITS).problem === null;
