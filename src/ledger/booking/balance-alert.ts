/** Whether a batch takes a balance below the amount that its organization wants to be told of. Pure, except that it changes the accounts. */
import type { NewWork } from "../../db/queries/work-rows.ts";
import { type Account, type Grant, isLive, type Reversal, type UsageEvent } from "./burn-down.ts";

/** The kind of the work that it makes, and its payload as JSON. */
export const BALANCE_ALERT_WORK = "balance_alert";
export type BalanceAlertWork = {
  organizationId: string;
  balanceMicros: number;
  thresholdMicros: number;
  /** Unix seconds. */
  at: number;
};

/** `open`: the live grants of each organization, as the batch leaves them. */
type Batch = {
  accounts: Map<string, Account>;
  open: ReadonlyMap<string, Grant[]>;
  newEvents: ReadonlyMap<string, UsageEvent>;
  newReversals: readonly Reversal[];
  newGrants: readonly Grant[];
  voided: readonly UsageEvent[];
};

/** What charges or takes back credit lowers a balance; it is told of again once the balance was not below in between. */
export function alertBalances({ accounts, open, newEvents, newReversals, ...batch }: Batch): NewWork[] {
  const work: NewWork[] = [];
  for (const account of accounts.values()) {
    const { organizationId, balanceAlertMicros: thresholdMicros } = account;
    if (thresholdMicros === null) continue;
    const isOwn = (row: { organizationId: string }) => row.organizationId === organizationId;
    const events = [...newEvents.values()].filter(isOwn);
    const lifting = [...batch.newGrants, ...batch.voided].filter(isOwn);
    const changes = [...events, ...newReversals.filter(isOwn), ...lifting];
    if (changes.length === 0) continue;
    const at = Math.max(...changes.map(({ createdAt }) => createdAt));
    const live = (open.get(organizationId) ?? []).filter((grant) => isLive(grant, at));
    const sum = live.reduce((left, { remainingMicros }) => left + remainingMicros, 0);
    const balanceMicros = sum - account.overdraftMicros;
    const lowering =
      newReversals.find(isOwn) ?? events.find(({ plan, costMicros }) => plan === "prepaid" && costMicros > 0);
    if (balanceMicros >= thresholdMicros) {
      accounts.set(organizationId, { ...account, balanceAlertedAt: null });
    } else if (account.balanceAlertedAt === null && lowering) {
      accounts.set(organizationId, { ...account, balanceAlertedAt: at });
      const payload: BalanceAlertWork = { organizationId, balanceMicros, thresholdMicros, at };
      const id = `${organizationId}_low_${lowering.id}`;
      work.push({ id, kind: BALANCE_ALERT_WORK, dueMs: at * 1000, payload: JSON.stringify(payload) });
    }
  }
  return work;
}
