/**
 * Whether a request may be made now, on the terms of its organization's plan: limits first, those of its key and project before
 * those of the organization, then their budgets, then credit.
 */
import type { Principal } from "../accounts/principal.ts";
import { type Clock, unixSeconds } from "../clock.ts";
import { Refusal, retrySeconds } from "../errors.ts";
import type { Credit, Ledger } from "../ledger/ledger.ts";
import type { Answer, Ask, BucketName, LimitStore, SlotCap, Take } from "../limits/limits.ts";
import { type LIMIT_NAMES, type Limits, limitsOf } from "../plans.ts";
import { budgetsAt, type Cap, endOf } from "../restrictions.ts";

/** `machine`: the limits of unmetered organizations. */
export type TermsDeps = { ledger: Pick<Ledger, "credit" | "recentCredit">; clock: Clock; machine: Limits };

/**
 * With what is used of the budgets of its key and project; null: neither credit nor a budget is needed. At once where the account
 * was written a moment ago, unless it is to be `stored`. An unmetered organization's account is read for budgets only.
 */
export function creditOf(
  { ledger, clock }: Pick<TermsDeps, "ledger" | "clock">,
  { plan, organizationId, caps }: Principal,
  from: "recent" | "stored",
): Credit | Promise<Credit> | null {
  const periods = caps.length > 0 ? budgetsAt(caps, unixSeconds(clock)).periods : [];
  if (plan === "unmetered" && periods.length === 0) return null;
  const recent = from === "recent" ? ledger.recentCredit(organizationId, periods) : null;
  return recent ?? ledger.credit(organizationId, periods);
}

/** The plan comes with the principal. */
export const allowedTo = (principal: Principal, credit: Credit | null, { machine }: TermsDeps): Limits =>
  limitsOf(principal, credit?.purchasedMicros ?? 0, machine);

/** The bucket that counts a request's work. */
export type WorkBucket = Exclude<BucketName, "requests">;

/** A bucket after a decision: what it holds at most and now, and how long until it is full. */
export type BucketState = { bucket: BucketName; perMinute: number; points: number; resetMs: number };

/** Receives the buckets that a request took from after every decision, also one that refuses the request. */
export type OnDecision = (states: BucketState[]) => void;

type Asking = Pick<Ask, "now"> & {
  principal: Pick<Principal, "organizationId" | "caps" | "plan">;
  /** The request's, if it takes one. */
  slotId: string | null;
  allowed: Limits;
  costs: Partial<Record<BucketName, number>>;
  decided: OnDecision | undefined;
  remedies: Remedies;
};

/** How an organization gets more on this server, in a sentence each. */
export type Remedies = {
  credit(organizationId: string): string;
  spending(organizationId: string): string;
  limits(principal: Pick<Principal, "organizationId" | "plan">): string;
};

/**
 * Takes a request's costs from the buckets of its key, its project and its organization, all or nothing. False where a slot of
 * the organization was all that was missing.
 */
export function askLimits(store: LimitStore, asking: Asking): boolean | Promise<boolean> {
  const { principal, now, slotId, allowed, costs } = asking;
  const { organizationId, caps } = principal;
  const take: Take[] = [];
  const buckets: BucketName[] = [];
  for (const { bucket, of, perMinute } of cappedBy(caps).buckets) {
    if (costs[of] === undefined) continue;
    take.push({ bucket, cost: costs[of], perMinute });
    buckets.push(of);
  }
  for (const bucket of BUCKETS) {
    if (costs[bucket] === undefined) continue;
    take.push({ bucket, cost: costs[bucket], perMinute: perMinuteOf(allowed, bucket) });
    buckets.push(bucket);
  }
  const slot =
    slotId === null ? null : { id: slotId, max: allowed.concurrentRequests, ...cappedBy(caps).slots };
  const answer = store.decide({ organizationId, now, take, slot });
  const asked = { take, buckets };
  return answer instanceof Promise
    ? isAdmittedLater(asking, asked, answer)
    : isAdmitted(asking, asked, answer);
}

type Asked = { take: Take[]; buckets: BucketName[] };

const isAdmittedLater = async (asking: Asking, asked: Asked, answer: Promise<Answer>): Promise<boolean> =>
  isAdmitted(asking, asked, await answer);

function isAdmitted(asking: Asking, { take, buckets }: Asked, answer: Answer): boolean {
  const { principal, allowed, decided, remedies } = asking;
  decided?.(statesOf(take, buckets, answer));
  if (answer.refused === "slot") return false;
  if (answer.refused !== null)
    throw refusalOf(answer, { caps: principal.caps, allowed, remedy: () => remedies.limits(principal) });
  return true;
}

