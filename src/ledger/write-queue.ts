/**
 * The queue of writes to a store, and the accounts as its last batches left them. One batch is written at a time; writes that
 * arrive meanwhile form the next.
 *
 * An immediate write (a charge) starts a batch and fails with it. A deferred write (a request's log) joins the next
 * batch, or starts one after a while; if the batch fails it stays queued, up to a maximum.
 *
 * Deferred writes never fail immediate ones: after a failed batch the two are applied apart, the deferred ones in
 * halving batches until they succeed. A single deferred write that fails while the store works is rejected.
 */

import { unavailableOnError } from "../errors.ts";
import { TransientMap } from "../transient.ts";
import type { Account, BudgetPeriod, Grant } from "./booking/burn-down.ts";
import type { Changes, Loaded } from "./booking/changes.ts";
import type { BudgetCount } from "./booking/rollup.ts";
import type { Outcome, Write } from "./booking/write.ts";
import type { BalancedAccount, Store } from "./store.ts";

const BATCH_MAX = 256;
const LOGS_MAX = 10_000;
const DEFERRED_MAX = 2 * LOGS_MAX; // charges still find room when logs do not
const DEFER_MS = 50;
const RETRY_MS = 1000;

type Waiting = { write: Write; resolve: (outcome: never) => void; reject: (reason: unknown) => void };

export type WriteQueue = AsyncDisposable & {
  /** Resolves once durable; fails if the store does. A deferred write fails only if the queue is closed meanwhile. */
  write<T extends Outcome>(write: Write, priority?: "immediate" | "deferred"): Promise<T>;
};

export function openWriteQueue(store: Store): WriteQueue {
  const { immediate, deferred, applyNext, isFull } = openQueues(store);
  let draining: Promise<void> | null = null;
  let timer: Timer | null = null;
  let closing = false;

  const startAfter = (ms: number) => {
    timer ??= setTimeout(() => {
      timer = null;
      start();
    }, ms);
  };
  const start = () => {
    if (immediate.length + deferred.length > 0) draining ??= drain();
  };

  async function drain(): Promise<void> {
    let failed: unknown = null;
    do {
      failed = await applyNext();
      if (closing) rejectAll(failed === null ? [] : deferred.splice(0), failed);
    } while (immediate.length > 0 || (failed === null && isFull()));
    draining = null; // in the same tick as the last check of the queues: a later write starts again
    if (deferred.length > 0) startAfter(failed === null ? DEFER_MS : RETRY_MS);
  }

  return {
    write: (write, priority = "immediate") =>
      new Promise((resolve, reject) => {
        if (priority === "immediate") {
          immediate.push({ write, resolve, reject });
          return start();
        }
        if (deferred.length >= ("log" in write || "end" in write ? LOGS_MAX : DEFERRED_MAX))
          return reject(new Error("too many writes wait for the ledger"));
        deferred.push({ write, resolve, reject });
        startAfter(DEFER_MS);
      }),
    async [Symbol.asyncDispose]() {
      closing = true;
      if (timer) clearTimeout(timer);
      while (immediate.length > 0 || deferred.length > 0 || draining) {
        start();
        await draining;
      }
      if (timer) clearTimeout(timer);
    },
  };
}

/** The two queues, and how their next batch is applied. Applying returns the error of a failing store, or null. */
function openQueues(store: Store) {
  const immediate: Waiting[] = [];
  const deferred: Waiting[] = [];
  /** The size of a batch of deferred writes; null while they share batches with immediate ones. */
  let deferredMax: number | null = null;

  const applyOrReject = async (now: Waiting[]) => rejectAll(now, await apply(store, now));

  async function applyJointly(): Promise<unknown> {
    const [now, later] = [immediate.splice(0, BATCH_MAX), deferred.splice(0, BATCH_MAX)];
    const failed = await apply(store, [...now, ...later]);
    if (failed === null) return null;
    deferred.unshift(...later);
    if (later.length > 0) deferredMax = Math.ceil(later.length / 2);
    return now.length > 0 && later.length > 0 ? applyOrReject(now) : rejectAll(now, failed);
  }

  async function applyApart(laterMax: number): Promise<unknown> {
    const now = immediate.splice(0, BATCH_MAX);
    const failed = await applyOrReject(now);
    if (failed !== null) return failed;
    const later = deferred.splice(0, laterMax);
    const failure = await apply(store, later);
    if (failure === null) deferredMax = laterMax * 2 > BATCH_MAX ? null : laterMax * 2;
    else if (later.length === 1 && now.length > 0)
      rejectAll(later, failure); // the store works: this write is bad
    else {
      deferred.unshift(...later);
      deferredMax = Math.ceil(later.length / 2);
      return failure;
    }
    return null;
  }

  return {
    immediate,
    deferred,
    applyNext: () => (deferredMax === null ? applyJointly() : applyApart(deferredMax)),
    /** Whether there is a full batch of deferred writes. */
    isFull: () => deferred.length >= (deferredMax ?? BATCH_MAX),
  };
}

