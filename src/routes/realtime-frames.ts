/**
 * What a client says on the socket: one JSON object a frame, checked and read into what a session understands.
 */
import Type from "typebox";
import { Fault, invalidBody } from "../errors.ts";
import type { Frame } from "../http/inbox.ts";
import { checker } from "../schema.ts";
import { readUpdate, type Update } from "./realtime-settings.ts";

export type ClientEvent =
  | { do: "append"; bytes: Uint8Array }
  /** `reply` is what the answer is called. */
  | { do: "update"; update: Update; reply: string }
  | { do: "commit" | "clear" | "nothing" }
  | { do: "retrieve" | "delete"; itemId: string };

/** A JSON object with a string `type`, or a fault. */
export function parseFrame(frame: Frame): Record<string, unknown> & { type: string } {
  if (typeof frame !== "string") throw invalid("Frames are JSON text, not binary.");
  const value = parse(frame);
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw invalid("A frame holds one JSON object.");
  const { type } = value as { type?: unknown };
  if (typeof type !== "string") throw invalid("An event needs a type.", "type");
  return value as { type: string };
}

function parse(frame: string): unknown {
  try {
    return JSON.parse(frame);
  } catch {
    throw invalid("The frame is not valid JSON.");
  }
}

export function eventIdOf({ event_id: id }: Record<string, unknown>): string | null {
  return typeof id === "string" ? id.slice(0, 512) : null;
}

export function readEvent(event: Record<string, unknown> & { type: string }): ClientEvent {
  switch (event.type) {
    case "input_audio_buffer.append":
      return { do: "append", bytes: decode(event.audio) };
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
export function audioBytesOf(frame: Frame): number {
  try {
    const event = readEvent(parseFrame(frame));
    return event.do === "append" ? event.bytes.length : 0;
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

function decode(audio: unknown): Uint8Array {
  if (typeof audio !== "string") {
    const code = audio === undefined ? "required" : "wrong_type";
    throw invalidBody([{ field: "audio", code, message: "must be a string of base64" }]);
  }
  try {
    return Uint8Array.fromBase64(audio);
  } catch {
    throw invalidBody([{ field: "audio", code: "malformed", message: "is not valid base64" }]);
  }
}

const itemEvent = checker(Type.Object({ item_id: Type.String() }));

function itemOf(event: object): string {
  const { value, details } = itemEvent.check(event);
  if (details !== null) throw invalidBody(details);
  return value.item_id;
}

function invalid(message: string, param?: string): Fault {
  return new Fault("invalid_event", message, param === undefined ? {} : { param });
}