const NAME_OF = {
  requests: "requests_per_minute",
  characters: "tts_characters_per_minute",
  seconds: "stt_seconds_per_minute",
} as const satisfies Record<BucketName, keyof typeof LIMIT_NAMES>;

const BUCKETS = Object.keys(NAME_OF) as BucketName[];

/** The buckets and slots of a key and its project that have limits of their own, in the order in which they are asked. */
type Capped = {
  buckets: (Pick<Take, "bucket" | "perMinute"> & { of: BucketName })[];
  slots: { caps?: SlotCap[] };
};

const NOT_CAPPED: Capped = { buckets: [], slots: {} };

/** By caps, which those of a request are until its key is read again. */
const knownCapped = new WeakMap<readonly Cap[], Capped>();

function cappedBy(caps: readonly Cap[]): Capped {
  if (caps.length === 0) return NOT_CAPPED;
  const known = knownCapped.get(caps);
  if (known) return known;
  const slots = caps.flatMap(({ subject, restrictions }) => {
    const max = restrictions.limits?.concurrent_requests;
    return max ? { subject, max } : [];
  });
  const capped = {
    buckets: caps.flatMap(({ subject, restrictions }) =>
      BUCKETS.flatMap((of) => {
        const perMinute = restrictions.limits?.[NAME_OF[of]];
        return perMinute ? { bucket: `${subject}/${of}` as const, of, perMinute } : [];
      }),
    ),
    slots: slots.length > 0 ? { caps: slots } : {},
  };
  knownCapped.set(caps, capped);
  return capped;
}

/** The id of a request's slot, which names the key and the project that may have fewer. */
export function slotIdOf(id: string, caps: readonly Cap[]): string {
  const { caps: slots } = cappedBy(caps).slots;
  return slots ? [id, ...slots.map(({ subject }) => subject)].join(" ") : id;
}

/** Of each kind of bucket the tightest: that which holds least. `buckets`: the kinds of what is taken. */
function statesOf(take: Take[], buckets: BucketName[], { levels }: Answer): BucketState[] {
  const states: BucketState[] = [];
  for (const [index, { perMinute }] of take.entries()) {
    const { points, resetMs } = levels[index] ?? { points: perMinute, resetMs: 0 }; // unknown: full
    const bucket = buckets[index]!;
    const known = states.findIndex((state) => state.bucket === bucket);
    if (known < 0) states.push({ bucket, perMinute, points, resetMs });
    else if (points < states[known]!.points) states[known] = { bucket, perMinute, points, resetMs };
  }
  return states;
}

const LIMIT_OF = {
  requests: "requestsPerMinute",
  characters: "ttsCharactersPerMinute",
  seconds: "sttSecondsPerMinute",
} as const satisfies Record<BucketName, keyof Limits>;

export const perMinuteOf = (limits: Limits, bucket: BucketName): number => limits[LIMIT_OF[bucket]];

const WHAT: Record<BucketName, string> = {
  requests: "requests",
  characters: "characters of speech",
  seconds: "seconds of audio",
};

type Refused = { caps: readonly Cap[]; allowed: Limits; remedy: () => string };

function refusalOf({ refused, levels }: Answer, { caps, allowed, remedy }: Refused): Refusal {
  const [subject, name] = refused!.includes("/")
    ? (refused!.split("/") as [string, string])
    : [null, refused];
  const cap = caps.find((each) => each.subject === subject);
  const who = cap ? `This ${cap.of}` : "Your organization";
  const advice = cap ? `Its limit is set under ${PLACE[cap.of]} in the dashboard.` : remedy();
  if (name === "slot") {
    const max = cap?.restrictions.limits?.concurrent_requests;
    const message = `${who} may have ${max} requests at once. Wait for one to finish. ${advice}`;
    return new Refusal("concurrency_limit_exceeded", message, { retryAfterSeconds: retrySeconds(0) });
  }
  const bucket = name as BucketName;
  const perMinute = cap ? cap.restrictions.limits?.[NAME_OF[bucket]] : perMinuteOf(allowed, bucket);
  const seconds = retrySeconds(levels.at(-1)?.retryMs ?? 0);
  const when = `Try again in ${seconds} second${seconds === 1 ? "" : "s"}.`;
  const message = `${who} may use ${perMinute} ${WHAT[bucket]} a minute. ${when} ${advice}`;
  return new Refusal("rate_limit_exceeded", message, { retryAfterSeconds: seconds });
}

const PLACE = { key: "API keys", project: "Projects" };