/** Rejects a batch that failed, and returns the error. */
function rejectAll(batch: Waiting[], failed: unknown): unknown {
  if (failed !== null) for (const { reject } of batch) reject(failed);
  return failed;
}

/** Applies a batch and resolves its writes. Returns the error if it failed as a whole. */
async function apply(store: Store, batch: Waiting[]): Promise<unknown> {
  if (batch.length === 0) return null;
  try {
    const outcomes = await unavailableOnError("The ledger", store.apply(batch.map(({ write }) => write)));
    for (const [index, { resolve, reject }] of batch.entries()) {
      const outcome = outcomes[index]!;
      if ("error" in outcome) reject(new Error(outcome.error));
      else resolve(outcome as never);
    }
    return null;
  } catch (failure) {
    return failure;
  }
}

/** `grants`: those of the account that have something left, expired or not. `budgets`: those that were added to. */
export type LeftAccount = {
  account: Account;
  grants: Pick<Grant, "remainingMicros" | "expiresAt">[];
  budgets: BudgetCount[];
};

type Known = Omit<LeftAccount, "budgets"> & { budgets: Map<string, KnownBudget>; untilMs: number };

type KnownBudget = { micros: number; untilMs: number };

/** The accounts that a batch loaded, as it left them. `counted`: the budgets that it added to. */
export function leftAfter(
  { accounts, grants }: Loaded,
  changes: Changes,
  counted: BudgetCount[],
): LeftAccount[] {
  const latest = new Map(
    [...accounts, ...changes.accounts].map((account) => [account.organizationId, account]),
  );
  const all = new Map([...grants, ...changes.burned, ...changes.grants].map((grant) => [grant.id, grant]));
  const open = Map.groupBy(all.values(), ({ organizationId }) => organizationId);
  return [...latest.values()].map((account) => ({
    account: { ...account },
    grants: (open.get(account.organizationId) ?? [])
      .filter(({ remainingMicros }) => remainingMicros > 0)
      .map(({ remainingMicros, expiresAt }) => ({ remainingMicros, expiresAt })),
    budgets: counted.filter(({ organizationId }) => organizationId === account.organizationId),
  }));
}

export type RecentAccounts = ReturnType<typeof openRecentAccounts>;

/** Of a database with several nodes: a few batches, on a busy machine. */
const SHARED_MS = 20;
/** Of a node's own, which only commands write beside it. Keys are read as often. */
export const OWN_MS = 1000;

/**
 * Accounts as the last batches of this node left them, for a while: the next request of a busy organization asks for what was
 * written before it.
 *
 *   batch ──commit──> remembered ──> read, read, …  │ keptMs after the commit: the next read asks the store
 *
 * What another process writes meanwhile is seen that much later. That is as if the requests between had been admitted before
 * it: admission is no promise, and what a charge takes is decided by the store alone. `nowMs` is a clock in milliseconds.
 */
export function openRecentAccounts(keptMs = SHARED_MS, nowMs = () => performance.now()) {
  const known = new TransientMap<string, Known>(); // the oldest first

  return {
    /** After a batch that may or may not have been committed. */
    forget(organizationIds: readonly string[]): void {
      for (const id of organizationIds) known.delete(id);
    },
    remember(left: readonly LeftAccount[]): void {
      const now = nowMs();
      for (const [id, { untilMs }] of known) {
        if (untilMs > now) break;
        known.delete(id);
      }
      for (const { account, grants, budgets: counted } of left) {
        const budgets = known.get(account.organizationId)?.budgets ?? new Map<string, KnownBudget>();
        for (const [name, { untilMs }] of budgets) if (untilMs <= now) budgets.delete(name);
        for (const { subject, start, micros } of counted)
          budgets.set(nameOf(subject, start), { micros, untilMs: now + keptMs });
        known.delete(account.organizationId);
        known.set(account.organizationId, { account, grants, budgets, untilMs: now + keptMs });
      }
    },
    /** `now` in Unix seconds. Null where it, or one of the budgets, is not known. */
    account(organizationId: string, now: number, periods: BudgetPeriod[] = []): BalancedAccount | null {
      const found = known.get(organizationId);
      const atMs = nowMs();
      if (!found || found.untilMs <= atMs) return null;
      const budgetMicros: number[] = [];
      for (const [subject, start] of periods) {
        const budget = found.budgets.get(nameOf(subject, start));
        if (!budget || budget.untilMs <= atMs) return null;
        budgetMicros.push(budget.micros);
      }
      const open = found.grants.filter(({ expiresAt }) => expiresAt === null || expiresAt > now);
      const balanceMicros = open.reduce((sum, { remainingMicros }) => sum + remainingMicros, 0);
      return { ...found.account, balanceMicros, budgetMicros };
    },
  };
}

const nameOf = (subject: string, start: number): string => `${subject} ${start}`;
