/** The names of the beta's events for those of the current API: sessions and items are flat there, or have other parts. */
import type { LiveFormat } from "../../../engine/protocol/live-format.ts";
import type { ServerEvent } from "../../../realtime/events.ts";
import { betaFormat } from "../../../realtime/settings.ts";

const RENAMED: readonly [current: string, beta: string][] = [
  ["response.output_text.", "response.text."],
  ["response.output_audio_transcript.", "response.audio_transcript."],
  ["response.output_audio.", "response.audio."],
];
const PARTS: Record<string, string> = { output_text: "text", output_audio: "audio" };

/** Null: the beta has no such event. */
export function betaEvent(event: ServerEvent): ServerEvent | null {
  if (event.type === "conversation.item.done") return null;
  if (event.type === "conversation.item.added")
    return withItem({ ...event, type: "conversation.item.created" });
  if (event.session) return { ...event, session: betaSession(event.session) };
  if (event.response) return { ...event, response: betaResponse(event.response as CurrentResponse) };
  const renamed = RENAMED.find(([current]) => event.type.startsWith(current));
  const type = renamed ? renamed[1] + event.type.slice(renamed[0].length) : event.type;
  return withItem({ ...event, type });
}

type Item = { content?: { type: string }[] };

const withItem = (event: ServerEvent): ServerEvent =>
  event.item ? { ...event, item: betaItem(event.item as Item) } : event;

const betaItem = (item: Item): object =>
  item.content
    ? { ...item, content: item.content.map((part) => ({ ...part, type: PARTS[part.type] ?? part.type })) }
    : item;

type CurrentSession = {
  output_modalities: string[];
  max_output_tokens: unknown;
  audio: {
    input: {
      format: LiveFormat;
      transcription: unknown;
      turn_detection: unknown;
      noise_reduction: unknown;
    };
    output: { format: LiveFormat; voice: unknown; speed: unknown };
  };
} & Record<string, unknown>;

const modalitiesOf = ([first]: string[]): string[] => (first === "audio" ? ["text", "audio"] : ["text"]);

/** A session as clients of the current API read it, for those of the beta. */
export function betaSession(current: object): object {
  const { output_modalities, max_output_tokens, audio, ...rest } = current as CurrentSession;
  const { input, output } = audio;
  const { type: _type, truncation: _truncation, prompt: _prompt, reasoning: _reasoning, ...session } = rest;
  return {
    ...session,
    modalities: modalitiesOf(output_modalities),
    max_response_output_tokens: max_output_tokens,
    voice: output.voice,
    speed: output.speed,
    input_audio_format: betaFormat(input.format),
    output_audio_format: betaFormat(output.format),
    input_audio_transcription: input.transcription,
    input_audio_noise_reduction: input.noise_reduction,
    turn_detection: input.turn_detection,
  };
}

type CurrentResponse = {
  output: Item[];
  output_modalities: string[];
  audio: { output: { format: LiveFormat; voice: unknown } };
} & Record<string, unknown>;

function betaResponse({ output, output_modalities, audio, ...response }: CurrentResponse): object {
  return {
    ...response,
    output: output.map(betaItem),
    modalities: modalitiesOf(output_modalities),
    voice: audio.output.voice,
    output_audio_format: betaFormat(audio.output.format),
  };
}
