/**
 * The settings of a conversation as clients send them: nested, or flat as in the beta, or both. What it hears with is read as
 * of a session that transcribes.
 */
import Type, { type Static } from "typebox";
import type { ChatTool, ToolChoice } from "../../../engine/protocol/chat.ts";
import type { LiveFormat } from "../../../engine/protocol/live-format.ts";
import { type Detail, invalidInput, Refusal } from "../../../errors.ts";
import { interruptionFields } from "../../../models/conversation.ts";
import type { DialogueChange } from "../../../realtime/dialogue/dialogue-settings.ts";
import type { Output } from "../../../realtime/dialogue-effects.ts";
import { BETA_FORMATS } from "../../../realtime/settings.ts";
import { checker } from "../../../schema.ts";
import {
  betaFormatSchema,
  defined,
  formatSchema,
  nullable,
  readFormat,
  sessionSchema,
  type Update,
  updateOf,
} from "../realtime/settings-schema.ts";

const INSTRUCTIONS_MAX = 100_000;
const TOOLS_MAX = 128;
const TOKENS_MAX = 4096;

const Modality = Type.Enum(["audio", "text"]);
const Modalities = nullable(Type.Array(Modality, { minItems: 1, maxItems: 2 }));
const Tool = Type.Object({
  type: Type.Optional(Type.String({ maxLength: 64 })),
  name: Type.Optional(Type.String({ minLength: 1, maxLength: 128 })),
  description: nullable(Type.String({ maxLength: 20_000 })),
  parameters: nullable(Type.Object({}, { additionalProperties: true })),
});
const Choice = nullable(
  Type.Union([
    Type.Enum(["none", "auto", "required"]),
    Type.Object({ type: Type.Enum(["function"]), name: Type.String({ minLength: 1, maxLength: 128 }) }),
  ]),
);
const Tokens = nullable(Type.Union([Type.Integer({ minimum: 1, maximum: TOKENS_MAX }), Type.Enum(["inf"])]));
const Voice = nullable(
  Type.Union([
    Type.String({ minLength: 1, maxLength: 256 }),
    Type.Object({ id: Type.String({ minLength: 1, maxLength: 256 }) }),
  ]),
);
const Speed = nullable(Type.Number({ minimum: 0.25, maximum: 1.5 }));
const Temperature = nullable(Type.Number({ minimum: 0.6, maximum: 1.2 })); // as in the beta: the current API has none
const Reasoning = nullable(Type.Object({ effort: nullable(Type.String({ maxLength: 32 })) }));

/** What a session and a single response both have. */
const answer = {
  output_modalities: Modalities,
  modalities: Modalities,
  instructions: nullable(Type.String({ maxLength: INSTRUCTIONS_MAX })),
  tools: nullable(Type.Array(Tool, { maxItems: TOOLS_MAX })),
  tool_choice: Choice,
  parallel_tool_calls: nullable(Type.Boolean()),
  max_output_tokens: Tokens,
  max_response_output_tokens: Tokens,
  prompt: Type.Optional(Type.Unknown()),
  reasoning: Reasoning,
  temperature: Temperature,
  voice: Voice,
  output_audio_format: betaFormatSchema,
};
const output = nullable(Type.Object({ format: formatSchema, voice: Voice, speed: Speed }));

export const AnswerSchema = Type.Object({ ...answer, audio: nullable(Type.Object({ output })) });
type Answer = Static<typeof AnswerSchema>;

const ConversationSchema = Type.Object({
  ...sessionSchema.properties,
  ...answer,
  audio: nullable(Type.Object({ input: sessionSchema.properties.audio.anyOf[0].properties.input, output })),
  truncation: nullable(
    Type.Union([
      Type.Enum(["auto", "disabled"]),
      Type.Object({
        type: Type.Enum(["retention_ratio"]),
        retention_ratio: Type.Number({ minimum: 0, maximum: 1 }),
        token_limits: nullable(Type.Object({ post_instructions: nullable(Type.Integer({ minimum: 0 })) })),
      }),
    ]),
  ),
  tracing: Type.Optional(Type.Unknown()),
  loquat: nullable(
    Type.Object({
      interruption: nullable(
        Type.Object({
          interruption_ms: nullable(interruptionFields.interruption_ms),
          backchannels: nullable(interruptionFields.backchannels),
          resume: nullable(interruptionFields.resume),
        }),
      ),
    }),
  ),
});
type ConversationSession = Static<typeof ConversationSchema>;

const body = checker(Type.Object({ session: ConversationSchema }));

/** Settings without what means nothing to a conversation, to be kept. Throws as `readConversationUpdate`. */
export function keptSettings(session: object): object {
  const { value, details } = body.check({ session });
  if (details !== null) throw invalidInput(details);
  return body.clean(value).session;
}

