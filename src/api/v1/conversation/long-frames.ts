/**
 * Frames of a conversation. Audio, and the images of an item, may be long: they are cut out of a frame before parsing, so
 * that the parser only sees short text.
 *
 *   {"type":"conversation.item.create","item":{… "audio":" ── megabytes of base64 ── "}}
 *   └───────────────────── parsed ──────────────────────┘ └─────── cut out ───────┘└──┘
 */
import type { Frame } from "../../sockets/frame-queue.ts";
import { invalid, parseFrame } from "../realtime/frames.ts";

type Event = Record<string, unknown> & { type: string };

/** Code units of a frame beside what is cut out. */
const PARSED_MAX = 1024 * 1024;
const SHORT = 64 * 1024; // a value that may be parsed
const OPENING = /"(?:audio|image_url)"\s*:\s*"/g;

/** A JSON object with a string `type`. Throws a refusal for anything else. */
export function parseConversationFrame(frame: Frame): Event {
  if (typeof frame !== "string" || frame.length <= PARSED_MAX) return parseFrame(frame, PARSED_MAX);
  const { text, values } = cut(frame);
  if (text.length > PARSED_MAX) throw tooLarge();
  const event = parseFrame(text, PARSED_MAX);
  if (restore(event, values) < values.length) throw tooLarge();
  return event;
}

const tooLarge = () =>
  invalid(
    `Events may not be longer than ${PARSED_MAX} characters, beside the audio of an append or of an item, and its images.`,
  );

/** The nth value stands in the text as a name that it is found by afterwards. */
function cut(frame: string): { text: string; values: string[] } {
  const values: string[] = [];
  let text = "";
  let from = 0;
  OPENING.lastIndex = 0;
  for (let opening = OPENING.exec(frame); opening !== null; opening = OPENING.exec(frame)) {
    const start = OPENING.lastIndex;
    const end = frame.indexOf('"', start);
    if (end < 0) break;
    OPENING.lastIndex = end;
    if (end - start <= SHORT) continue;
    text += frame.slice(from, start) + nameOf(values.length);
    values.push(frame.slice(start, end));
    from = end;
  }
  return { text: text + frame.slice(from), values };
}

const nameOf = (index: number): string => `cut:${index}`;

/** Returns how many values have their place again. */
function restore(event: Event, values: readonly string[]): number {
  const places = event.type === "input_audio_buffer.append" ? [event] : partsOf(event);
  let count = 0;
  for (const place of places)
    for (const field of ["audio", "image_url"]) {
      const index = values.findIndex((_value, at) => place[field] === nameOf(at));
      if (index < 0) continue;
      place[field] = values[index];
      count++;
    }
  return count;
}

function partsOf({ type, item }: Event): Record<string, unknown>[] {
  if (type !== "conversation.item.create") return [];
  const { content } = (item ?? {}) as { content?: unknown };
  return Array.isArray(content) ? content.filter((part) => typeof part === "object" && part !== null) : [];
}
