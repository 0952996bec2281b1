/** The settings of accounts that a batch of writes changes, and the rows of the audit log that are written with it. Pure. */
import { type Account, newAccount } from "./burn-down.ts";
import type { AuditEventRow, Outcome, Write } from "./write.ts";

export type Settings = {
  accounts: Map<string, Account>;
  /** Rows of the audit log, of writes that change something. */
  audited: AuditEventRow[];
};

export function setLimit(batch: Settings, { limit, audit }: Extract<Write, { limit: object }>): Outcome {
  const { organizationId, micros } = limit;
  const account = batch.accounts.get(organizationId) ?? newAccount(organizationId);
  batch.accounts.set(organizationId, { ...account, monthlyLimitMicros: micros });
  return { done: true, ...noteChange(batch, audit, [account.monthlyLimitMicros, micros]) };
}

export function setBalanceAlert(
  batch: Settings,
  { balanceAlert, audit }: Extract<Write, { balanceAlert: object }>,
): Outcome {
  const { organizationId, micros } = balanceAlert;
  const account = batch.accounts.get(organizationId) ?? newAccount(organizationId);
  batch.accounts.set(organizationId, { ...account, balanceAlertMicros: micros, balanceAlertedAt: null });
  return { done: true, ...noteChange(batch, audit, [account.balanceAlertMicros, micros]) };
}

/** For an outcome: the row that is written with what has just been changed. */
export function noteAudit(
  { audited }: Settings,
  row: AuditEventRow | undefined,
): { audited?: AuditEventRow } {
  if (!row) return {};
  audited.push(row);
  return { audited: row };
}

/** What a setting was before is known here alone. */
function noteChange(
  batch: Settings,
  row: AuditEventRow | undefined,
  [before, after]: [number | null, number | null],
) {
  if (!row || before === after) return {};
  const changes = (JSON.parse(row.changes) as object[]).map((change) => ({ ...change, before }));
  return noteAudit(batch, { ...row, changes: JSON.stringify(changes) });
}
