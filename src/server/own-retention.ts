/** What this server deletes once it has been kept long enough: the tables behind retention. */
import type { AuditReads } from "../audit/audit-reads.ts";
import type { Clock } from "../clock.ts";
import { openBudgetRows } from "../db/queries/budget-rows.ts";
import { openEndUserRows } from "../db/queries/end-user-rows.ts";
import { openEventRows } from "../db/queries/event-rows.ts";
import { openDeliveryRows } from "../db/queries/webhook-deliveries.ts";
import type { Log } from "../log/log.ts";
import { openRetention } from "../usage/retention.ts";
import type { Storage } from "./storage.ts";

type OwnRetentionDeps = { logDays: number; auditEvents: AuditReads; clock: Clock; log: Log };

export function openOwnRetention(
  { database, ledger, accounts }: Storage,
  deps: OwnRetentionDeps,
): AsyncDisposable {
  const forgotten = {
    events: openEventRows(database),
    deliveries: openDeliveryRows(database),
    budgets: openBudgetRows(database),
    endUsers: openEndUserRows(database),
  };
  return openRetention({ ledger, accounts, ...forgotten, ...deps });
}
