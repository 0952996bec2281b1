/**
 * A store of limits whose decisions a node takes in advance: of a busy organization it holds points and slots for a quarter
 * of a second, so that most requests are decided without a round trip.
 *
 *   decide ──> held here ──> admitted
 *      └─────> not held  ──> the store decides, takes back what is left, and lends for the next requests
 *
 * No limit is exceeded: what a node holds counts as taken until it is used or returned. It holds at most a thirty-second part
 * of the points and a sixteenth of the slots, and nothing of an organization that has used half of either. So requests may be
 * refused for that much less than the limit, for a quarter of a second, where they suddenly arrive at other nodes.
 */

import type { Clock } from "../../clock.ts";
import { TransientMap } from "../../transient.ts";
import type { Answer, Ask, BucketId, LimitStore } from "../limits.ts";
import { HeldPoints, HOLD_MS, isWithin } from "./held-points.ts";

export function takeInAdvance(store: LimitStore, clock: Clock): LimitStore {
  const holder = { store, name: crypto.randomUUID() }; // names of nodes may be taken twice
  const organizations = new TransientMap<string, HeldLimits>();

  function heldOf(organizationId: string): HeldLimits {
    const held = organizations.get(organizationId) ?? new HeldLimits(holder);
    organizations.set(organizationId, held);
    return held;
  }

  async function giveBack(heldMs: number): Promise<void> {
    const now = clock.now();
    for (const [organizationId, held] of organizations)
      if (held.isIdle(now)) organizations.delete(organizationId);
    await Promise.all(
      [...organizations].map(([organizationId, held]) => held.giveBack(organizationId, heldMs, now)),
    );
  }
  const givingBack = setInterval(() => void giveBack(HOLD_MS), HOLD_MS);

  return {
    decide: (ask) => heldOf(ask.organizationId).decide(ask, clock.now()),
    renew(organizationId, slotId, now) {
      const id = organizations.get(organizationId)?.slots.idOf(slotId) ?? slotId;
      return store.renew(organizationId, id, now);
    },
    async release(organizationId, slotId) {
      const slots = organizations.get(organizationId)?.slots;
      const id = slots ? slots.end(slotId, clock.now()) : slotId;
      if (id !== null) await store.release(organizationId, id);
    },
    async inFlight(organizationId, now) {
      const kept = organizations.get(organizationId)?.slots.count ?? 0;
      return Math.max(0, (await store.inFlight(organizationId, now)) - kept);
    },
    async [Symbol.asyncDispose]() {
      clearInterval(givingBack);
      await giveBack(0);
      await store[Symbol.asyncDispose]();
    },
  };
}

/** What a node holds of one organization's limits: decides by it where it suffices, else at the store. */
type Holder = { store: LimitStore; name: string };

class HeldLimits {
  readonly slots = new KeptSlots();
  readonly #buckets = new Map<BucketId, HeldPoints>();
  readonly #holder: Holder;

  constructor(holder: Holder) {
    this.#holder = holder;
  }

  isIdle(now: number): boolean {
    return this.slots.isIdle && [...this.#buckets.values()].every((bucket) => bucket.isIdle(now));
  }

  async decide(ask: Ask, now: number): Promise<Answer> {
    return this.#here(ask, now) ?? (await this.#there(ask, now));
  }

  /** Null where something is not held. An ask that takes nothing is for the level at the store. */
  #here({ take, slot }: Ask, now: number): Answer | null {
    if (slot === null && take.every(({ cost }) => cost === 0)) return null;
    if (!take.every((each) => this.#bucket(each.bucket).covers(each, now))) return null;
    if (slot && (slot.caps || !this.slots.reuse(slot.id, now))) return null; // whose cap it counts in, only the store knows
    return { refused: null, levels: take.map((each) => this.#bucket(each.bucket).take(each, now)) };
  }

  async #there(ask: Ask, sentAt: number): Promise<Answer> {
    const asked = ask.take.map((each) => {
      const bucket = this.#bucket(each.bucket);
      return { bucket, take: bucket.ask(each, sentAt), sentAt };
    });
    try {
      const answer = await this.#holder.store.decide({ ...ask, take: asked.map(({ take }) => take) });
      for (const [index, each] of asked.entries()) {
        const level = answer.levels[index];
        if (answer.isLocal) each.bucket.failed(each);
        else each.bucket.answered(level, each);
        if (level) each.bucket.follow(level, each);
      }
      if (answer.refused === null) {
        for (const { bucket, take } of asked) bucket.admitted(take, sentAt);
        if (ask.slot) this.slots.took(ask.slot, answer.held ?? ask.slot.max, sentAt);
      }
      const levels = answer.levels.map((level, index) => asked[index]!.bucket.withHeld(level));
      return { ...answer, levels };
    } catch (error) {
      for (const each of asked) each.bucket.failed(each);
      throw error;
    }
  }

  #bucket(name: BucketId): HeldPoints {
    const known = this.#buckets.get(name);
    if (known) return known;
    const bucket = new HeldPoints(this.#holder.name);
    this.#buckets.set(name, bucket);
    return bucket;
  }

  /** Returns what has been held for so long. What cannot be returned ends in the store after a while. */
  async giveBack(organizationId: string, heldMs: number, now: number): Promise<void> {
    const take = [...this.#buckets].flatMap(([name, bucket]) => bucket.leftover(name, heldMs, now) ?? []);
    const { store } = this.#holder;
    await Promise.allSettled([
      ...(take.length > 0 ? [this.#there({ organizationId, now, take, slot: null }, now)] : []),
      ...this.slots.leftover(heldMs, now).map((slotId) => store.release(organizationId, slotId)),
    ]);
  }
}

const KEPT_PART = 1 / 16; // of the slots that the organization may hold
const BUSY_PART = 1 / 2;

type Slot = { id: string; takenAt: number };

/**
 * The slots of an organization at one node. While most of its slots are free, the slot of a request that ended is kept for
 * the next one, and released when it has been held for a while: then the store decides again.
 */
class KeptSlots {
  /** By request. A kept slot has the id of the request that took it. */
  readonly #inUse = new TransientMap<string, Slot>();
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