/** What an update names. `listening`: of the turns, and how they are transcribed. */
export type ConversationUpdate = { change: DialogueChange; listening: Update };

/** Reads `{ session: … }`. Throws a refusal that names what is wrong; then nothing of it counts. */
export function readConversationUpdate(value: unknown): ConversationUpdate {
  const { value: checked, details } = body.check(value);
  if (details !== null) throw invalidInput(details);
  const session = checked.session;
  if (session.type != null && session.type !== "realtime")
    throw invalidInput([malformed("session.type", "cannot change: this session holds a conversation")]);
  const listening = updateOf({ ...session, type: null, model: null });
  return { change: changeOf(session, listening), listening };
}

const malformed = (field: string, message: string): Detail => ({ field, code: "malformed", message });

function changeOf(session: ConversationSession, listening: Update): DialogueChange {
  const { transcription, turn_detection: turns } = {
    ...{ transcription: session.input_audio_transcription, turn_detection: session.turn_detection },
    ...session.audio?.input,
  };
  return defined({
    ...readAnswer(session, "session"),
    listening: listening.change,
    transcription: transcription === undefined ? undefined : transcription,
    createsResponse: turns?.create_response ?? undefined,
    interruptsResponse: turns?.interrupt_response ?? undefined,
    truncation: readTruncation(session.truncation),
    tracing: session.tracing,
    ...readOwn(session.loquat),
  });
}

/** What other servers do not know. Null leaves it as it is. */
function readOwn(loquat: ConversationSession["loquat"]): Pick<DialogueChange, "loquat" | "interruption"> {
  if (loquat == null) return {};
  const { interruption_ms, backchannels, resume } = loquat.interruption ?? {};
  const interruption = {
    ...{ afterMs: interruption_ms ?? undefined, ignoresBackchannels: backchannels ?? undefined },
    resumes: resume ?? undefined,
  };
  return { loquat, interruption: defined(interruption) };
}

/** What of an answer is named. `path`: where it stands in the event. */
export function readAnswer(asked: Answer, path: "session" | "response") {
  if (asked.prompt != null)
    throw unsupported(`${path}.prompt`, "Stored prompts are not supported. Send instructions.");
  const modalities = asked.output_modalities ?? asked.modalities;
  const tokens = firstOf(asked.max_output_tokens, asked.max_response_output_tokens);
  return defined({
    modality: modalities
      ? modalities.includes("audio")
        ? ("audio" as const)
        : ("text" as const)
      : undefined,
    instructions: asked.instructions === null ? "" : asked.instructions,
    tools: readTools(asked.tools, path),
    toolChoice: asked.tool_choice === null ? "auto" : choiceOf(asked.tool_choice),
    parallelCalls: asked.parallel_tool_calls ?? undefined,
    maxTokens: tokens === null ? ("inf" as const) : tokens,
    reasoning: asked.reasoning === undefined ? undefined : (asked.reasoning?.effort ?? null),
    temperature: asked.temperature,
    output: readOutput(asked),
  });
}

const firstOf = <T>(one: T | undefined, other: T | undefined): T | undefined =>
  one === undefined ? other : one;

function choiceOf(choice: Exclude<Answer["tool_choice"], null>): ToolChoice | undefined {
  return typeof choice === "object" ? { name: choice.name } : choice;
}

function readTools(tools: Answer["tools"], path: string): ChatTool[] | undefined {
  if (tools === undefined) return undefined;
  return (tools ?? []).map(({ type = "function", name, description, parameters }, index) => {
    const field = `${path}.tools.${index}`;
    if (type !== "function")
      throw unsupported(`${field}.type`, `Tools of the type ${type} are not supported.`);
    if (name === undefined)
      throw invalidInput([{ field: `${field}.name`, code: "required", message: "is required" }]);
    return { name, ...(description ? { description } : {}), ...(parameters ? { parameters } : {}) };
  });
}

function readTruncation(truncation: ConversationSession["truncation"]): DialogueChange["truncation"] {
  if (truncation === undefined) return undefined;
  if (truncation === null) return "auto";
  if (typeof truncation === "string") return truncation;
  const { type, retention_ratio, token_limits } = truncation;
  return { type, retention_ratio, ...(token_limits === undefined ? {} : { token_limits }) };
}

/** Null leaves it as it is. */
function readOutput({ audio, voice, output_audio_format: named }: Answer): Partial<Output> {
  const given = audio?.output;
  const flat: LiveFormat | undefined = named
    ? readFormat({ type: BETA_FORMATS[named], rate: null }, "session.output_audio_format")
    : undefined;
  const format = given?.format ? readFormat(given.format, "session.audio.output.format") : flat;
  return defined({
    format,
    voice: given?.voice ?? voice ?? undefined,
    speed: given?.speed ?? undefined,
  });
}

export const unsupported = (param: string, message: string) =>
  new Refusal("unsupported_parameter", message, { param });
