/** Handlers of an organization's limits: what is in force and left of it now, and how close the last 24 hours came to it. */
import { type Clock, unixSeconds } from "../../../clock.ts";
import { roundSeconds } from "../../../ledger/booking/seconds.ts";
import { LIMIT_USE_SECONDS, type LimitUse } from "../../../ledger/ledger.ts";
import type { BucketName } from "../../../limits/limits.ts";
import { limitsOf, machineLimits, tierOf } from "../../../plans.ts";
import { perMinuteOf } from "../../../usage/admission.ts";
import type { usageRoutes } from "../schema/usage-routes.ts";
import { type Handlers, orNotFound, type Reads } from "./handler.ts";

const BUCKETS: BucketName[] = ["requests", "characters", "seconds"];
const DAY = 86_400;

type RateDeps = Reads<"config" | "accounts" | "ledger" | "limits" | "clock">;
export type LimitDeps = RateDeps & Reads<"jobs" | "files">;

export function limitHandlers(deps: LimitDeps) {
  const { ledger, clock } = deps;
  return {
    "GET /api/organizations/:organization/limits": ({ organizationId }) => limitsNow(deps, organizationId),
    "GET /api/organizations/:organization/limits/day": async ({ organizationId }) => ({
      object: "limits_day",
      data: (await ledger.limitUse({ organizationId, ...lastDay(clock) })).map(limitUseRecord),
    }),
    "GET /api/organizations/:organization/limits/background": ({ organizationId }) =>
      backgroundNow(deps, organizationId),
  } satisfies Partial<Handlers<typeof usageRoutes>>;
}

async function limitsNow(deps: RateDeps, organizationId: string) {
  const { limits, clock } = deps;
  const { organization, credit, effective } = await inForce(deps, organizationId);
  const { purchasedMicros, monthlyLimitMicros, monthMicros } = credit;
  const now = clock.now();
  const take = BUCKETS.map((bucket) => ({ bucket, cost: 0, perMinute: perMinuteOf(effective, bucket) }));
  const [{ levels }, inFlight] = await Promise.all([
    limits.decide({ organizationId, now, take, slot: null }),
    limits.inFlight(organizationId, now),
  ]);
  const gauge = (index: number) => {
    const { perMinute } = take[index]!;
    const { points, resetMs } = levels[index] ?? { points: perMinute, resetMs: 0 };
    return { limit: perMinute, remaining: points, reset_seconds: resetMs / 1000 };
  };
  const slots = effective.concurrentRequests;
  return {
    object: "limits" as const,
    plan: organization.plan,
    tier: tierOf(purchasedMicros),
    requests: gauge(0),
    characters: gauge(1),
    seconds: gauge(2),
    concurrency: { limit: slots, remaining: Math.max(0, slots - inFlight), reset_seconds: 0 },
    spending: { limit_micros: monthlyLimitMicros, month_to_date_micros: monthMicros },
  };
}

async function inForce(
  { config, accounts, ledger }: Pick<RateDeps, "config" | "accounts" | "ledger">,
  organizationId: string,
) {
  const organization = orNotFound("organization", await accounts.organization(organizationId));
  const credit = await ledger.credit(organizationId);
  const effective = limitsOf(organization, credit.purchasedMicros, machineLimits(config));
  return { organization, credit, effective };
}

/** Up to the quarter of an hour that is not over yet. */
function lastDay(clock: Clock): { start: number; end: number } {
  const end = Math.floor(unixSeconds(clock) / LIMIT_USE_SECONDS + 1) * LIMIT_USE_SECONDS;
  return { start: end - DAY, end };
}

const limitUseRecord = ({ start, most }: LimitUse) => ({
  ...{ start, end: start + LIMIT_USE_SECONDS },
  requests: most?.requests ?? null,
  characters: most?.characters ?? null,
  seconds: most ? roundSeconds(most.seconds) : null,
  concurrency: most?.atOnce ?? null,
  refused: most?.refused ?? null,
});

async function backgroundNow(deps: LimitDeps, organizationId: string) {
  const { effective } = await inForce(deps, organizationId);
  const { waiting, running } = await deps.jobs.unfinishedBy(organizationId);
  return {
    object: "background_limits" as const,
    waiting_jobs: { limit: effective.waitingJobs, used: waiting },
    running_jobs: { limit: effective.runningJobs, used: running },
    stored_bytes: { limit: effective.storedBytes, used: await deps.files.storedBytes(organizationId) },
    job_seconds_max: effective.jobSeconds,
  };
}
