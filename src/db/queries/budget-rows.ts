/**
 * Deletes what was counted of budgets in periods that ended long ago, and of what alerts watch. The last period of each budget
 * is kept, and of each alert: it may be under way.
 */
import { and, lt, sql } from "drizzle-orm";
import type { Database } from "../database.ts";

const AT_ONCE = 1000;

export function openBudgetRows({
  query,
  tables: { budgetPeriod, spendCount, spendAlertFiring },
}: Pick<Database, "query" | "tables">) {
  const { organizationId, subject, start } = budgetPeriod;
  return {
    /** Deletes rows of periods that began before then, in Unix seconds. Whether there may be more. */
    async forget(before: number): Promise<boolean> {
      const ended = sql`select old.organization_id, old.subject, old.start from budget_period as old
        where old.start < ${before} and exists (select 1 from budget_period as newer
          where newer.organization_id = old.organization_id and newer.subject = old.subject
            and newer.start > old.start) limit ${AT_ONCE}`;
      const deleted = await query
        .delete(budgetPeriod)
        .where(sql`(${organizationId}, ${subject}, ${start}) in (${ended})`)
        .returning({ subject });
      await query.delete(spendCount).where(lt(spendCount.start, before));
      await query.delete(spendAlertFiring).where(
        and(
          lt(spendAlertFiring.createdAt, before),
          sql`exists (select 1 from spend_alert_firing as newer
            where newer.organization_id = ${spendAlertFiring.organizationId}
              and newer.alert_id = ${spendAlertFiring.alertId} and newer.created_at > ${spendAlertFiring.createdAt})`,
        ),
      );
      return deleted.length === AT_ONCE;
    },
  };
}
