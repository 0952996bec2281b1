/** A conversation, as the operator's list has it. */
import type { Reply } from "../../api/server.ts";

type Conversations = Reply<"GET /api/operator/conversations">;
export type Conversation = Conversations["data"][number];
export type Choices = Conversations["choices"];
