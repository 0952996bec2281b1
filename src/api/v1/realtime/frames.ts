/**
 * Client events: one JSON object per frame, parsed, validated, and applied to the session. Only audio may be large; it is cut out
 * of the frame before parsing, so that the parser only sees short text.
 *
 *   {"type":"input_audio_buffer.append","audio":" ── megabytes of base64 ── "}
 *   └────────────── parsed ────────────────────┘ └──────── cut out ───────┘└┘
 *
 * Audio is fed at once; every other event waits until the audio before it has been through the VAD.
 */

import Type from "typebox";
import { parseJson } from "../../../bounded-json.ts";
import { bytesPerSecond } from "../../../engine/protocol/live-format.ts";
import { invalidInput, Refusal } from "../../../errors.ts";
import type { Catalogue } from "../../../models/catalogue.ts";
import type { TranscriptionFront } from "../../../realtime/transcription-front.ts";
import { checker } from "../../../schema.ts";
import { decodeBase64 } from "../../middleware/body/base64.ts";
import type { Frame } from "../../sockets/frame-queue.ts";
import type { EventContext, LiveSession } from "./live-session.ts";
import {
  isOfOthers,
  priceOf,
  readUpdate,
  recognizerOf,
  resolveSettings,
  type Update,
} from "./settings-schema.ts";

export type ClientEvent =
  | { do: "append"; audio: string }
  /** `reply`: the type of the confirming event. */
  | { do: "update"; update: Update; reply: string }
  | { do: "commit" | "clear" | "nothing" }
  | { do: "retrieve" | "delete"; itemId: string };

const APPEND = "input_audio_buffer.append";
/** Code units of a frame beside its audio, of sessions that transcribe. */
const PARSED_MAX = 64 * 1024;
const AUDIO_STARTS_WITHIN = 256; // characters

/** The event that brings audio, the names of its fields, and what stands before its audio. */
type AudioEvent = { type: string; typeField: string; audioField: string; opening: RegExp };

const OWN_AUDIO: AudioEvent = {
  type: APPEND,
  typeField: "type",
  audioField: "audio",
  opening: /"audio"\s*:\s*"/,
};

/** A JSON object with a string `type`. Throws a refusal for anything else. */
export function parseFrame(
  frame: Frame,
  most = PARSED_MAX,
  audioEvent = OWN_AUDIO,
): Record<string, unknown> & { type: string } {
  if (typeof frame !== "string") throw invalid("Frames are JSON text, not binary.");
  const { typeField, audioField } = audioEvent;
  const { text, audio } =
    frame.length > most ? cutAudio(frame, most, audioEvent) : { text: frame, audio: null };
  const { value, problem } = parseJson(text);
  if (problem !== null) throw invalid(`The frame ${problem}.`);
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw invalid("A frame holds one JSON object.");
  const event = value as Record<string, unknown> & { type: string };
  const type = event[typeField];
  if (typeof type !== "string") throw invalid(`An event needs a ${typeField}.`, typeField);
  event.type = type;
  if (audio === null) return event;
  if (type !== audioEvent.type || event[audioField] !== "") throw tooLarge(most, audioEvent);
  return Object.assign(event, { [audioField]: audio });
}

/** A large frame's audio as it stands in it, and its text with that audio left empty. */
function cutAudio(frame: string, most: number, audioEvent: AudioEvent): { text: string; audio: string } {
  const opening = audioEvent.opening.exec(frame.slice(0, AUDIO_STARTS_WITHIN));
  if (!opening) throw tooLarge(most, audioEvent);
  const start = opening.index + opening[0].length;
  const end = frame.indexOf('"', start);
  const text = frame.slice(0, start) + frame.slice(end);
  if (end < 0 || text.length > most) throw tooLarge(most, audioEvent);
  return { text, audio: frame.slice(start, end) };
}

const tooLarge = (most: number, { type }: AudioEvent) =>
  invalid(
    `Only ${type} may be longer than ${most} characters, with its audio among the first ${AUDIO_STARTS_WITHIN}.`,
  );

export function eventIdOf({ event_id: id }: Record<string, unknown>): string | null {
  return typeof id === "string" ? id.slice(0, 512) : null;
}

export function readEvent(event: Record<string, unknown> & { type: string }): ClientEvent {
  switch (event.type) {
    case APPEND:
      return { do: "append", audio: base64Of(event.audio) };
    case "session.update":
      return { do: "update", update: readUpdate(event), reply: "session.updated" };
    case "transcription_session.update":
      return { do: "update", update: readUpdate(event), reply: "transcription_session.updated" };
    case "input_audio_buffer.commit":
      return { do: "commit" };
    case "input_audio_buffer.clear":
      return { do: "clear" };
    case "conversation.item.retrieve":
      return { do: "retrieve", itemId: itemOf(event) };
    case "conversation.item.delete":
      return { do: "delete", itemId: itemOf(event) };
    case "output_audio_buffer.clear":
      return { do: "nothing" };
    default:
      throw invalid(unknownType(event.type), "type");
  }
}

/** How much audio a frame holds, whatever else may be wrong with it. */
export async function audioBytesOf(frame: Frame): Promise<number> {
  try {
    const event = readEvent(parseFrame(frame));
    return event.do === "append" ? sizeOf(await decodeAudio(event.audio)) : 0;
  } catch {
    return 0;
  }
}

const SPEAKING = /^(response\.(create|cancel)|conversation\.item\.(create|truncate))$/;

function unknownType(type: string): string {
  if (SPEAKING.test(type))
    return `Transcription sessions do not generate responses, so ${type} means nothing here.`;
  return `Unknown event type ${type.slice(0, 100)}.`;
}

export function base64Of(audio: unknown): string {
  if (typeof audio === "string") return audio;
  const code = audio === undefined ? "required" : "wrong_type";
  throw invalidInput([{ field: "audio", code, message: "must be a string of base64" }]);
}

/** Audio as base64, in pieces. Throws a refusal, whichever piece is invalid. `field`: of the event. */
export function decodeAudio(audio: string, field = "audio"): Uint8Array[] | Promise<Uint8Array[]> {
  const pieces = decodeBase64(audio);
  return pieces instanceof Promise ? validLater(pieces, field) : valid(pieces, field);
}

const validLater = async (pieces: Promise<Uint8Array[] | null>, field: string): Promise<Uint8Array[]> =>
  valid(await pieces, field);

function valid(pieces: Uint8Array[] | null, field: string): Uint8Array[] {
  if (pieces !== null) return pieces;
  throw invalidInput([{ field, code: "malformed", message: "is not valid base64" }]);
}

export const sizeOf = (pieces: Uint8Array[]): number => pieces.reduce((sum, { length }) => sum + length, 0);

const itemEvent = checker(Type.Object({ item_id: Type.String({ maxLength: 512 }) }));

function itemOf(event: object): string {
  const { value, details } = itemEvent.check(event);
  if (details !== null) throw invalidInput(details);
  return value.item_id;
}

export function invalid(message: string, param?: string): Refusal {
  return new Refusal("invalid_event", message, param === undefined ? {} : { param });
}

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
export const appendAudio = (live: Billed, audio: string, context: EventContext): Promise<void> =>
  appendPieces(live, decodeAudio(audio), context);

export async function appendPieces(
  { session, runner, billing }: Billed,
  decoded: Uint8Array[] | Promise<Uint8Array[]>,
  { isOver, refuse }: EventContext,
): Promise<void> {
  const pieces = await decoded;
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
