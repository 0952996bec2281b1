/** Routes of operators: conversations, who callers of the realtime socket talk to. */
import Type from "typebox";
import { Flag, nullable, Text, Whole } from "./records.ts";
import type { Routes } from "./route.ts";

const Speculate = Type.Enum(["auto", "on", "off"]);

const Conversation = Type.Object({
  object: Type.Literal("conversation"),
  name: Text,
  /** Whether names that other APIs give to models that converse stand for it. */
  is_default: Flag,
  /** The one of a server whose operator has set none. */
  is_built_in: Flag,
  /** Null: the server's first. */
  llm: nullable(Text),
  stt: nullable(Text),
  tts: nullable(Text),
  voice: nullable(Text),
  instructions: Text,
  greeting: nullable(Text),
  /** Of each answer; null: what clients ask for. */
  max_output_tokens: nullable(Whole),
  interruption_ms: Whole,
  backchannels: Flag,
  resume: Flag,
  speculate: Speculate,
  /** Whether what callers say goes to another company. */
  leaves_host: Flag,
  /** What it needs and the server has not any more: sentences. */
  problems: Type.Array(Text),
});

const Part = Type.Optional(nullable(Type.String({ minLength: 1, maxLength: 256 })));

/** What a conversation may name. */
const Target = Type.Object({ id: Text, name: Text });

export const conversationRoutes = {
  "GET /api/operator/conversations": {
    summary: "List conversations, and the models and voices that they may name",
    needs: "operator",
    reply: Type.Object({
      object: Type.Literal("list"),
      data: Type.Array(Conversation),
      choices: Type.Object({
        llm: Type.Array(Type.Object({ id: Text, name: Text, leaves_host: Flag })),
        stt: Type.Array(Target),
        tts: Type.Array(Target),
        voice: Type.Array(Target),
      }),
    }),
  },
  "PUT /api/operator/conversations": {
    summary: "Set a conversation; what is left out is as of a new one",
    needs: "operator",
    body: Type.Object({
      name: Type.String({ pattern: "^[a-z0-9][a-z0-9._-]*$", maxLength: 64 }),
      llm: Part,
      stt: Part,
      tts: Part,
      voice: Part,
      instructions: Type.Optional(Type.String({ maxLength: 100_000 })),
      greeting: Type.Optional(nullable(Type.String({ minLength: 1, maxLength: 2000 }))),
      max_output_tokens: Type.Optional(nullable(Type.Integer({ minimum: 1, maximum: 100_000 }))),
      interruption_ms: Type.Optional(Type.Integer({ minimum: 0, maximum: 2000 })),
      backchannels: Type.Optional(Flag),
      resume: Type.Optional(Flag),
      speculate: Type.Optional(Speculate),
    }),
    reply: Conversation,
  },
  "POST /api/operator/conversations/:conversation/default": {
    summary: "Make a conversation the one that names of other APIs stand for",
    needs: "operator",
  },
  "DELETE /api/operator/conversations/:conversation": {
    summary: "Remove a conversation; every node follows within a second",
    needs: "operator",
    confirms: true,
  },
} as const satisfies Routes;
