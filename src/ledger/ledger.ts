/** The ledger: balances, charges and grants of organizations. */
import { type Clock, unixSeconds } from "../clock.ts";
import { unavailableOnError } from "../errors.ts";
import type { Audit } from "./audit.ts";
import {
  type BudgetPeriod,
  type Charge,
  type Grant,
  monthOf,
  type NewGrant,
  type NewReversal,
  newAccount,
  type Reversal,
  spanOf,
  startingGrant,
  type UsageEvent,
} from "./booking/burn-down.ts";
import type { NewRefund } from "./booking/refund.ts";
import type { Attempt, ChargedAttempt, Claimed } from "./booking/replay.ts";
import {
  type AuditEventRow,
  endOf,
  moneyFault,
  type ReplayName,
  type RequestLog,
  type Write,
} from "./booking/write.ts";
import { type Business, businessOf, businessQuery } from "./business.ts";
import { type Statement, statementsOf } from "./statement.ts";
import type { BalancedAccount, Reads, Store } from "./store.ts";
import { openWriteQueue, type WriteQueue } from "./write-queue.ts";

export type { Latency, LatencyMeasure } from "../db/queries/latency-reads.ts";
export { LIMIT_USE_SECONDS, type LimitUse } from "../db/queries/limit-use-reads.ts";
export type { LoadDay } from "../db/queries/load-reads.ts";
export type { RequestQuery, RequestRow } from "../db/queries/request-reads.ts";
export {
  type Dimension,
  type LogDimension,
  USAGE_ROWS_MAX,
  type UsageQuery,
  type UsageRow,
} from "../db/queries/usage-reads.ts";

/**
 * `monthMicros`: what was deducted this calendar month (UTC), `monthUsageMicros`: its usage at list price, deducted or not.
 * A null limit is unlimited.
 */
export type Credit = {
  balanceMicros: number;
  overdraftMicros: number;
  monthMicros: number;
  monthUsageMicros: number;
  monthlyLimitMicros: number | null;
  purchasedMicros: number;
  balanceAlertMicros: number | null;
  /** What is counted of the budgets that were asked for, in their order: usage at list price, deducted or not. */
  budgetMicros: number[];
};

/** An event for the audit log, written with the change: `written` is called where it was. */
export type Audited = { row: AuditEventRow; written: (row: AuditEventRow) => void };

export type Correction = Omit<NewReversal, "kind"> & { reason: string; overdraft: boolean };

/** Writes are durable when they resolve. Closing applies queued writes first. */
export type Ledger = AsyncDisposable &
  Omit<Reads, "statementRows" | "businessRows"> & {
    /** As it is stored. `budgets`: periods whose counts are read with it. */
    credit(organizationId: string, budgets?: BudgetPeriod[]): Promise<Credit>;
    /** As the last writes of this node left it, for requests that are admitted; null: they are not recent. */
    recentCredit(organizationId: string, budgets?: BudgetPeriod[]): Credit | null;
    /** All credits at once, without budgets: a function that returns what `credit` would. */
    credits(): Promise<(organizationId: string) => Credit>;
    /** `replayable`: with the last charge of a request that may be repeated. */
    charge(charge: Charge, request?: RequestLog, replayable?: ChargedAttempt): Promise<UsageEvent>;
    /** Whether an attempt is to be charged; see `booking/replay.ts`. */
    claim(attempt: Attempt): Promise<Claimed>;
    /** The attempt is still running, at its `createdAt`. */
    renew(attempt: Attempt): Promise<void>;
    /** The attempt ended without a charge. */
    abandon(attempt: Attempt): Promise<void>;
    /** The work of a request is done and cost nothing: what is sent again is a replay. */
    settle(attempt: ChargedAttempt): Promise<void>;
    /** Deletes rows of repeated requests that have expired, and the oldest where an organization has too many. */
    trimReplayables(): Promise<void>;
    /** A charge for what was delivered already: retried until the store accepts it. */
    owe(charge: Charge, request: RequestLog): Promise<void>;
    /** Gives back the part of a charge that was not delivered, once. Retried like `owe`. */
    refund(refund: NewRefund, replayable?: ReplayName): Promise<UsageEvent>;
    /** Voids a failed charge, whether or not it was applied. Retried like `owe`. */
    cancel(charge: Charge, replayable?: ReplayName): Promise<void>;
    /** An event is written with one that is new. */
    grant(grant: NewGrant, audited?: Audited): Promise<Grant>;
    /** Grants the starting credit, once per organization. */
    grantStarting(organizationId: string): Promise<Grant>;
    /** Takes back credit that was refunded; what grants no longer cover becomes overdraft. */
    reverse(reversal: NewReversal): Promise<Reversal>;
    /**
     * Takes credit back that was granted by mistake; once for an id. Without `overdraft` only what grants have. Where less can be
     * taken, nothing is: `availableMicros` is as much as could be.
     */
    correct(correction: Correction, audited?: Audited): Promise<Reversal | { availableMicros: number }>;
    /** An event is written where it changes the limit, and says what it was before. */
    setMonthlyLimit(organizationId: string, micros: number | null, audited?: Audited): Promise<void>;
    /** Owners are told once the balance falls below it; null: they are not. */
    setBalanceAlert(organizationId: string, micros: number | null, audited?: Audited): Promise<void>;
    /** Writes or updates a request's log, deferred. `stored`: as a charge wrote it; only what has changed is then written. */
    log(request: RequestLog, stored?: RequestLog | null): Promise<void>;
    /** Deletes request logs from before the time of their organization, in Unix seconds. Sums are kept. */
    forgetRequests(beforeOf: (organizationId: string) => number): Promise<void>;
    /** What became of credit in a month, as 202611, until now where it has not ended. */
    statements(month: number): Promise<Statement[]>;
    /** What came in, was given and used in the twelve months that end with one, as 202611. */
    business(month: number): Promise<Business>;
    /** Stored and computed figures, of one snapshot. */
    audit(): Promise<Audit>;
  };

