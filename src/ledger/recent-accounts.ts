/**
 * Accounts as the last batches of this node left them, for a few milliseconds: the next request of a busy organization asks
 * for what was just written.
 *
 *   batch ──commit──> remembered ──> read, read, …  │ KEPT_MS after the commit: the next read asks the store
 *
 * What another node writes meanwhile is seen that much later. That is as if the requests between had been admitted before
 * it: admission is no promise, and what a charge takes is decided by the store alone.
 */

import type { Account, BudgetPeriod, Grant } from "./booking/burn-down.ts";
import type { Changes, Loaded } from "./booking/changes.ts";
import type { BudgetCount } from "./booking/rollup.ts";
import type { BalancedAccount } from "./store.ts";

const KEPT_MS = 20; // several batches, on a busy machine

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

/** `nowMs` is a clock in milliseconds. */
export function openRecentAccounts(nowMs = () => performance.now()) {
  const known = new Map<string, Known>(); // the oldest first

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
          budgets.set(nameOf(subject, start), { micros, untilMs: now + KEPT_MS });
        known.delete(account.organizationId);
        known.set(account.organizationId, { account, grants, budgets, untilMs: now + KEPT_MS });
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
