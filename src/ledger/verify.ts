/** Verifies the ledger: stored figures against those computed from events. Pure. */
import type { Audit } from "./audit.ts";

/** A difference. Amounts in micros. */
export type Difference = { of: string; what: string; stored: number; computed: number };

export function differencesOf({
  grants,
  accounts,
  torn,
  charged,
  counts,
  budgets,
  spends,
}: Audit): Difference[] {
  const differences: Difference[] = torn.map((id) => ({
    of: id,
    what: "cost covered",
    stored: 0,
    computed: 0,
  }));
  const compare = (of: string, what: string, [stored, computed]: [number, number]) => {
    if (stored !== computed) differences.push({ of, what, stored, computed });
  };
  for (const { id, amountMicros, settledMicros, burnedMicros, remainingMicros } of grants) {
    compare(id, "remaining", [remainingMicros, amountMicros - settledMicros - burnedMicros]);
  }
  for (const account of accounts) {
    const { organizationId, overdraftMicros, uncoveredMicros, settledMicros } = account;
    compare(organizationId, "overdraft", [overdraftMicros, uncoveredMicros - settledMicros]);
    compare(organizationId, "usage", [account.totalMicros, account.costMicros]);
    compare(organizationId, "usage not deducted", [account.totalUnmeteredMicros, account.undeductedMicros]);
    compare(organizationId, `month ${account.month}`, [account.monthMicros, account.monthCostMicros]);
    compare(organizationId, `month ${account.month}, not deducted`, [
      account.monthUnmeteredMicros,
      account.monthUndeductedMicros,
    ]);
  }
  for (const { id, loggedMicros, chargedMicros } of charged) {
    compare(id, loggedMicros === null ? "not logged" : "logged cost", [loggedMicros ?? 0, chargedMicros]);
  }
  for (const { organizationId, summed, logged } of counts) {
    compare(organizationId, "requests", [summed.requests, logged.requests]);
    compare(organizationId, "errors", [summed.errors, logged.errors]);
  }
  for (const [what, sums] of Object.entries({ budget: budgets, spend: spends }))
    for (const { subject, start, countedMicros, chargedMicros } of sums)
      compare(subject, `${what} from ${new Date(start * 1000).toISOString()}`, [
        countedMicros,
        chargedMicros,
      ]);
  return differences;
}

/** Describes a difference in one sentence. */
export function sentenceOf({ of, what, stored, computed }: Difference): string {
  const micros = `${stored} micros are stored, and its events come to ${computed}`;
  switch (what) {
    case "cost covered":
      return `${of}: what its grants and the overdraft paid is not what it cost.`;
    case "remaining":
      return `Grant ${of}: ${stored} micros are stored as remaining, but its events leave ${computed}.`;
    case "not logged":
      return `Request ${of} was charged ${computed} micros and is not in the request log.`;
    case "logged cost":
      return `Request ${of} was charged ${computed} micros, and the request log says ${stored}.`;
    case "requests":
    case "errors":
      return `Organization ${of}: the sums of its days count ${stored} ${what}, and the request log ${computed}.`;
    default:
      if (/^(budget|spend) /.test(what)) return `${of}, ${what}: ${micros}.`;
      return `Organization ${of}, ${what}: ${micros}.`;
  }
}
