/**
 * What organizations pay and may use: their plans, by what the list prices of a prepaid one are multiplied (kept in whole units of
 * 1/10,000; another factor may be set to hold from some time on), and the limits of each plan and tier. Pure.
 */

/** `unmetered`: usage is recorded at list price, and nothing is deducted. `prepaid`: credit pays for it. */
export type Plan = (typeof PLANS)[number];
export const PLANS = ["unmetered", "prepaid"] as const;

/** List prices. */
export const FACTOR_ONE = 10_000;
const FACTOR_MAX = 10 * FACTOR_ONE;
const FROM_MAX_SECONDS = 366 * 86_400;

/** `priceFactorBefore` holds until `priceFactorFrom`, in Unix seconds; null: `priceFactor` holds already. */
export type DatedFactor = { priceFactor: number; priceFactorFrom: number | null; priceFactorBefore: number };

/** The factor that holds at a time; that of list prices where nothing is sold. */
export function factorAt(organization: DatedFactor & { plan: Plan }, now: number): number {
  return organization.plan === "prepaid" ? datedAt(organization, now) : FACTOR_ONE;
}

/** The same whatever the plan is. */
export const datedAt = (organization: DatedFactor, now: number): number =>
  nextFrom(organization, now) === null ? organization.priceFactor : organization.priceFactorBefore;

/** When another factor begins to hold, in Unix seconds; null: none is to follow. */
export const nextFrom = ({ priceFactorFrom }: Pick<DatedFactor, "priceFactorFrom">, now: number) =>
  priceFactorFrom !== null && now < priceFactorFrom ? priceFactorFrom : null;

/** What an organization pays for a million units, in whole micros, rounded up. */
export const chargedPrice = (priceMicros: number, factor: number): number =>
  Math.ceil((priceMicros * factor) / FACTOR_ONE);

/** A factor as people write it, in units; null: it is none, or has too many decimals. */
export function factorIn(value: number): number | null {
  const units = Math.round(value * FACTOR_ONE);
  const isExact = Math.abs(value * FACTOR_ONE - units) < 1e-6;
  return isExact && units >= 0 && units <= FACTOR_MAX ? units : null;
}

export const FACTOR_RANGE = "from 0 to 10, with at most four decimals";

/** Why a factor, or `what` else, cannot hold from then on, as the end of a sentence; null: it can. */
export function fromFault(from: number, now: number, what = "a factor"): string | null {
  if (from <= now) return `must lie in the future; leave it out for ${what} that holds at once`;
  return from > now + FROM_MAX_SECONDS ? "must lie within a year" : null;
}

/** The factors of an organization as people write them. `next` null: none is to follow. */
export function shownFactors(organization: DatedFactor, now: number) {
  return {
    price_factor: datedAt(organization, now) / FACTOR_ONE,
    price_factor_from: organization.priceFactorFrom,
    next_price_factor: nextFrom(organization, now) === null ? null : organization.priceFactor / FACTOR_ONE,
  };
}

export type Limits = {
  requestsPerMinute: number;
  concurrentRequests: number;
  ttsCharactersPerMinute: number;
  sttSecondsPerMinute: number;
  waitingJobs: number;
  /** At once, at all nodes. */
  runningJobs: number;
  /** That the recording of a job may last. */
  jobSeconds: number;
  /** By files, and by recordings of jobs. */
  storedBytes: number;
};

export const LIMIT_NAMES = {
  requests_per_minute: "requestsPerMinute",
  concurrent_requests: "concurrentRequests",
  tts_characters_per_minute: "ttsCharactersPerMinute",
  stt_seconds_per_minute: "sttSecondsPerMinute",
  waiting_jobs: "waitingJobs",
  running_jobs: "runningJobs",
  job_seconds: "jobSeconds",
  stored_bytes: "storedBytes",
} as const satisfies Record<string, keyof Limits>;

export type LimitName = keyof typeof LIMIT_NAMES;

/** Jobs of an organization run at least one at a time, and at most so many. */
export const RUNNING_JOBS_MAX = 8;

/** Says what is wrong with the value of a limit, behind its name; null: nothing is. */
export function limitFault(limit: keyof Limits, value: number): string | null {
  const [min, max] = limit === "runningJobs" ? [1, RUNNING_JOBS_MAX] : [0, Number.MAX_SAFE_INTEGER];
  if (Number.isSafeInteger(value) && value >= min && value <= max) return null;
  return `must be a whole number ${min === 0 ? "of 0 or more" : `from ${min} to ${max}`}`;
}

type LimitsRecord = { [name in LimitName]?: number };

/** As the API returns them; of an organization's overrides, those that are set. */
export function limitsRecord(limits: Partial<Limits>): LimitsRecord {
  const entries = Object.entries(LIMIT_NAMES).map(([name, limit]) => [name, limits[limit]]);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

const GB = 1_000_000_000;

/** How long a recording may be is the same on every plan. */
type TierLimits = Omit<Limits, "jobSeconds">;

const FREE: TierLimits = {
  requestsPerMinute: 20,
  concurrentRequests: 2,
  ttsCharactersPerMinute: 25_000,
  sttSecondsPerMinute: 1800,
  waitingJobs: 5,
  runningJobs: 1,
  storedBytes: 2 * GB,
};

export const PAID: TierLimits = {
  requestsPerMinute: 120,
  concurrentRequests: 10,
  ttsCharactersPerMinute: 200_000,
  sttSecondsPerMinute: 14_400,
  waitingJobs: 100,
  runningJobs: 2,
  storedBytes: 20 * GB,
};

/** What an organization has to buy in total to be on the Paid tier. */
export const PAID_FROM_MICROS = 5_000_000;

export const tierOf = (purchasedMicros: number): "free" | "paid" =>
  purchasedMicros >= PAID_FROM_MICROS ? "paid" : "free";

/** Of one thread: beyond what its fastest engines do, and never less than the Paid tier. Engines' queues take as many. */
const THREAD = {
  requestsPerMinute: 6000,
  concurrentRequests: 16,
  ttsCharactersPerMinute: 200_000, // 105 times real time are 95,000
  sttSecondsPerMinute: 14_400, // 240 times real time
};

type MachineConfig = { engine: { threads: number }; jobs: { secondsMax: number } };

/** Of unmetered organizations: while one is decoded or encoded, another has the engines. */
const RUNNING_JOBS_MIN = 2;

/**
 * The limits of unmetered organizations: what a machine can bear with its threads. Jobs run for all threads that are idle: each
 * uses those that its engine can, while no other task waits.
 */
export const machineLimits = ({ engine: { threads }, jobs }: MachineConfig): Limits => ({
  requestsPerMinute: THREAD.requestsPerMinute * threads,
  concurrentRequests: THREAD.concurrentRequests * threads,
  ttsCharactersPerMinute: THREAD.ttsCharactersPerMinute * threads,
  sttSecondsPerMinute: THREAD.sttSecondsPerMinute * threads,
  waitingJobs: 1000,
  runningJobs: Math.min(RUNNING_JOBS_MAX, Math.max(RUNNING_JOBS_MIN, threads)),
  jobSeconds: jobs.secondsMax,
  storedBytes: 100 * GB,
});

export type Limited = { plan: Plan; limitOverrides: Partial<Limits> | null };

/** The machine's or the tier's limits, each replaced by the organization's override if it has one. */
export function limitsOf(
  { plan, limitOverrides }: Limited,
  purchasedMicros: number,
  machine: Limits,
): Limits {
  const tier = tierOf(purchasedMicros) === "paid" ? PAID : FREE;
  return { ...machine, ...(plan !== "unmetered" && tier), ...limitOverrides };
}
