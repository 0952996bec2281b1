/**
 * The slots of an organization at one node. While most of its slots are free, the slot of a request that ended is kept for
 * the next one, and released when it has been held for a while: then the store decides again.
 */
import type { Ask } from "../limits.ts";
import { HOLD_MS, isWithin } from "./held-points.ts";

const KEPT_PART = 1 / 16; // of the slots that the organization may hold
const BUSY_PART = 1 / 2;

type Slot = { id: string; takenAt: number };

export class KeptSlots {
  /** By request. A kept slot has the id of the request that took it. */
  readonly #inUse = new Map<string, Slot>();
  #kept: Slot[] = [];
  #keptMax = 0;

  get count(): number {
    return this.#kept.length;
  }

  get isIdle(): boolean {
    return this.#inUse.size === 0 && this.#kept.length === 0;
  }

  /** Whether a kept slot is the request's now. */
  reuse(request: string, now: number): boolean {
    const slot = this.#kept.at(-1);
    if (!slot || !isWithin(HOLD_MS, slot.takenAt, now)) return false;
    this.#kept.pop();
    this.#inUse.set(request, slot);
    return true;
  }

  /** The store gave the request a slot; `held`: with it, the organization holds so many. */
  took({ id, max, caps }: NonNullable<Ask["slot"]>, held: number, takenAt: number): void {
    if (caps) return; // it is never another request's
    this.#inUse.set(id, { id, takenAt });
    this.#keptMax = held <= max * BUSY_PART ? Math.floor(max * KEPT_PART) : 0;
  }

  /** The slot of a request, as the store knows it. */
  idOf(request: string): string {
    return this.#inUse.get(request)?.id ?? request;
  }

  /** The request has ended: the slot to release, or null if it is kept. */
  end(request: string, now: number): string | null {
    const slot = this.#inUse.get(request);
    if (!slot) return request;
    this.#inUse.delete(request);
    if (this.#kept.length >= this.#keptMax || !isWithin(HOLD_MS, slot.takenAt, now)) return slot.id;
    this.#kept.push(slot);
    return null;
  }

  /** The ids of those that have been held for so long, and are to be released. */
  leftover(heldMs: number, now: number): string[] {
    const { true: young = [], false: old = [] } = Object.groupBy(
      this.#kept,
      ({ takenAt }) => `${isWithin(heldMs, takenAt, now)}` as const,
    );
    this.#kept = young;
    return old.map(({ id }) => id);
  }
}
