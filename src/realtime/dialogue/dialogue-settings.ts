/** The settings of a conversation: how it listens, what the language model is told, and how its answers are spoken. */
import type { ChatTool, ToolChoice } from "../../engine/protocol/chat.ts";
import type { Output } from "../dialogue-effects.ts";
import { type Change, changed, DEFAULTS, type Settings } from "../settings.ts";
import type { Interruption } from "./interruption.ts";

type Modality = "audio" | "text";

/**
 * `auto`: the oldest items go. `retention_ratio`: the share that is used after that; `post_instructions`: how many tokens
 * beside the instructions and tools may be used at all. Echoed as the client set it.
 */
export type Truncation =
  | "auto"
  | "disabled"
  | {
      type: "retention_ratio";
      retention_ratio: number;
      token_limits?: { post_instructions?: number | null } | null;
    };

/** What one answer of the language model follows. `toolChoice` is echoed as the client set it. */
export type AnswerSettings = {
  modality: Modality;
  instructions: string;
  tools: ChatTool[];
  toolChoice: ToolChoice;
  parallelCalls: boolean;
  maxTokens: number | "inf";
  reasoning: string | null;
  temperature: number | null;
  output: Output;
};

/** `transcription`: as the client set it; null: its events are not sent. */
export type DialogueSettings = AnswerSettings & {
  listening: Settings;
  transcription: object | null;
  createsResponse: boolean;
  interruptsResponse: boolean;
  interruption: Interruption;
  truncation: Truncation;
  tracing: unknown;
  /** This server's own settings as the client sent them; null: it sent none. */
  loquat: object | null;
};

/** Only what an update names. */
export type DialogueChange = Partial<Omit<DialogueSettings, "listening" | "output" | "interruption">> & {
  listening?: Change;
  output?: Partial<Output>;
  interruption?: Partial<Interruption>;
};

export const dialogueDefaults = ({
  voice,
  instructions,
  interruption,
}: {
  voice: string;
  instructions: string;
  interruption: Interruption;
}): DialogueSettings => ({
  listening: DEFAULTS,
  transcription: null,
  createsResponse: true,
  interruptsResponse: true,
  interruption,
  truncation: "auto",
  tracing: null,
  loquat: null,
  modality: "audio",
  instructions,
  tools: [],
  toolChoice: "auto",
  parallelCalls: true,
  maxTokens: "inf",
  reasoning: null,
  temperature: null,
  output: { format: { type: "audio/pcm", rate: 24_000 }, voice, speed: 1 },
});

export function changedDialogue(settings: DialogueSettings, change: DialogueChange): DialogueSettings {
  const { listening = {}, output = {}, interruption = {}, transcription, ...rest } = change;
  return {
    ...settings,
    ...rest,
    transcription:
      transcription === undefined
        ? settings.transcription
        : transcription && { ...settings.transcription, ...transcription },
    listening: changed(settings.listening, listening),
    output: { ...settings.output, ...output },
    interruption: { ...settings.interruption, ...interruption },
  };
}

type Identity = { id: string; expiresAt: number; model: string };

/** As clients of the current API read it. */
export function conversationObject(settings: DialogueSettings, { id, expiresAt, model }: Identity): object {
  const { listening, output } = settings;
  return {
    type: "realtime",
    object: "realtime.session",
    id,
    model,
    expires_at: expiresAt,
    output_modalities: [settings.modality],
    instructions: settings.instructions,
    tools: settings.tools.map((tool) => ({ type: "function", ...tool })),
    tool_choice: toolChoiceOf(settings.toolChoice),
    parallel_tool_calls: settings.parallelCalls,
    max_output_tokens: settings.maxTokens,
    ...(settings.temperature === null ? {} : { temperature: settings.temperature }),
    tracing: settings.tracing,
    truncation: settings.truncation,
    prompt: null,
    include: listening.include,
    reasoning: settings.reasoning === null ? null : { effort: settings.reasoning },
    ...(settings.loquat === null ? {} : { loquat: settings.loquat }),
    audio: {
      input: {
        format: listening.format,
        transcription: settings.transcription,
        noise_reduction: listening.noiseReduction,
        turn_detection: turnsOf(settings),
      },
      output: { format: output.format, voice: output.voice, speed: output.speed },
    },
  };
}

/** Clients act on what is in force, so that it is always told. */
function turnsOf({ listening, createsResponse, interruptsResponse }: DialogueSettings): object | null {
  const turns = listening.turnDetection;
  if (turns === null) return null;
  const idle = turns.type === "server_vad" ? { idle_timeout_ms: turns.idle_timeout_ms ?? null } : {};
  return { ...turns, ...idle, create_response: createsResponse, interrupt_response: interruptsResponse };
}

const toolChoiceOf = (choice: ToolChoice): string | object =>
  typeof choice === "string" ? choice : { type: "function", ...choice };
