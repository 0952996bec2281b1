/**
 * The items of a conversation, in order: what both sides said, which functions were called, and what these returned. The
 * oldest leave silently where there are too many; by then no language model reads them any more.
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

const COUNT_MAX = 2000;
const CHARACTERS_MAX = 4 * 1024 * 1024;

export class Items {
  #all: Item[] = [];
  readonly #sizes = new Map<string, number>();
  #characters = 0;

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

  /** Returns the id of the item before it; null at the front. `after` names an item that exists. */
  add(item: Item, { after }: Place = {}): string | null {
    const index =
      after === undefined
        ? this.#all.length
        : after === null
          ? 0
          : this.#all.findIndex(({ id }) => id === after) + 1;
    this.#all.splice(index, 0, item);
    this.#sizes.set(item.id, 0);
    this.measure(item);
    while (this.#all.length > COUNT_MAX || (this.#characters > CHARACTERS_MAX && this.#all.length > 1))
      this.delete(this.#all.find(({ id }) => id !== item.id)!.id);
    return this.previous(item.id);
  }

  /** The content of an item has changed. */
  measure(item: Item): void {
    const size = JSON.stringify(item).length;
    this.#characters += size - (this.#sizes.get(item.id) ?? 0);
    this.#sizes.set(item.id, size);
  }

  previous(id: string): string | null {
    return this.#all[this.#all.findIndex((item) => item.id === id) - 1]?.id ?? null;
  }

  delete(id: string): void {
    this.#characters -= this.#sizes.get(id) ?? 0;
    this.#sizes.delete(id);
    this.#all = this.#all.filter((item) => item.id !== id);
  }
}

/** As it is now: events are sent after the item may have changed again. */
export const copyOf = (item: Item): Item =>
  item.type === "message" ? { ...item, content: item.content.map((part) => ({ ...part })) } : { ...item };

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
