/** The server's events, without their ids. */
import type { Word } from "../engine/protocol/recognition.ts";
import { Refusal } from "../errors.ts";
import { logprobsOf } from "../transcription/logprob.ts";
import { joined } from "../transcription/transcript.ts";
import type { Utterance } from "./front.ts";

export type ServerEvent = { type: string } & Record<string, unknown>;

/** One utterance in the conversation. `transcript` is null until all of it is known. */
export type Item = { id: string; previousId: string | null; transcript: string | null };

const TRANSCRIPTION = "conversation.item.input_audio_transcription";

export const speechStarted = (itemId: string, startMs: number): ServerEvent => ({
  type: "input_audio_buffer.speech_started",
  audio_start_ms: startMs,
  item_id: itemId,
});

export const speechStopped = (itemId: string, endMs: number): ServerEvent => ({
  type: "input_audio_buffer.speech_stopped",
  audio_end_ms: endMs,
  item_id: itemId,
});

export const timeoutTriggered = (itemId: string, startMs: number, endMs: number): ServerEvent => ({
  type: "input_audio_buffer.timeout_triggered",
  audio_start_ms: startMs,
  audio_end_ms: endMs,
  item_id: itemId,
});

/** The events of a new item: its commit, and the item itself in one event (beta) or two. */
export function committed(item: Item, beta: boolean): ServerEvent[] {
  const previous = { previous_item_id: item.previousId };
  const types = beta ? ["conversation.item.created"] : ["conversation.item.added", "conversation.item.done"];
  return [
    { type: "input_audio_buffer.committed", ...previous, item_id: item.id },
    ...types.map((type) => ({ type, ...previous, item: itemObject(item) })),
  ];
}

export const itemObject = ({ id, transcript }: Item) => ({
  id,
  object: "realtime.item",
  type: "message",
  status: "completed",
  role: "user",
  content: [{ type: "input_audio", transcript }],
});

/** How transcripts are told: with log probabilities where the client asked for them; `language`: the one that is spoken. */
export type TranscriptStyle = {
  tellsLogprobs: boolean;
  language: string;
  /** Which part of the item is the audio. */
  contentIndex: number;
  errorFields: (refusal: Refusal) => ErrorFields;
};

/** Words that became final, the last of those that the utterance has. */
export function delta(
  { id, words }: Utterance,
  added: Word[],
  { tellsLogprobs, contentIndex }: Pick<TranscriptStyle, "tellsLogprobs" | "contentIndex">,
): ServerEvent {
  const isFirst = words.length === added.length || added[0]?.glued;
  const text = isFirst ? joined(added) : ` ${joined(added)}`;
  return {
    type: `${TRANSCRIPTION}.delta`,
    item_id: id,
    content_index: contentIndex,
    delta: text,
    ...(tellsLogprobs ? { logprobs: logprobsOf(added, text) } : {}),
  };
}

/** What was heard last beyond the words that are final; it takes the place of what was told before it. */
export const interim = (itemId: string, words: Word[]): ServerEvent => ({
  type: "loquat.input_audio_transcription.interim",
  item_id: itemId,
  content_index: 0,
  text: joined(words),
});

/** All of an utterance, or that it could not be transcribed; the session goes on. */
export function concluded({ id, words, seconds, outcome }: Utterance, style: TranscriptStyle): ServerEvent {
  const { language, tellsLogprobs, contentIndex } = style;
  const part = { item_id: id, content_index: contentIndex };
  if (outcome instanceof Refusal) return failed(part, style.errorFields(outcome));
  return completed(part, {
    ...{ transcript: joined(words), seconds, language },
    words: tellsLogprobs ? words : null,
  });
}

type AudioPart = { item_id: string; content_index: number };
type Completed = { transcript: string; seconds: number; language: string; words: Word[] | null };

const completed = (part: AudioPart, { transcript, seconds, language, words }: Completed): ServerEvent => ({
  type: `${TRANSCRIPTION}.completed`,
  ...part,
  transcript,
  ...(transcript === "" ? {} : { languages: [{ code: language }] }),
  usage: { type: "duration", seconds },
  ...(words ? { logprobs: logprobsOf(words, transcript) } : {}),
});

/** An error as the API writes it. `code` null: it has none. `retry_after`: in seconds. */
export type ErrorFields = {
  type: string;
  code: string | null;
  message: string;
  param?: string | null;
  retry_after?: number;
};

const failed = (part: AudioPart, { type, code, message }: ErrorFields): ServerEvent => ({
  type: `${TRANSCRIPTION}.failed`,
  ...part,
  error: { type, code, message },
});

/** `eventId`: the client's own event that was refused. */
export function error({ retry_after, ...fields }: ErrorFields, eventId: string | null): ServerEvent {
  const retry = retry_after === undefined ? {} : { retry_after };
  return { type: "error", error: { ...fields, event_id: eventId, ...retry } };
}
