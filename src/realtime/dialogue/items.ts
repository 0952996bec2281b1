/**
 * The items of a conversation, in order: what both sides said, which functions were called, and what these returned. The
 * oldest leave silently where there are too many; by then no language model reads them any more. Their memory is counted
 * as that of other requests.
 */

import { Refusal } from "../../errors.ts";

export type ItemStatus = "in_progress" | "completed" | "incomplete";

/** `transcript` null: it is not known yet. Audio is not kept. */
export type Content =
  | { type: "input_text"; text: string }
  | { type: "input_audio"; transcript: string | null }
  | { type: "input_image"; image_url: string; detail: "auto" | "low" | "high" }
  | { type: "output_text"; text: string }
  | { type: "output_audio"; transcript: string };

type Common = { id: string; object: "realtime.item"; status: ItemStatus };

export type MessageItem = Common & {
  type: "message";
  role: "system" | "user" | "assistant";
  content: Content[];
};
export type CallItem = Common & { type: "function_call"; call_id: string; name: string; arguments: string };
type OutputItem = Common & { type: "function_call_output"; call_id: string; output: string };
export type Item = MessageItem | CallItem | OutputItem;

/** Where a new item is put: behind this one; null: at the front. Absent: at the end. */
export type Place = { after?: string | null };

/** What a caller said. Its transcript is not known yet. */
export const spokenItem = (id: string): MessageItem => ({
  ...{ id, object: "realtime.item", type: "message", status: "completed", role: "user" },
  content: [{ type: "input_audio", transcript: null }],
});

const isAudio = (part: Content) => part.type === "input_audio";

const COUNT_MAX = 2000;
const CHARACTERS_MAX = 4 * 1024 * 1024; // of text
const IMAGES_MAX = 24 * 1024 * 1024; // characters of them all: two of the largest
const ECHOED_MAX = 64 * 1024; // characters of an image that clients are sent back
const BYTES_OF_CHARACTER = 2; // of text; images are in characters of one byte

/** Where the memory of items is counted. `take` throws where there is no room. */
export type ItemMemory = { take(sizeBytes: number): void; giveBack(sizeBytes: number): void };

export class Items {
  readonly #memory: ItemMemory;
  #all: Item[] = [];
  readonly #sizes = new Map<string, Size>();
  #held: Size = NOTHING;
  /** What was taken for them. */
  #heldBytes = 0;

  constructor(memory: ItemMemory) {
    this.#memory = memory;
  }

  get all(): readonly Item[] {
    return this.#all;
  }

  find(id: string): Item | null {
    return this.#sizes.has(id) ? (this.#all.find((item) => item.id === id) ?? null) : null;
  }

  /** Throws where there is none. `param`: the field of the event that names it. */
  require(id: string, code: MissingItem, param?: string): Item {
    const item = this.find(id);
    if (item) return item;
    throw missing(code, id, param);
  }

  /** As `add`, for a client: throws where there is no memory for it. */
  create(item: Item, place: Place): string | null {
    const sizeBytes = bytesOf(sizeOf(item));
    try {
      this.#memory.take(sizeBytes);
    } catch (cause) {
      throw noMemory(cause);
    }
    this.#heldBytes += sizeBytes;
    return this.add(item, place);
  }

  /**
   * Returns the id of the item before it; null at the front. `after` names an item that exists. The oldest leave where there
   * are too many, or where there is no memory.
   */
  add(item: Item, { after }: Place = {}): string | null {
    const index =
      after === undefined
        ? this.#all.length
        : after === null
          ? 0
          : this.#all.findIndex(({ id }) => id === after) + 1;
    this.#all.splice(index, 0, item);
    this.measure(item);
    return this.previous(item.id);
  }

  /** The content of an item has changed. */
  measure(item: Item): void {
    const size = sizeOf(item);
    this.#held = sumOf(this.#held, size, this.#sizes.get(item.id));
    this.#sizes.set(item.id, size);
    this.#dropOldest(item, () => this.#sizes.size <= COUNT_MAX && this.#held.text <= CHARACTERS_MAX);
    const isSeen = ({ id }: Item) => this.#sizes.get(id)!.images > 0;
    this.#dropOldest(item, () => this.#held.images <= IMAGES_MAX, isSeen);
    this.#count(item);
  }

