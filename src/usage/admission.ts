/** Whether an organization may make a request now: limits first, then credit. */
import { Refusal } from "../errors.ts";
import type { Credit } from "../ledger/ledger.ts";
import { goDuration } from "../limits/duration-text.ts";
import type { Answer, Ask, BucketName, Level, LimitStore } from "../limits/limits.ts";
import type { Limits } from "../limits/tiers.ts";

/** The bucket that counts a request's work. */
export type WorkBucket = Exclude<BucketName, "requests">;

type Asking = Pick<Ask, "organizationId" | "now" | "slot"> & {
  own: Limits;
  costs: Partial<Record<BucketName, number>>;
  /** Where the limit headers go. */
  headers: Record<string, string | number>;
};

/** Takes a request's costs from its organization's buckets, all or nothing. */
export async function askLimits(store: LimitStore, asking: Asking): Promise<void> {
  const { organizationId, now, slot, own, costs, headers } = asking;
  const take = Object.entries(costs).map(([name, cost]) => {
    const bucket = name as BucketName;
    return { bucket, cost, perMinute: perMinuteOf(own, bucket) };
  });
  const answer = await store.decide({ organizationId, now, take, slot });
  for (const [index, { bucket, perMinute }] of take.entries())
    Object.assign(headers, limitHeaders(bucket, perMinute, answer.levels[index]));
  checkLimits(answer, own);
}

export const perMinuteOf = (limits: Limits, bucket: BucketName): number =>
  ({
    requests: limits.requestsPerMinute,
    characters: limits.ttsCharactersPerMinute,
    seconds: limits.sttSecondsPerMinute,
  })[bucket];

/** The three headers of a bucket. An unknown level counts as full. */
function limitHeaders(bucket: BucketName, perMinute: number, level: Level | undefined) {
  return {
    [`x-ratelimit-limit-${bucket}`]: String(perMinute),
    [`x-ratelimit-remaining-${bucket}`]: String(Math.floor(level?.points ?? perMinute)),
    [`x-ratelimit-reset-${bucket}`]: goDuration(level?.resetMs ?? 0),
  };
}

const WHAT: Record<BucketName, string> = {
  requests: "requests",
  characters: "characters of speech",
  seconds: "seconds of audio",
};

function checkLimits({ refused, levels }: Answer, limits: Limits): void {
  if (refused === null) return;
  if (refused === "slot") {
    const max = limits.concurrentRequests;
    const message = `Your organization may have ${max} requests at once. Wait for one to finish.`;
    throw new Refusal("concurrency_limit_exceeded", message, { retryAfterSeconds: 1 });
  }
  const seconds = Math.ceil((levels.at(-1)?.retryMs ?? 0) / 1000);
  const message = `Your organization may use ${perMinuteOf(limits, refused)} ${WHAT[refused]} a minute.`;
  throw new Refusal("rate_limit_exceeded", message, {
    retryAfterSeconds: Math.min(60, Math.max(1, seconds)),
  });
}

/** `remedy`: one sentence, how the organization gets credit. */
export function checkCredit(
  { balanceMicros, monthMicros, monthlyLimitMicros }: Credit,
  remedy: () => string,
): void {
  if (monthlyLimitMicros !== null && monthMicros >= monthlyLimitMicros) {
    throw new Refusal(
      "spending_limit_reached",
      "Your organization reached its spending limit for this month. An owner can raise it under Billing.",
    );
  }
  if (balanceMicros <= 0)
    throw new Refusal("insufficient_credits", `Your organization has no credit left. ${remedy()}`);
}
