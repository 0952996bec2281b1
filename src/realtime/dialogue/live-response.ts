/**
 * One response: its items and their parts, and every event of them in the order that clients rely on. Pure.
 *
 *   created ─> message: added, part, deltas …, done ─> calls: added, arguments, done ─> response.done, once
 */
import type { ChatCall } from "../../engine/protocol/chat.ts";
import type { Outcome, SpeechEvent } from "../dialogue-effects.ts";
import type { Outbox } from "../outbox.ts";
import type { Stages } from "../stages.ts";
import * as events from "./dialogue-events.ts";
import { estimatedStarts, PlaybackClock, piecesOf, placedWords, type Segment } from "./heard.ts";
import { type CallItem, copyOf, type Item, type ItemStatus, type Items, type MessageItem } from "./items.ts";
import { outcomeOf, type Writing } from "./outcome.ts";

type Deps = {
  out: Pick<Outbox, "send" | "itemId" | "add">;
  /** Null: its items are in no conversation. */
  items: Items | null;
  stages: Stages;
};

/** An answer as it is being given. `pieces`: of the transcript, that are told with the sound that is still to come. */
export type OpenMessage = {
  item: MessageItem;
  index: number;
  /** What was told of its text. */
  text: string;
  segments: Segment[];
  clock: PlaybackClock;
  pieces: { text: string; ms: number }[];
};

export class Response {
  readonly fields: events.ResponseFields;
  readonly stages: Stages;
  readonly #deps: Deps;
  readonly #output: Item[] = [];
  #message: OpenMessage | null = null;

