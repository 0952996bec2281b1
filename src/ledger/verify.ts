/** Reconciliation: what the ledger says, against what its events say. Pure. */
import type { Audit } from "./ledger.ts";

/** A figure that is not what it must be. Money in micros. */
export type Difference = { of: string; what: string; stored: number; computed: number };

export function differencesOf({ grants, accounts, torn }: Audit): Difference[] {
  const found: Difference[] = torn.map((id) => ({ of: id, what: "cost covered", stored: 0, computed: 0 }));
  const compare = (of: string, what: string, stored: number, computed: number) => {
    if (stored !== computed) found.push({ of, what, stored, computed });
  };
  for (const { id, amountMicros, settledMicros, burnedMicros, remainingMicros } of grants) {
    compare(id, "remaining", remainingMicros, amountMicros - settledMicros - burnedMicros);
  }
  for (const account of accounts) {
    const { organizationId, overdraftMicros, uncoveredMicros, settledMicros } = account;
    compare(organizationId, "overdraft", overdraftMicros, uncoveredMicros - settledMicros);
    compare(organizationId, "usage", account.totalMicros, account.costMicros);
    compare(organizationId, `month ${account.month}`, account.monthMicros, account.monthCostMicros);
  }
  return found;
}
