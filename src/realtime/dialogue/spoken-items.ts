/** What was spoken of the last answers of a conversation, so that what was heard of them can be told. */
import { heardText, type PlaybackClock, type Segment } from "./heard.ts";
import type { Items } from "./items.ts";
import type { OpenMessage } from "./live-response.ts";

/** `cutMs`: the client played no more of it; null: all of it, as far as is known. */
type Spoken = { itemId: string; segments: Segment[]; clock: PlaybackClock; cutMs: number | null };

const KEPT = 50;

export class SpokenItems {
  readonly #items: Items;
  #kept: Spoken[] = [];

  constructor(items: Items) {
    this.#items = items;
  }

  keep({ item, segments, clock }: OpenMessage): void {
    if (this.#find(item.id)) return;
    this.#kept.push({ itemId: item.id, segments, clock, cutMs: null });
    this.#kept = this.#kept.slice(-KEPT);
  }

  #find = (itemId: string): Spoken | undefined => this.#kept.find((each) => each.itemId === itemId);

  /** How much of what was sent is not played yet. */
  aheadMs = (nowMs: number): number => this.#kept.at(-1)?.clock.aheadMs(nowMs) ?? 0;

  /**
   * The caller stopped the item that is being played; null: the last. Returns what it said, and what was heard of that; null:
   * nothing was being played.
   */
  interrupt(itemId: string | null, nowMs: number): { text: string; heard: string } | null {
    const spoken = itemId === null ? this.#kept.at(-1) : this.#find(itemId);
    if (!spoken || (itemId === null && spoken.clock.aheadMs(nowMs) === 0)) return null;
    const heard = this.#cut(spoken, spoken.clock.playedMs(nowMs));
    return { text: spoken.segments.map(({ text }) => text).join(""), heard };
  }

  /** The client played so much of an item; returns how much of that there is. Null: it was not spoken. */
  truncate(itemId: string, audioEndMs: number): number | null {
    const spoken = this.#find(itemId);
    if (!spoken) return null;
    const cutMs = Math.min(Math.max(0, Math.round(audioEndMs)), Math.round(spoken.clock.sentMs));
    this.#cut(spoken, cutMs);
    return cutMs;
  }

  /** The message is complete: the client may have played less of it already. */
  closed(itemId: string): void {
    const spoken = this.#find(itemId);
    if (spoken && spoken.cutMs !== null) this.#cut(spoken, spoken.cutMs);
  }

  /** Returns what was heard. */
  #cut(spoken: Spoken, cutMs: number): string {
    spoken.cutMs = cutMs;
    const heard = heardText(spoken.segments, cutMs);
    const item = this.#items.find(spoken.itemId);
    if (item?.type !== "message" || item.content.length === 0) return heard; // its message is still open
    item.content = [{ type: "output_audio", transcript: heard }];
    this.#items.measure(item);
    return heard;
  }
}
