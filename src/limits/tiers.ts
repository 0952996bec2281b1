/** The limits of each plan and tier, and their names in the API. */
import type { Plan } from "../plans.ts";

export type Limits = {
  requestsPerMinute: number;
  concurrentRequests: number;
  ttsCharactersPerMinute: number;
  sttSecondsPerMinute: number;
};

export const LIMIT_NAMES = {
  requests_per_minute: "requestsPerMinute",
  concurrent_requests: "concurrentRequests",
  tts_characters_per_minute: "ttsCharactersPerMinute",
  stt_seconds_per_minute: "sttSecondsPerMinute",
} as const satisfies Record<string, keyof Limits>;

type LimitsRecord = { [name in keyof typeof LIMIT_NAMES]?: number };

/** As the API returns them; of an organization's overrides, those that are set. */
export function limitsRecord(limits: Partial<Limits>): LimitsRecord {
  const entries = Object.entries(LIMIT_NAMES).map(([name, limit]) => [name, limits[limit]]);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

const FREE: Limits = {
  requestsPerMinute: 20,
  concurrentRequests: 2,
  ttsCharactersPerMinute: 25_000,
  sttSecondsPerMinute: 1800,
};

export const PAID: Limits = {
  requestsPerMinute: 120,
  concurrentRequests: 10,
  ttsCharactersPerMinute: 200_000,
  sttSecondsPerMinute: 14_400,
};

/** What an organization has to buy in total to be on the Paid tier. */
export const PAID_FROM_MICROS = 5_000_000;

export const tierOf = (purchasedMicros: number): "free" | "paid" =>
  purchasedMicros >= PAID_FROM_MICROS ? "paid" : "free";

/** Of one thread: beyond what its fastest engines do, and never less than the Paid tier. Engines' queues take as many. */
const THREAD: Limits = {
  requestsPerMinute: 6000,
  concurrentRequests: 16,
  ttsCharactersPerMinute: 200_000, // 105 times real time are 95,000
  sttSecondsPerMinute: 14_400, // 240 times real time
};

/** What a machine can bear with so many threads: the limits of unmetered organizations. */
export const machineLimits = (threads: number): Limits => ({
  requestsPerMinute: THREAD.requestsPerMinute * threads,
  concurrentRequests: THREAD.concurrentRequests * threads,
  ttsCharactersPerMinute: THREAD.ttsCharactersPerMinute * threads,
  sttSecondsPerMinute: THREAD.sttSecondsPerMinute * threads,
});

type Limited = { plan: Plan; limitOverrides: Partial<Limits> | null };

/** The machine's or the tier's limits, each replaced by the organization's override if it has one. */
export function limitsOf(
  { plan, limitOverrides }: Limited,
  purchasedMicros: number,
  machine: Limits,
): Limits {
  const tier = tierOf(purchasedMicros) === "paid" ? PAID : FREE;
  return { ...(plan === "unmetered" ? machine : tier), ...limitOverrides };
}
