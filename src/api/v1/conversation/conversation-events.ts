/** What each client event does to a conversation. Audio is fed at once; everything else waits until the audio before it was heard. */

import { bytesPerSecond } from "../../../engine/protocol/live-format.ts";
import { invalidInput, Refusal } from "../../../errors.ts";
import type { Dialogue } from "../../../realtime/dialogue/dialogue.ts";
import type { Item, Place } from "../../../realtime/dialogue/items.ts";
import { COMMIT_MIN_SECONDS } from "../../../realtime/session.ts";
import { appendAudio, decodeAudio, sizeOf } from "../realtime/frames.ts";
import type { EventContext, LiveSession } from "../realtime/live-session.ts";
import {
  type AskedResponse,
  type ConversationEvent,
  readConversationEvent,
  type Sound,
} from "./conversation-frames.ts";
import type { ConversationUpdate } from "./conversation-schema.ts";

export type Conversing = Pick<LiveSession, "session" | "runner" | "billing"> & {
  dialogue: Dialogue;
  /** Whether the language model reads images. */
  sees: boolean;
  /** Refuses what the voice of a response cannot do. */
  checkOutput(asked: AskedResponse): Promise<void>;
  update(update: ConversationUpdate): Promise<void>;
  /** Bytes that the client has not taken from the socket. */
  unreadBytes(): number;
};

/** Events that send back what they bring, or what is kept: the next waits until the client has taken most of that. */
const ECHOED = ["conversation.item.create", "conversation.item.retrieve", "session.update"];
const UNREAD_BYTES = 512 * 1024;
const POLL_MS = 20;

const COMMIT_MIN_MS = COMMIT_MIN_SECONDS * 1000;

export async function applyConversationEvent(
  live: Conversing,
  event: Record<string, unknown> & { type: string },
  context: EventContext,
): Promise<void> {
  await apply(live, event, context);
  if (!ECHOED.includes(event.type)) return;
  while (!context.isOver() && live.unreadBytes() > UNREAD_BYTES) await Bun.sleep(POLL_MS);
}

async function apply(
  live: Conversing,
  event: Record<string, unknown> & { type: string },
  context: EventContext,
): Promise<void> {
  const { session, runner, dialogue } = live;
  const asked = readConversationEvent(event, { newId: dialogue.newItemId, sees: live.sees });
  if (asked.do === "append") return appendAudio(live, asked.audio, context);
  await runner.drained();
  if (session.isEnding || context.isOver()) return;
  if (asked.do === "update") return live.update(asked.update);
  if (asked.do === "nothing") return;
  if (asked.do === "respond") {
    await live.checkOutput(asked.asked);
    if (context.isOver()) return;
  }
  if (asked.do === "commit") return runner.perform(commit(live));
  if (asked.do === "clear") return runner.perform(session.clear());
  if (asked.do === "create" && asked.sound)
    return createRecorded(live, { ...asked, sound: asked.sound }, context);
  change(dialogue, asked);
  runner.perform(session.advance());
}

type Change = Exclude<ConversationEvent, { do: "append" | "update" | "commit" | "clear" }>;

function change(dialogue: Dialogue, asked: Change): void {
  if (asked.do === "create") dialogue.create(asked.item, asked.place);
  else if (asked.do === "retrieve") dialogue.retrieve(asked.itemId);
  else if (asked.do === "delete") dialogue.delete(asked.itemId);
  else if (asked.do === "truncate") dialogue.truncate(asked.itemId, asked.audioEndMs);
  else if (asked.do === "respond") respond(dialogue, asked.asked);
  else if (asked.do === "cancel") dialogue.answering.cancel(asked.responseId);
}

function commit({ session }: Conversing) {
  const { openMs } = session;
  if (openMs >= COMMIT_MIN_MS) return session.commit();
  throw new Refusal(
    "input_audio_buffer_commit_empty",
    `Error committing input audio buffer: buffer too small. Expected at least ${COMMIT_MIN_MS}ms of audio, but buffer only has ${openMs.toFixed(2)}ms of audio.`,
  );
}

/** What it does not name is the session's. */
function respond(dialogue: Dialogue, { isInConversation, input, metadata, settings }: AskedResponse): void {
  const { output = {}, ...answer } = settings;
  const session = dialogue.settings;
  dialogue.respond({
    ...{ isInConversation, metadata },
    input:
      input?.map((each) => (typeof each === "string" ? dialogue.find(each, "response.input") : each)) ?? null,
    settings: { ...session, ...answer, output: { ...session.output, ...output } },
  });
}

const LEAST_SECONDS = 0.1;
const MOST_SECONDS = 600;
const LONG_SECONDS = 10; // its frame's memory is counted until it was processed

type Live = Pick<LiveSession, "session" | "runner" | "billing"> & { dialogue: Pick<Dialogue, "create"> };

/**
 * An item that brings what its user said as audio: it is added at once, and transcribed and paid as a turn of that length.
 *
 *   base64 ──length──> seconds taken ──> item added ──> transcribed beside the stream ──> transcript
 */
async function createRecorded(
  { session, runner, billing, dialogue }: Live,
  { item, place, sound: { audio, field } }: { item: Item; place: Place; sound: Sound },
  { isOver, refuse }: EventContext,
): Promise<void> {
  const rate = bytesPerSecond(session.settings.format);
  const pieces = await decodeAudio(audio, field);
  const seconds = sizeOf(pieces) / rate;
  checkLength(seconds, field);
  await runner.room();
  await billing.take(session.receivedSeconds + seconds);
  if (session.isEnding || isOver()) return;
  dialogue.create(item, place);
  runner.hear(item.id, seconds, pieces);
  runner.perform(session.advance());
  billing.charge(session.billableSeconds(false), refuse);
  if (seconds > LONG_SECONDS) await runner.drained();
}

function checkLength(seconds: number, field: string): void {
  if (seconds >= LEAST_SECONDS && seconds <= MOST_SECONDS) return;
  const message = `must be ${LEAST_SECONDS * 1000} ms to ${MOST_SECONDS} s of audio in the session's format`;
  throw invalidInput([{ field, code: "malformed", message }]);
}
