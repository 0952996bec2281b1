/**
 * What each client event does to its session. Audio is fed at once; everything else waits until the audio before it
 * has been through the VAD. While the client is too far ahead, this waits, and its caller reads no further frame.
 */
import { bytesPerSecond } from "../../../engine/protocol/vad.ts";
import type { Catalogue } from "../../../models/catalogue.ts";
import { type ClientEvent, decodeAudio, sizeOf } from "./frames.ts";
import { type LiveSession, priceOf } from "./open-session.ts";
import { isOfOthers, recognizerOf, resolveSettings, type Update } from "./settings-schema.ts";

/** A frame's memory is counted until its audio was processed if it holds more than this. */
const LONG_SECONDS = 10;

export type EventContext = {
  catalogue: Catalogue;
  isOver(): boolean;
  /** A charge was refused while the session went on. */
  refuse(reason: unknown): void;
};

export async function applyEvent(
  live: LiveSession,
  event: ClientEvent,
  context: EventContext,
): Promise<void> {
  const { session, runner, front } = live;
  if (event.do === "append") return append(live, await decodeAudio(event.audio), context);
  await runner.drained();
  if (session.isEnding || context.isOver()) return;
  switch (event.do) {
    case "commit":
      return runner.perform(session.commit());
    case "clear":
      return runner.perform(session.clear());
    case "retrieve":
      front.retrieve(event.itemId);
      return runner.perform(session.advance());
    case "delete":
      front.delete(event.itemId);
      return runner.perform(session.advance());
    case "update":
      return update(live, event, context.catalogue);
    case "nothing":
      return;
    default:
      event satisfies never;
  }
}

async function append(
  { session, runner, billing }: LiveSession,
  pieces: Uint8Array[],
  { isOver, refuse }: EventContext,
): Promise<void> {
  const sizeBytes = sizeOf(pieces);
  await runner.room();
  if (session.isEnding) return;
  if (isOver()) return session.append(sizeBytes); // received before the client left: billed
  const rate = bytesPerSecond(session.settings.format);
  await billing.take(session.receivedSeconds + sizeBytes / rate);
  for (const piece of pieces) runner.feed(piece);
  billing.charge(session.billableSeconds(false) - runner.pendingSeconds(), refuse);
  if (sizeBytes > LONG_SECONDS * rate) await runner.drained();
}

async function update(
  live: LiveSession,
  { update, reply }: { update: Update; reply: string },
  catalogue: Catalogue,
): Promise<void> {
  const { transcribes, session, runner, billing } = live;
  const meant = { ...update, transcribes: transcribes || update.transcribes };
  const { settings, chosen } = resolveSettings(catalogue, session.settings, meant);
  await billing.change(priceOf(chosen), session.billableSeconds(false));
  live.forgives = isOfOthers(catalogue, update) ?? live.forgives;
  runner.recognizer = recognizerOf(chosen, settings);
  runner.perform(session.update(settings, chosen.assumedLanguage, reply));
}
