/**
 * An item that brings what its user said as audio: it is added at once, and transcribed and paid as a turn of that length.
 *
 *   base64 ──length──> seconds taken ──> item added ──> transcribed beside the stream ──> transcript
 */
import { bytesPerSecond } from "../../../engine/protocol/live-format.ts";
import { invalidInput } from "../../../errors.ts";
import type { Dialogue } from "../../../realtime/dialogue/dialogue.ts";
import type { Item, Place } from "../../../realtime/dialogue/items.ts";
import { decodeAudio, sizeOf } from "../realtime/frames.ts";
import type { EventContext, LiveSession } from "../realtime/live-session.ts";
import type { Sound } from "./conversation-frames.ts";

const LEAST_SECONDS = 0.1;
const MOST_SECONDS = 600;
const LONG_SECONDS = 10; // its frame's memory is counted until it was processed

type Live = Pick<LiveSession, "session" | "runner" | "billing"> & { dialogue: Pick<Dialogue, "create"> };

export async function createRecorded(
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
