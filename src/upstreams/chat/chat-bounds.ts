/**
 * How much an answer of a language model may hold. What holds more is faulty before anything is made of it; tokens that it
 * cannot have read or written are not believed.
 */
import { excessOf } from "../../bounded-json.ts";
import { FaultyAnswer, mustBe } from "../../engine/answers/faulty-answer.ts";
import { CHAT_JSON_LIMITS, type ChatRequest, type ChatUsage } from "../../engine/protocol/chat.ts";

/** Of the connection; of one part of a stream, which may be a whole call; of an answer that is one object. */
export const BYTES_MAX = 8 * 1024 * 1024;
export const LINE_MAX = 512 * 1024;
export const OBJECT_MAX = 1024 * 1024;
/** Characters: of text and thinking together, and of the text. */
export const CONTENT_MAX = 512 * 1024;
export const TEXT_MAX = 64 * 1024;

/** Throws a `FaultyAnswer`. `what` begins a sentence. */
export function checkJson(text: string, what: string): void {
  const problem = excessOf(text, CHAT_JSON_LIMITS);
  mustBe(problem === null, `${what} ${problem}`);
}

/** Throws a `FaultyAnswer` where it is no object, or too deep or too long a one. */
export function parsedObject(text: string): Record<string, unknown> {
  checkJson(text, "a part of the answer");
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new FaultyAnswer(`a part of the answer is not JSON: ${text.slice(0, 200)}`);
  }
  mustBe(typeof value === "object" && value !== null, "a part of the answer is no object");
  return value as Record<string, unknown>;
}

/** Tokens that an answer can have at most. `written`: those of which nothing need arrive; null: as many as it likes. */
export type TokensMax = { read: number; hidden: number; written: number | null };

const UNSEEN_TOKENS = 4096; // what a template, or the server's own instructions, add
const IMAGE_TOKENS = 50_000;
const HIDDEN_TOKENS = 32_768; // thinking that is not shown
const SPARE_TOKENS = 256; // signs of the model's own, such as those of a call or of the end
const BYTES_OF_CHARACTER = 3;

/** `body`: the request as it is sent. A token is a byte at least, but those of images. `thinks`: also where it is not asked to. */
export function tokensMaxOf(request: ChatRequest, body: string, thinks: boolean): TokensMax {
  const images = request.messages.reduce(
    (sum, { content }) =>
      sum + (typeof content === "string" ? 0 : content.filter(({ is }) => is === "image").length),
    0,
  );
  return {
    read: Buffer.byteLength(body) + UNSEEN_TOKENS + images * IMAGE_TOKENS,
    hidden: thinks || request.reasoning !== null ? HIDDEN_TOKENS : 0,
    written: request.maxTokens,
  };
}

/** Null where it is more than can be. `characters`: of what the model wrote. */
export function believed(usage: ChatUsage | null, characters: number, max: TokensMax): ChatUsage | null {
  const written = Math.max(BYTES_OF_CHARACTER * characters, max.hidden);
  const outputMax = SPARE_TOKENS + Math.min(written, max.written ?? written);
  return usage !== null && usage.input <= max.read && usage.output <= outputMax ? usage : null;
}
