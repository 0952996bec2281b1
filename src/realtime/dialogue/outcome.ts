/** How a response ended, for what is measured and paid of it. Pure. */
import type { ChatEvent, ChatRequest, ChatUsage } from "../../engine/protocol/chat.ts";
import type { Outcome, Tokens } from "../dialogue-effects.ts";
import type { Stages } from "../stages.ts";
import { charactersOf } from "./context.ts";
import type { StatusDetails } from "./dialogue-events.ts";

/** What its model was asked, the characters that it wrote, and what it told of its tokens. */
export type Writing = { request: ChatRequest | null; written: number; usage: ChatUsage | null };

const CHARACTERS_OF_TOKEN = 4; // where the model told none

export const writtenCharacters = (event: Exclude<ChatEvent, { is: "end" }>): number =>
  event.is === "text" ? event.text.length : event.name.length + event.arguments.length;

/** `details` null: it was completed. */
export function outcomeOf(
  stages: Stages,
  { status, details }: { status: Outcome["status"]; details: StatusDetails },
  writing: Writing,
): Outcome {
  stages.reached("over");
  const reason = details === null ? "" : details.type === "failed" ? details.error.code : details.reason;
  return { status, reason, stages, tokens: tokensOf(writing) };
}

/** Null: it wrote nothing. */
function tokensOf({ request, written, usage }: Writing): Tokens | null {
  if (usage !== null) return { input: usage.input, output: usage.output };
  if (request === null || written === 0) return null;
  const read = charactersOf(request.messages, request.tools);
  return { input: Math.ceil(read / CHARACTERS_OF_TOKEN), output: Math.ceil(written / CHARACTERS_OF_TOKEN) };
}