  /** Has the memory that they take counted. */
  #count(kept: Item): void {
    try {
      this.#takeOrGiveBack();
    } catch {
      this.#dropOldest(kept, () => this.#lackingBytes() <= 0);
      if (this.#lackingBytes() <= 0) this.#takeOrGiveBack();
    }
  }

  #lackingBytes = (): number => bytesOf(this.#held) - this.#heldBytes;

  #takeOrGiveBack(): void {
    const bytes = this.#lackingBytes();
    if (bytes > 0) this.#memory.take(bytes);
    else this.#memory.giveBack(-bytes);
    this.#heldBytes += bytes;
  }

  #dropOldest(kept: Item, isEnough: () => boolean, mayLeave: (item: Item) => boolean = () => true): void {
    if (isEnough()) return;
    this.#all = this.#all.filter((item) => {
      if (item === kept || !mayLeave(item) || isEnough()) return true;
      this.#forget(item.id);
      return false;
    });
  }

  #forget(id: string): void {
    this.#held = sumOf(this.#held, NOTHING, this.#sizes.get(id));
    this.#sizes.delete(id);
  }

  /** Which part of an item is its audio; 0 where there is none. */
  audioIndex(id: string): number {
    const item = this.find(id);
    if (item?.type !== "message") return 0;
    return Math.max(0, item.content.findIndex(isAudio));
  }

  /** What was said in an item is known. */
  transcribe(id: string, transcript: string): void {
    const item = this.find(id);
    if (item?.type !== "message") return;
    item.content = item.content.map((part) => (isAudio(part) ? { ...part, transcript } : part));
    this.measure(item);
  }

  previous(id: string): string | null {
    return this.#all[this.#all.findIndex((item) => item.id === id) - 1]?.id ?? null;
  }

  delete(id: string): void {
    this.#forget(id);
    this.#all = this.#all.filter((item) => item.id !== id);
    if (this.#lackingBytes() < 0) this.#takeOrGiveBack();
  }
}

const noMemory = (cause: unknown): Refusal =>
  new Refusal(
    "concurrency_limit_exceeded",
    "There is no memory for the item at this time. Delete items of this conversation, or try again.",
    { param: "item", cause },
  );

/** In characters. */
type Size = { text: number; images: number };

const NOTHING: Size = { text: 0, images: 0 };

const sumOf = (held: Size, added: Size, without = NOTHING): Size => ({
  text: held.text + added.text - without.text,
  images: held.images + added.images - without.images,
});

const bytesOf = ({ text, images }: Size): number => BYTES_OF_CHARACTER * text + images;

function sizeOf(item: Item): Size {
  const images =
    item.type === "message"
      ? item.content.reduce((sum, part) => sum + ("image_url" in part ? part.image_url.length : 0), 0)
      : 0;
  return { text: JSON.stringify(copyOf(item)).length, images };
}

/** As it is now, for clients: events are sent after the item may have changed again. Large images are not sent back. */
export const copyOf = (item: Item): object =>
  item.type === "message" ? { ...item, content: item.content.map(partOf) } : { ...item };

function partOf(part: Content): object {
  if (part.type !== "input_image" || part.image_url.length <= ECHOED_MAX) return { ...part };
  return { type: part.type, detail: part.detail };
}

/** What a client wanted of an item that does not exist, as clients of the API compare it. */
const WANTED = {
  item_create_invalid_previous_item_id: "adding item: the previous item",
  item_retrieve_invalid_item_id: "retrieving item: the item",
  item_delete_invalid_item_id: "deleting item: the item",
  item_truncate_invalid_item_id: "truncating item: the item",
} as const;

type MissingItem = keyof typeof WANTED;

const missing = (code: MissingItem, id: string, param?: string): Refusal =>
  new Refusal(
    code,
    `Error ${WANTED[code]} with id '${id.slice(0, 100)}' does not exist.`,
    param === undefined ? {} : { param },
  );
