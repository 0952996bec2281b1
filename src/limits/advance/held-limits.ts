/** What a node holds of one organization's limits: decides by it where it suffices, else at the store. */
import type { Answer, Ask, BucketId, LimitStore } from "../limits.ts";
import { HeldPoints } from "./held-points.ts";
import { KeptSlots } from "./kept-slots.ts";

export type Holder = { store: LimitStore; name: string };

export class HeldLimits {
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