export function openLedger(store: Store, clock: Clock): Ledger {
  const queue = openWriteQueue(store);
  const write = ofMoney(queue.write);
  const surely = (each: Write) =>
    write<{ event: UsageEvent }>(each).catch(() => write<{ event: UsageEvent }>(each, "deferred"));
  const grant = async (grant: NewGrant, audited?: Audited) =>
    (await told(audited, (audit) => write<AuditedOutcome<{ grant: Grant }>>({ grant, audit }))).grant;
  return {
    ...creditsIn(store, clock),
    charge: (charge, request, replayable) =>
      write<{ event: UsageEvent }>({ charge, request: request && cleaned(request), replayable }).then(
        eventOf,
      ),
    ...replaysOf(write, clock),
    forgetRequests: (beforeOf) => forgetRequests(store, write, beforeOf),
    owe: async (charge, request) => void (await surely({ charge, request: cleaned(request) })),
    refund: async (refund, replayable) => (await surely({ refund, replayable })).event,
    cancel: async (charge, replayable) => void (await write({ void: charge, replayable }, "deferred")),
    grant,
    grantStarting: (organizationId) => grant(startingGrant(organizationId, unixSeconds(clock))),
    ...settingsOf(write),
    correct: correctionOf(write),
    reverse: async (reversal) => (await write<{ reversal: Reversal }>({ reversal })).reversal,
    async log(log, stored = null) {
      const end = stored && endOf(stored, log);
      await write(end ? { end } : { log: cleaned(log) }, "deferred");
    },
    grants: (organizationId) => store.grants(organizationId),
    reversals: (organizationId) => store.reversals(organizationId),
    budgets: (periods) => unavailableOnError("The ledger", store.budgets(periods)),
    requests: (organizationId, limit) => store.requests(organizationId, limit),
    usage: (query) => store.usage(query),
    totals: (organizationId) => store.totals(organizationId),
    requestPage: (query) => store.requestPage(query),
    request: (organizationId, id) => store.request(organizationId, id),
    recentErrors: (limit) => store.recentErrors(limit),
    latencies: (query) => store.latencies(query),
    ...{ load: store.load, limitUse: store.limitUse },
    ...monthsIn(store, clock),
    audit: () => store.audit(unixSeconds(clock)),
    async [Symbol.asyncDispose]() {
      await queue[Symbol.asyncDispose]();
      await store[Symbol.asyncDispose]();
    },
  };
}

/** What organizations have left. */
const creditsIn = (store: Store, clock: Clock): Pick<Ledger, "recentCredit" | "credit" | "credits"> => ({
  recentCredit(organizationId, budgets = []) {
    const now = unixSeconds(clock);
    const month = monthOf(now);
    const recent = store.recent?.(organizationId, now, budgets) ?? null;
    return recent && isOfMonth(recent, month) ? creditOf(recent, month, NO_COSTS) : null;
  },
  async credit(organizationId, budgets = []) {
    const now = unixSeconds(clock);
    const month = monthOf(now);
    const account =
      (await unavailableOnError("The ledger", store.account(organizationId, now, budgets))) ??
      nothing(organizationId, budgets.length);
    if (isOfMonth(account, month)) return creditOf(account, month, NO_COSTS);
    const costs = await unavailableOnError(
      "The ledger",
      store.costs({ month, ...spanOf(month), organizationId }),
    );
    return creditOf(account, month, costs);
  },
  async credits() {
    const now = unixSeconds(clock);
    const month = monthOf(now);
    const accounts = new Map((await store.accounts(now)).map((one) => [one.organizationId, one]));
    const costs = await store.costs({ month, ...spanOf(month), organizationId: null });
    return (organizationId) =>
      creditOf(accounts.get(organizationId) ?? nothing(organizationId), month, costs);
  },
});

