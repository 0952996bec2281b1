/**
 * Reads of accounts that are shared: those that are asked for while others are under way are made together, next. A read
 * never joins one that is under way, so each gets a state no older than when it was asked for.
 */
import { inBatches } from "../batching.ts";
import type { BudgetPeriod } from "./booking/burn-down.ts";
import type { BalancedAccount } from "./store.ts";

const AT_ONCE = 3; // reads under way: with more, each has fewer accounts; with fewer, later requests wait longer
const TOGETHER_MAX = 256;

/** Reads accounts with what is counted of these budgets: `budgets`, by organization, subject and start. */
type Read = (
  asked: { organizationIds: string[]; periods: Period[] },
  now: number,
) => Promise<{ accounts: Omit<BalancedAccount, "budgetMicros">[]; budgets: ReadonlyMap<string, number> }>;

type Period = [organizationId: string, ...BudgetPeriod];

type Asked = { organizationId: string; now: number; periods?: BudgetPeriod[] };

/** A read that fails rejects all that share it. */
export function shareReads(read: Read): (asked: Asked) => Promise<BalancedAccount | null> {
  return inBatches(
    async (asked: Asked[]) => {
      const organizationIds = [...new Set(asked.map(({ organizationId }) => organizationId))];
      const periods = asked.flatMap(({ organizationId, periods = [] }) =>
        periods.map((period): Period => [organizationId, ...period]),
      );
      const now = Math.max(...asked.map((each) => each.now));
      const { accounts, budgets } = await read({ organizationIds, periods }, now);
      const found = new Map(accounts.map((each) => [each.organizationId, each]));
      return asked.map(({ organizationId, periods = [] }) => {
        const account = found.get(organizationId);
        const countOf = (period: BudgetPeriod) => budgets.get([organizationId, ...period].join(" ")) ?? 0;
        return account ? { ...account, budgetMicros: periods.map(countOf) } : null;
      });
    },
    { max: TOGETHER_MAX, atOnce: AT_ONCE },
  );
}
