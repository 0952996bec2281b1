/** The limits of the Free and the Paid tier, and their names in the API. */

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

/** The tier's limits, each replaced by the organization's override if it has one. */
export function limitsOf(purchasedMicros: number, overrides: Partial<Limits> | null): Limits {
  return { ...(tierOf(purchasedMicros) === "paid" ? PAID : FREE), ...overrides };
}