/** Reports of calendar months. */
const monthsIn = (store: Store, clock: Clock): Pick<Ledger, "statements" | "business"> => ({
  async statements(month) {
    const { from, to } = spanOf(month);
    const span = { from, to: Math.min(to, unixSeconds(clock) + 1) };
    return statementsOf(await unavailableOnError("The ledger", store.statementRows(span)), span);
  },
  async business(month) {
    const asked = businessQuery(month, unixSeconds(clock));
    return businessOf(await unavailableOnError("The ledger", store.businessRows(asked)), asked);
  },
});

const forgetRequests = async (
  store: Store,
  write: WriteQueue["write"],
  beforeOf: Parameters<Store["oldRequests"]>[0],
): Promise<void> => {
  for await (const forget of store.oldRequests(beforeOf)) await write({ forget });
};

const correctionOf =
  (write: WriteQueue["write"]): Ledger["correct"] =>
  async ({ overdraft, ...correction }, audited) => {
    const reversal = { ...correction, kind: "correction" } as const;
    const outcome = await told(audited, (audit) =>
      write<AuditedOutcome<{ reversal: Reversal } | { availableMicros: number }>>(
        overdraft ? { reversal, audit } : { reversal, audit, covered: true },
      ),
    );
    return "reversal" in outcome ? outcome.reversal : outcome;
  };

const settingsOf = (write: WriteQueue["write"]): Pick<Ledger, "setMonthlyLimit" | "setBalanceAlert"> => ({
  setMonthlyLimit: async (organizationId, micros, audited) =>
    void (await told(audited, (audit) => write({ limit: { organizationId, micros }, audit }))),
  setBalanceAlert: async (organizationId, micros, audited) =>
    void (await told(audited, (audit) => write({ balanceAlert: { organizationId, micros }, audit }))),
});

type AuditedOutcome<T> = T & { audited?: AuditEventRow };

/** Tells of the row once it is committed with its write. */
async function told<T extends object>(
  audited: Audited | undefined,
  written: (row: AuditEventRow | undefined) => Promise<AuditedOutcome<T>>,
): Promise<AuditedOutcome<T>> {
  const outcome = await written(audited?.row);
  if (outcome.audited) audited?.written(outcome.audited);
  return outcome;
}

const replaysOf = (
  write: WriteQueue["write"],
  clock: Clock,
): Pick<Ledger, "claim" | "renew" | "abandon" | "settle" | "trimReplayables"> => ({
  claim: async (claim) => (await write<{ claimed: Claimed }>({ claim })).claimed,
  renew: async (renew) => void (await write({ renew })),
  settle: async (settle) => void (await write({ settle })),
  abandon: async (abandon) => void (await write({ abandon })),
  trimReplayables: async () => void (await write({ trim: unixSeconds(clock) })),
});

/** Refuses what is no amount of money before it is sent to a thread as JSON, which has no NaN. */
const ofMoney =
  (write: WriteQueue["write"]): WriteQueue["write"] =>
  (each, priority) => {
    const fault = moneyFault(each);
    return fault === null ? write(each, priority) : Promise.reject(new Error(fault));
  };

const eventOf = ({ event }: { event: UsageEvent }): UsageEvent => event;

const nothing = (organizationId: string, budgets = 0): BalancedAccount => ({
  ...newAccount(organizationId),
  balanceMicros: 0,
  budgetMicros: new Array<number>(budgets).fill(0),
});

/** Whether its sums of a month are of this one, or it has none. */
const isOfMonth = (account: BalancedAccount, month: number): boolean =>
  account.month === month || account.month === 0;

type Costs = Awaited<ReturnType<Store["costs"]>>;

const NO_COSTS: Costs = new Map();

/** An account stores the sums of its last charge's month; other months are summed from days. */
function creditOf(account: BalancedAccount, now: number, costs: Costs): Credit {
  const { month, monthMicros, monthUnmeteredMicros, ...rest } = account;
  const other = costs.get(rest.organizationId) ?? { costMicros: 0, unmeteredMicros: 0 };
  const current = { costMicros: monthMicros, unmeteredMicros: monthUnmeteredMicros };
  const { costMicros, unmeteredMicros } = month === now ? current : other;
  return { ...rest, monthMicros: costMicros - unmeteredMicros, monthUsageMicros: costMicros };
}

/** Replaces what no database stores as text: NUL and unpaired surrogates. */
function cleaned(log: RequestLog): RequestLog {
  const { model, voice, responseFormat, errorCode, errorMessage, userAgent, endUser, label } = log;
  const texts = [model, voice, responseFormat, errorCode, errorMessage, userAgent, endUser, label];
  if (texts.every(isClean)) return log;
  const all = Object.entries(log).filter(([, value]) => typeof value === "string");
  return { ...log, ...Object.fromEntries(all.map(([name, text]) => [name, clean(text as string)])) };
}

const isClean = (text: string | null): boolean =>
  text === null || (text.isWellFormed() && !text.includes("\0"));

const clean = (text: string): string => text.toWellFormed().replaceAll("\0", "\ufffd");
