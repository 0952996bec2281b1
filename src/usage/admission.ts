/** Whether an organization may make a request now, on the terms of its plan: limits first, then credit. */
import type { Principal } from "../accounts/principal.ts";
import { Refusal, retrySeconds } from "../errors.ts";
import type { Credit, Ledger } from "../ledger/ledger.ts";
import type { Answer, Ask, BucketName, LimitStore } from "../limits/limits.ts";
import { type Limits, limitsOf } from "../limits/tiers.ts";

/** `machine`: the limits of unmetered organizations. */
export type TermsDeps = { ledger: Pick<Ledger, "credit">; machine: Limits };

/** `credit`: null if none is needed. */
export type Terms = { allowed: Limits; credit: Credit | null };

/** The plan comes with the principal; an unmetered organization's account is not read. */
export async function termsOf({ ledger, machine }: TermsDeps, principal: Principal): Promise<Terms> {
  if (principal.plan === "unmetered") return { allowed: limitsOf(principal, 0, machine), credit: null };
  const credit = await ledger.credit(principal.organizationId);
  return { allowed: limitsOf(principal, credit.purchasedMicros, machine), credit };
}

/** The bucket that counts a request's work. */
export type WorkBucket = Exclude<BucketName, "requests">;

/** A bucket after a decision: what it holds at most and now, and how long until it is full. */
export type BucketState = { bucket: BucketName; perMinute: number; points: number; resetMs: number };

/** Receives the buckets that a request took from after every decision, also one that refuses the request. */
export type OnDecision = (states: BucketState[]) => void;

type Asking = Pick<Ask, "organizationId" | "now" | "slot"> & {
  allowed: Limits;
  costs: Partial<Record<BucketName, number>>;
  decided: OnDecision | undefined;
  remedies: Remedies;
};

/** How an organization gets more on this server, in a sentence each. */
export type Remedies = {
  credit(organizationId: string): string;
  spending(organizationId: string): string;
  limits(organizationId: string): string;
};

/** Takes a request's costs from its organization's buckets, all or nothing. */
export async function askLimits(store: LimitStore, asking: Asking): Promise<void> {
  const { organizationId, now, slot, allowed, costs, decided, remedies } = asking;
  const take = Object.entries(costs).map(([name, cost]) => {
    const bucket = name as BucketName;
    return { bucket, cost, perMinute: perMinuteOf(allowed, bucket) };
  });
  const answer = await store.decide({ organizationId, now, take, slot });
  decided?.(
    take.map(({ bucket, perMinute }, index) => {
      const { points, resetMs } = answer.levels[index] ?? { points: perMinute, resetMs: 0 }; // unknown: full
      return { bucket, perMinute, points, resetMs };
    }),
  );
  checkLimits(answer, allowed, () => remedies.limits(organizationId));
}

export const perMinuteOf = (limits: Limits, bucket: BucketName): number =>
  ({
    requests: limits.requestsPerMinute,
    characters: limits.ttsCharactersPerMinute,
    seconds: limits.sttSecondsPerMinute,
  })[bucket];

const WHAT: Record<BucketName, string> = {
  requests: "requests",
  characters: "characters of speech",
  seconds: "seconds of audio",
};

function checkLimits({ refused, levels }: Answer, limits: Limits, remedy: () => string): void {
  if (refused === null) return;
  if (refused === "slot") throw noSlot(limits, { remedy, waitMs: 0 });
  const seconds = retrySeconds(levels.at(-1)?.retryMs ?? 0);
  const allowed = `Your organization may use ${perMinuteOf(limits, refused)} ${WHAT[refused]} a minute.`;
  const when = `Try again in ${seconds} second${seconds === 1 ? "" : "s"}.`;
  throw new Refusal("rate_limit_exceeded", `${allowed} ${when} ${remedy()}`, { retryAfterSeconds: seconds });
}

/** `waitMs`: until there will be one. */
export function noSlot(
  { concurrentRequests: max }: Limits,
  { remedy, waitMs }: { remedy: () => string; waitMs: number },
): Refusal {
  const message = `Your organization may have ${max} requests at once. Wait for one to finish. ${remedy()}`;
  return new Refusal("concurrency_limit_exceeded", message, {
    retryAfterSeconds: retrySeconds(waitMs),
  });
}

/** False where a slot was all that was missing. */
export async function unlessNoSlot(asked: Promise<void>): Promise<boolean> {
  try {
    await asked;
    return true;
  } catch (error) {
    if (error instanceof Refusal && error.code === "concurrency_limit_exceeded") return false;
    throw error;
  }
}

/** More than all requests at once of a Paid organization cost at the prices of the built-in models. */
const NEAR_MICROS = 2_000_000;

/** Whether requests that ended since it was read may have used it up. */
const isNearItsEnd = ({ balanceMicros, monthMicros, monthlyLimitMicros }: Credit): boolean =>
  balanceMicros < NEAR_MICROS || (monthlyLimitMicros ?? Infinity) - monthMicros < NEAR_MICROS;

type CreditDeps = Pick<TermsDeps, "ledger"> & { remedies: Remedies };

/** `read`: before the request had its slot, or null. Near its end it is read again, now that others' requests ended. */
export async function checkCredit(
  read: Credit | null,
  organizationId: string,
  { ledger, remedies }: CreditDeps,
): Promise<void> {
  const isCurrent = read !== null && !isNearItsEnd(read);
  refuseUsedUp(isCurrent ? read : await ledger.credit(organizationId), organizationId, remedies);
}

function refuseUsedUp(
  { balanceMicros, monthMicros, monthlyLimitMicros }: Credit,
  organizationId: string,
  remedies: Remedies,
): void {
  if (monthlyLimitMicros !== null && monthMicros >= monthlyLimitMicros) {
    const reached = "Your organization reached its spending limit for this month.";
    throw new Refusal("spending_limit_reached", `${reached} ${remedies.spending(organizationId)}`);
  }
  if (balanceMicros <= 0) {
    const empty = "Your organization has no credit left.";
    throw new Refusal("insufficient_credits", `${empty} ${remedies.credit(organizationId)}`);
  }
}