/** `waitMs`: until there will be one. */
export function noSlot(
  { concurrentRequests: max }: Limits,
  { remedy, waitMs }: { remedy: () => string; waitMs: number },
): Refusal {
  const message = `Your organization may have ${max} requests at once. Wait for one to finish. ${remedy()}`;
  return new Refusal("concurrency_limit_exceeded", message, { retryAfterSeconds: retrySeconds(waitMs) });
}

/** More than all requests at once of a Paid organization cost at the prices of the built-in models. */
const NEAR_MICROS = 2_000_000;

/** Whether it lets a request go on that was read before others ended, which may have used what was left. */
export function isCertain(
  { balanceMicros, monthMicros, monthlyLimitMicros, budgetMicros }: Credit,
  { plan, caps }: Principal,
  now: number,
): boolean {
  const budgets = caps.length > 0 ? budgetsAt(caps, now).caps : [];
  if (budgets.some((cap, index) => leftOf(cap, budgetMicros[index]) < NEAR_MICROS)) return false;
  if (plan === "unmetered") return true;
  return balanceMicros >= NEAR_MICROS && (monthlyLimitMicros ?? Infinity) - monthMicros >= NEAR_MICROS;
}

type Budgeted = ReturnType<typeof budgetsAt>["caps"][number];

const leftOf = ({ restrictions }: Budgeted, usedMicros = 0): number =>
  restrictions.budget.limit_micros - usedMicros;

type CreditDeps = Pick<TermsDeps, "ledger" | "clock"> & { remedies: Remedies };

/** Refuses where credit, or a budget, is used up as it is stored now. */
export async function checkCredit(principal: Principal, deps: CreditDeps): Promise<void> {
  const credit = await creditOf(deps, principal, "stored");
  if (credit === null) return;
  const { plan, organizationId } = principal;
  const now = unixSeconds(deps.clock);
  const { caps } = budgetsAt(principal.caps, now);
  for (const [index, cap] of caps.entries())
    if (leftOf(cap, credit.budgetMicros[index]) <= 0) throw budgetReached(cap, now);
  if (plan === "prepaid") refuseUsedUp(credit, organizationId, deps.remedies);
}

/** What an organization, or a project or key of it, may spend at most now, and the refusal of what would cost more. */
export type Spendable = {
  of: "organization" | Budgeted["of"];
  micros: number;
  refusal: () => Refusal;
};

/** The budgets of its key and project, its organization's credit and spending limit; the least first. None: nothing limits it. */
export async function spendableBy(deps: CreditDeps, principal: Principal): Promise<Spendable[]> {
  const { plan, organizationId } = principal;
  const credit = await creditOf(deps, principal, "stored");
  if (credit === null) return [];
  const now = unixSeconds(deps.clock);
  const { balanceMicros, monthMicros, monthlyLimitMicros, budgetMicros } = credit;
  const budgets = budgetsAt(principal.caps, now).caps.map((cap, index) => ({
    of: cap.of,
    micros: leftOf(cap, budgetMicros[index]),
    refusal: () => new Refusal(`${cap.of}_budget_reached`, tooDear(`the budget of this ${cap.of}`)),
  }));
  const { credit: more, spending } = deps.remedies;
  const own = {
    of: "organization" as const,
    micros: balanceMicros,
    refusal: () =>
      new Refusal("insufficient_credits", `${tooDear("your organization's credit")} ${more(organizationId)}`),
  };
  const limit = {
    of: "organization" as const,
    micros: (monthlyLimitMicros ?? Infinity) - monthMicros,
    refusal: () =>
      new Refusal(
        "spending_limit_reached",
        `${tooDear("your organization's spending limit of this month")} ${spending(organizationId)}`,
      ),
  };
  const all: Spendable[] = [...budgets, ...(plan === "prepaid" ? [own, limit] : [])];
  return all.filter(({ micros }) => micros < Infinity).toSorted((one, other) => one.micros - other.micros);
}

const tooDear = (what: string) =>
  `The job costs more than is left of ${what}, beside what jobs that have not ended will cost.`;

const INTERVAL = { day: " of today", week: " of this week", month: " of this month", total: "" };

function budgetReached({ of, restrictions }: Budgeted, now: number): Refusal {
  const { limit_micros, interval } = restrictions.budget;
  const end = endOf(restrictions.budget, now);
  const again = end === null ? "when it is reset" : `at ${new Date(end * 1000).toISOString()}`;
  const amount = (limit_micros / 1e6).toFixed(limit_micros % 10_000 === 0 ? 2 : 6);
  const message = `This ${of} has used its budget${INTERVAL[interval]}, $${amount}. It begins again ${again}.`;
  return new Refusal(`${of}_budget_reached`, message);
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
