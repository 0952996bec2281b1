/**
 * What each client event does to its session. Audio is fed at once; everything else waits until the audio before it
 * has been through the VAD. While the client is too far ahead, this waits, and its caller reads no further frame.
 */
import { bytesPerSecond } from "../../../engine/protocol/live-format.ts";
import type { Catalogue } from "../../../models/catalogue.ts";
import type { TranscriptionFront } from "../../../realtime/transcription-front.ts";
import { type ClientEvent, decodeAudio, sizeOf } from "./frames.ts";
import type { EventContext, LiveSession } from "./live-session.ts";
import { isOfOthers, priceOf, recognizerOf, resolveSettings, type Update } from "./settings-schema.ts";

/** A frame's memory is counted until its audio was processed if it holds more than this. */
const LONG_SECONDS = 10;

type Billed = Pick<LiveSession, "session" | "runner" | "billing">;

/** `transcribes`: it was opened to only transcribe. `ofOthers`: its model has a name of another API. */
export type Transcribing = Billed & {
  front: TranscriptionFront;
  transcribes: boolean;
  ofOthers: boolean;
  catalogue: () => Catalogue;
};

export async function applyEvent(
  live: Transcribing,
  event: ClientEvent,
  context: EventContext,
): Promise<void> {
  const { session, runner, front } = live;
  if (event.do === "append") return appendAudio(live, event.audio, context);
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
      return update(live, event);
    case "nothing":
      return;
    default:
      event satisfies never;
  }
}

/** `audio`: base64. */
export const appendAudio = async (live: Billed, audio: string, context: EventContext): Promise<void> =>
  appendPieces(live, await decodeAudio(audio), context);

export async function appendPieces(
  { session, runner, billing }: Billed,
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
  live: Transcribing,
  { update, reply }: { update: Update; reply: string },
): Promise<void> {
  const { transcribes, session, runner, billing } = live;
  const catalogue = live.catalogue();
  const meant = { ...update, transcribes: transcribes || update.transcribes };
  const { settings, chosen } = resolveSettings(catalogue, session.settings, meant);
  await billing.change(priceOf(chosen), session.billableSeconds(false));
  live.ofOthers = isOfOthers(catalogue, update) ?? live.ofOthers;
  runner.recognizer = recognizerOf(chosen, settings);
  runner.perform(session.update(settings, chosen.assumedLanguage, reply));
}
