/**
 * Rate limits of organizations: four limits, and one decision per request.
 *
 *   requests, characters, seconds   a minute's worth in a bucket that refills evenly
 *   concurrency                     slots, each a lease that its holder renews and a crashed node's holder loses
 */
export type Limits = {
  requestsPerMinute: number;
  concurrentRequests: number;
  ttsCharactersPerMinute: number;
  sttSecondsPerMinute: number;
};

/** Their names in the API. */
export const LIMIT_NAMES = {
  requests_per_minute: "requestsPerMinute",
  concurrent_requests: "concurrentRequests",
  tts_characters_per_minute: "ttsCharactersPerMinute",
  stt_seconds_per_minute: "sttSecondsPerMinute",
} as const satisfies Record<string, keyof Limits>;

type LimitsRecord = { [name in keyof typeof LIMIT_NAMES]?: number };

/** Limits with the API's names; of overrides, those that are set. */
export function limitsRecord(limits: Partial<Limits>): LimitsRecord {
  const shown = Object.entries(LIMIT_NAMES).map(([name, limit]) => [name, limits[limit]]);
  return Object.fromEntries(shown.filter(([, value]) => value !== undefined));
}

export type BucketName = "requests" | "characters" | "seconds";

const FREE: Limits = {
  requestsPerMinute: 20,
  concurrentRequests: 2,
  ttsCharactersPerMinute: 25_000,
  sttSecondsPerMinute: 1800,
};

const PAID: Limits = {
  requestsPerMinute: 120,
  concurrentRequests: 10,
  ttsCharactersPerMinute: 200_000,
  sttSecondsPerMinute: 14_400,
};

const PAID_FROM_MICROS = 5_000_000;

export const tierOf = (purchasedMicros: number): "free" | "paid" =>
  purchasedMicros >= PAID_FROM_MICROS ? "paid" : "free";

/** The limits of the tier, with the organization's overrides. */
export function limitsOf(purchasedMicros: number, overrides: Partial<Limits> | null): Limits {
  return { ...(tierOf(purchasedMicros) === "paid" ? PAID : FREE), ...overrides };
}

export const LEASE_MS = 30_000;

type Take = { bucket: BucketName; cost: number; perMinute: number };

/** Everything a request takes at once: all of it is granted, or nothing is taken. */
export type Ask = {
  organizationId: string;
  /** Unix milliseconds. */
  now: number;
  /** In this order; a cost of 0 only reads the level. */
  take: Take[];
  slot: { id: string; max: number } | null;
};

/** A bucket after the decision. `retryMs`: how long until it would admit what it refused. */
export type Level = { points: number; retryMs: number; resetMs: number };

/** `levels` are in the order of `take`; those after a refusal are missing. */
export type Answer = { refused: BucketName | "slot" | null; levels: Level[] };

/** Where limits are counted. Buckets are checked before the slot; a refusal takes nothing. */
export type LimitStore = AsyncDisposable & {
  decide(ask: Ask): Promise<Answer>;
  /** Extends a slot's lease; false if the slot was lost. */
  renew(organizationId: string, slotId: string, now: number): Promise<boolean>;
  release(organizationId: string, slotId: string): Promise<void>;
  /** The number of slots in use. */
  inFlight(organizationId: string, now: number): Promise<number>;
};