  constructor(fields: events.ResponseFields, deps: Deps) {
    this.fields = fields;
    this.stages = deps.stages;
    this.#deps = deps;
    this.#send("response.created", {
      response: events.responseObject(fields, {
        ...{ status: "in_progress", details: null, output: [], usage: null },
      }),
    });
  }

  get id(): string {
    return this.fields.id;
  }

  /** The message that is being written or spoken. */
  get message(): OpenMessage | null {
    return this.#message;
  }

  #send(type: string, fields: object): void {
    this.#deps.out.send({ type, ...fields });
  }

  /** Text of a response that is not spoken. */
  addText(delta: string): void {
    const message = this.#open();
    message.text += delta;
    this.#send("response.output_text.delta", { ...this.#at(message), delta });
  }

  /** Text that is spoken next; its sound follows. */
  beginSegment({ text, expectedMs, words }: Extract<SpeechEvent, { is: "began" }>): void {
    const message = this.#open();
    this.#tell(message, Number.POSITIVE_INFINITY);
    const startMs = message.clock.sentMs;
    const placed = words && placedWords(text, words);
    message.segments.push({ text, startMs, ms: 0, expectedMs, words: placed });
    const pieces = piecesOf(text, placed ?? estimatedStarts(text, expectedMs));
    message.pieces = pieces.map((piece) => ({ ...piece, ms: startMs + piece.ms }));
  }

  /** Sound of the last segment, as the client reads it. The words that begin in it are told before. */
  addAudio(bytes: Uint8Array, ms: number, nowMs: number): void {
    const message = this.#message!;
    const segment = message.segments.at(-1)!;
    this.#tell(message, message.clock.sentMs + ms);
    segment.ms += ms;
    message.clock.add(ms, nowMs);
    this.stages.reached("firstSound");
    this.#send("response.output_audio.delta", {
      ...this.#at(message),
      delta: Buffer.from(bytes).toString("base64"),
    });
  }

  /** All sound of the last segment was sent. */
  endSegment({ words }: Extract<SpeechEvent, { is: "ended" }>): void {
    const message = this.#message!;
    this.#tell(message, Number.POSITIVE_INFINITY);
    const segment = message.segments.at(-1)!;
    segment.expectedMs = segment.ms;
    segment.words ??= words && placedWords(segment.text, words);
  }

  #tell(message: OpenMessage, beforeMs: number): void {
    const count = message.pieces.findIndex(({ ms }) => ms >= beforeMs);
    const told = message.pieces.splice(0, count < 0 ? message.pieces.length : count);
    if (told.length === 0) return;
    const delta = told.map(({ text }) => text).join("");
    message.text += delta;
    this.#send("response.output_audio_transcript.delta", { ...this.#at(message), delta });
  }

  #open(): OpenMessage {
    if (this.#message) return this.#message;
    const item: MessageItem = {
      ...{ id: this.#deps.out.itemId(), object: "realtime.item", type: "message" },
      ...{ status: "in_progress", role: "assistant", content: [] },
    };
    const index = this.#add(item);
    const message = { item, index, text: "", segments: [], clock: new PlaybackClock(), pieces: [] };
    this.#message = message;
    this.#send("response.content_part.added", { ...this.#at(message), part: this.#part("") });
    return message;
  }

  /** Announces an item; returns its index in the output. */
  #add(item: Item): number {
    this.#output.push(item);
    const index = this.#output.length - 1;
    this.#itemEvent("response.output_item.added", item, index);
    const { items, out } = this.#deps;
    if (items) out.send(events.itemAdded(item, items.add(item)));
    return index;
  }

  #itemEvent(type: string, item: Item, index: number): void {
    this.#send(type, { response_id: this.id, output_index: index, item: copyOf(item) });
  }

  #done(item: Item, index: number): void {
    this.#itemEvent("response.output_item.done", item, index);
    const { items, out } = this.#deps;
    if (!items?.find(item.id)) return; // the client may have deleted it
    items.measure(item);
    out.send(events.itemDone(item, items.previous(item.id)));
  }

  /** Types are short in parts, and long in items. */
  #part(text: string): object {
    return this.fields.modality === "audio" ? { type: "audio", transcript: text } : { type: "text", text };
  }

  #at({ item, index }: OpenMessage) {
    return { response_id: this.id, item_id: item.id, output_index: index, content_index: 0 };
  }

  /** Ends the message that is open, with what was told of it. */
  closeMessage(status: ItemStatus): OpenMessage | null {
    const message = this.#message;
    if (message === null) return null;
    this.#message = null;
    const { item, index, text } = message;
    const at = this.#at(message);
    if (this.fields.modality === "audio") {
      this.#send("response.output_audio.done", at);
      this.#send("response.output_audio_transcript.done", { ...at, transcript: text });
      item.content = [{ type: "output_audio", transcript: text }];
    } else {
      this.#send("response.output_text.done", { ...at, text });
      item.content = [{ type: "output_text", text }];
    }
    this.#send("response.content_part.done", { ...at, part: this.#part(text) });
    item.status = status;
    this.#done(item, index);
    return message;
  }

  /** A call, whose arguments are complete: so that none is half told when a response is cancelled. */
  addCall({ callId, name, arguments: asked }: ChatCall): void {
    const item: CallItem = {
      ...{ id: this.#deps.out.itemId(), object: "realtime.item", type: "function_call" },
      ...{ status: "in_progress", call_id: callId, name, arguments: "" },
    };
    const index = this.#add(item);
    const at = { response_id: this.id, item_id: item.id, output_index: index, call_id: callId };
    this.#send("response.function_call_arguments.delta", { ...at, delta: asked });
    this.#send("response.function_call_arguments.done", { ...at, name, arguments: asked });
    item.status = "completed";
    item.arguments = asked;
    this.#done(item, index);
  }

  end(status: Outcome["status"], details: events.StatusDetails, writing: Writing): void {
    const usage = events.usageObject(writing.usage);
    const state = { status, details, output: this.#output, usage };
    const latency = this.stages.latency();
    this.#send("response.done", { response: { ...events.responseObject(this.fields, state), latency } });
    const outcome = outcomeOf(this.stages, { status, details }, writing);
    this.#deps.out.add({ do: "over", responseId: this.id, outcome });
  }
}
