/** Counts requests of organizations by the minute at this node: of those that cost reads, and no engine's time. */
import type { Clock } from "../clock.ts";
import { Refusal, retrySeconds } from "../errors.ts";
import { TransientMap } from "../transient.ts";
import { type Bucket, take } from "./bucket.ts";

const ORGANIZATIONS_MAX = 10_000;

/** Throws once an organization has sent more. `who`: the beginning of the refusal's sentence. */
export function openRate(perMinute: number, clock: Clock) {
  const buckets = new TransientMap<string, Bucket>();
  return (organizationId: string, who: string): void => {
    const taken = take(buckets.get(organizationId) ?? null, perMinute, { cost: 1, now: clock.now() });
    buckets.delete(organizationId); // the one that was used last is last
    if (buckets.size >= ORGANIZATIONS_MAX) buckets.delete(buckets.keys().next().value!);
    buckets.set(organizationId, taken.bucket);
    if (taken.admitted) return;
    const message = `${who} at most ${perMinute} times a minute.`;
    throw new Refusal("rate_limit_exceeded", message, { retryAfterSeconds: retrySeconds(taken.retryMs) });
  };
}
