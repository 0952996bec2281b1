/**
 * The store of rate limits: one decision per request, over three buckets and the slots, and over those of its key and project
 * that have limits of their own.
 *
 *   requests, characters, seconds   a minute's worth in a bucket that refills evenly
 *   concurrency                     slots, each a lease that its holder renews and a crashed node's holder loses
 */
import type { Exchange } from "./bucket.ts";

export type BucketName = "requests" | "characters" | "seconds";

export const LEASE_MS = 30_000;

/** An organization's, or one of its keys' or projects': by their id, such as `key_…/requests`. */
export type BucketId = BucketName | `${string}/${BucketName}`;

/** Fewer slots for one of the organization's keys or projects; `id` of the slot names it, after a space. */
export type SlotCap = { subject: string; max: number };

/** `exchange`: what a node returns of its loan, and wants to have lent; see `bucket.ts`. */
export type Take = { bucket: BucketId; cost: number; perMinute: number; exchange?: Exchange };

/** Everything a request takes at once: all of it is granted, or nothing is taken. */
export type Ask = {
  organizationId: string;
  /** Unix milliseconds. */
  now: number;
  /** In this order; a cost of 0 only reads the level, and one below 0 gives points back. */
  take: Take[];
  slot: { id: string; max: number; caps?: SlotCap[] } | null;
};

/**
 * A bucket after the decision. `retryMs`: how long until it would admit what it refused. `lent`: the points of the new loan,
 * where an exchange took place.
 */
export type Level = { points: number; retryMs: number; resetMs: number; lent?: number };

/**
 * `levels` are in the order of `take`; those after a refusal are missing. `held`: the slots in use, with one that was taken.
 * `isLocal`: a shared store did not answer, and whether it exchanged loans is unknown.
 */
export type Answer = {
  refused: BucketId | "slot" | `${string}/slot` | null;
  levels: Level[];
  held?: number;
  isLocal?: true;
};

/** Where limits are counted. Buckets are checked before the slot; a refusal takes nothing, and exchanges only the loan of its bucket. */
export type LimitStore = AsyncDisposable & {
  /** At once where it is counted in this process. */
  decide(ask: Ask): Answer | Promise<Answer>;
  /** Extends a slot's lease; false if the slot was lost. */
  renew(organizationId: string, slotId: string, now: number): Promise<boolean>;
  release(organizationId: string, slotId: string): Promise<void>;
  /** The number of slots in use. */
  inFlight(organizationId: string, now: number): Promise<number>;
};
