/** Whether an organization may make a request now: limits first, then credit. */
import { Refusal } from "../errors.ts";
import type { Credit } from "../ledger/ledger.ts";
import type { Answer, Ask, BucketName, LimitStore } from "../limits/limits.ts";
import type { Limits } from "../limits/tiers.ts";

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
  if (refused === "slot") throw noSlot(limits, remedy);
  const seconds = Math.min(60, Math.max(1, Math.ceil((levels.at(-1)?.retryMs ?? 0) / 1000)));
  const allowed = `Your organization may use ${perMinuteOf(limits, refused)} ${WHAT[refused]} a minute.`;
  const when = `Try again in ${seconds} second${seconds === 1 ? "" : "s"}.`;
  throw new Refusal("rate_limit_exceeded", `${allowed} ${when} ${remedy()}`, { retryAfterSeconds: seconds });
}

export function noSlot({ concurrentRequests: max }: Limits, remedy: () => string): Refusal {
  const message = `Your organization may have ${max} requests at once. Wait for one to finish. ${remedy()}`;
  return new Refusal("concurrency_limit_exceeded", message, { retryAfterSeconds: 1 });
}

/** Whether a slot was all that was missing. */
export const isNoSlot = (error: unknown): boolean =>
  error instanceof Refusal && error.code === "concurrency_limit_exceeded";

export function checkCredit(
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
