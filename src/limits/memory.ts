/**
 * Limits counted in memory: for a single server, and for a node whose shared store is unavailable. Slots are leases;
 * full buckets are dropped.
 */

import { TransientMap } from "../transient.ts";
import { type Bucket, LOAN_MS, take } from "./bucket.ts";
import { type Answer, type Ask, LEASE_MS, type Level, type LimitStore } from "./limits.ts";

const FORGET_EVERY = 4096; // decisions
const KEYS_MAX = 20_000;

/** `fullAt`: when the bucket is full, and can be dropped. */
export type Noted = Bucket & { fullAt: number };

export type MemoryLimits = LimitStore & {
  /** Applies another store's decision: levels are lowered to its levels, and the slot is taken. */
  follow(ask: Ask, answer: Answer): void;
  forgetFull(): void;
};

type Slot = NonNullable<Ask["slot"]>;

/** By organization: each slot and the end of its lease. */
type Slots = TransientMap<string, TransientMap<string, number>>;

type Restored = { slots?: Slots; keep?: (key: string, bucket: Noted) => void };

/** `buckets` and `slots` may hold restored ones; `keep` is called with every change of a bucket. */
export function openMemoryLimits(
  buckets = new Map<string, Noted>(),
  { slots: restored = new TransientMap(), keep = () => {} }: Restored = {},
): MemoryLimits {
  const slots = openSlots(restored);
  const keys = openKeys();
  let asked = 0;
  let decisions = 0;

  function put(key: string, bucket: Noted): void {
    buckets.set(key, bucket);
    keep(key, bucket);
  }

  function forgetFull(): void {
    for (const [key, { fullAt }] of buckets) if (fullAt <= asked) buckets.delete(key);
  }

  function decide({ organizationId, now, take: takes, slot }: Ask): Answer {
    asked = now;
    if (++decisions % FORGET_EVERY === 0) forgetFull();
    const levels: Level[] = [];
    const names: string[] = [];
    const taken: Noted[] = [];
    for (const { bucket: name, cost, perMinute, exchange } of takes) {
      const key = keys.of(organizationId, name);
      const stored = buckets.get(key) ?? null;
      const { admitted, bucket, retryMs, resetMs, lent } = take(stored, perMinute, { cost, now, exchange });
      const level = exchange
        ? { points: bucket.points, retryMs, resetMs, lent }
        : { points: bucket.points, retryMs, resetMs };
      const noted = Object.assign(bucket, { fullAt: now + Math.max(resetMs, bucket.loans ? LOAN_MS : 0) });
      if (!admitted) {
        put(key, noted); // stores the new time if the clock was stepped back
        return { refused: name, levels: [...levels.map(withoutExchange), level] };
      }
      names.push(key);
      taken.push(noted);
      levels.push(level);
    }
    const refused = slot && slots.hold(organizationId, slot, now);
    if (refused) return { refused, levels: levels.map(withoutExchange) };
    for (const [index, noted] of taken.entries()) put(names[index]!, noted);
    return { refused: null, levels, ...(slot && { held: slots.size(organizationId) }) };
  }

  return {
    decide,
    renew: async (organizationId, slotId, now) => slots.renew(organizationId, slotId, now),
    release: async (organizationId, slotId) => slots.release(organizationId, slotId),
    inFlight: async (organizationId, now) => slots.count(organizationId, now),
    follow({ organizationId, now, take: takes, slot }, { refused, levels }) {
      asked = now;
      for (const [index, { points, resetMs }] of levels.entries()) {
        const { bucket: name, perMinute } = takes[index]!;
        const key = keys.of(organizationId, name);
        const taken = take(buckets.get(key) ?? null, perMinute, { cost: 0, now });
        if (points <= taken.bucket.points) put(key, { points, at: now, fullAt: now + resetMs });
      }
      if (slot && refused === null)
        slots.hold(organizationId, { id: slot.id, max: Number.POSITIVE_INFINITY }, now);
    },
    forgetFull,
    async [Symbol.asyncDispose]() {},
  };
}

const withoutExchange = ({ lent: _, ...level }: Level): Level => level;

/** Names a bucket by its organization and its own name: the same text each time, which is found without being read again. */
function openKeys() {
  const known = new Map<string, Map<string, string>>();
  let count = 0;
  return {
    of(organizationId: string, name: string): string {
      const kept = known.get(organizationId)?.get(name);
      if (kept !== undefined) return kept;
      const key = `${organizationId} ${name}`;
      if (++count > KEYS_MAX) {
        known.clear();
        count = 1;
      }
      const own = known.get(organizationId) ?? new Map<string, string>();
      known.set(organizationId, own.set(name, key));
      return key;
    },
  };
}

function openSlots(slots: Slots) {
  return {
    /** What refuses it, or null where it is taken. */
    hold(organizationId: string, { id, max, caps = [] }: Slot, now: number): Answer["refused"] {
      const held = slots.get(organizationId) ?? new TransientMap<string, number>();
      if (held.size >= max || caps.length > 0) endLeases(held, now);
      for (const { subject, max } of caps) if (heldBy(subject, held) >= max) return `${subject}/slot`;
      if (held.size >= max) return "slot";
      slots.set(organizationId, held.set(id, now + LEASE_MS));
      return null;
    },
    renew(organizationId: string, id: string, now: number): boolean {
      const held = slots.get(organizationId);
      if (!held?.has(id)) return false;
      held.set(id, now + LEASE_MS);
      return true;
    },
    release(organizationId: string, id: string): void {
      const held = slots.get(organizationId);
      held?.delete(id);
      if (held?.size === 0) slots.delete(organizationId);
    },
    /** With those whose leases have ended unnoticed. */
    size: (organizationId: string): number => slots.get(organizationId)?.size ?? 0,
    count(organizationId: string, now: number): number {
      const held = slots.get(organizationId) ?? new TransientMap<string, number>();
      endLeases(held, now);
      return held.size;
    },
  };
}

const heldBy = (subject: string, held: TransientMap<string, number>): number =>
  [...held.keys()].filter((id) => id.split(" ").includes(subject)).length;

/** Caps leases at one lease from now, in case the clock was stepped back. */
function endLeases(held: TransientMap<string, number>, now: number): void {
  for (const [id, until] of held) {
    if (until <= now) held.delete(id);
    else if (until > now + LEASE_MS) held.set(id, now + LEASE_MS);
  }
}
