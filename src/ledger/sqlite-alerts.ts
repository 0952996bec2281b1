/** The statements of SQLite that load alerts, count what they watch, and let them go off: after the sums and budgets of their batch. */
import { and, type Column, sql } from "drizzle-orm";
import type { SqliteDatabase } from "../db/open-sqlite.ts";
import { spendAlert, spendAlertFiring, spendCount, work } from "../db/sqlite/tables.ts";
import type { Alert, Alerting } from "./booking/alerting.ts";
import type { RowIds } from "./booking/row-ids.ts";

const { placeholder } = sql;
const counted = (table: "spend_count" | "budget_period") =>
  sql`(select micros from ${sql.identifier(table)} where organization_id = ${placeholder("organizationId")}
    and subject = ${placeholder("subject")} and start = ${placeholder("start")})`;

/** A count that is not there yet begins with the sums of the month's days, which have this batch already. */
const BEGUN = sql`select ${placeholder("organizationId")}, ${placeholder("subject")}, ${placeholder("start")},
  case when known.micros is not null then ${placeholder("micros")} else coalesce((select sum(cost_micros) from usage_total
    where organization_id = ${placeholder("organizationId")} and period = 'day'
      and start >= ${placeholder("start")} and start < ${placeholder("end")}
      and case ${placeholder("scope")} when 'key' then key_id else project_id end = ${placeholder("subject")}), 0) end
  from (select ${counted("spend_count")} as micros) as known
  where ${placeholder("isWatched")} = 1 or known.micros is not null`;

const FIRED = sql`select ${placeholder("organizationId")}, ${placeholder("alertId")}, ${placeholder("start")},
  ${placeholder("thresholdMicros")}, known.micros, ${placeholder("createdAt")}
  from (select case ${placeholder("counted")} when 'month' then ${counted("spend_count")}
    when 'budget' then ${counted("budget_period")} else ${placeholder("micros")} end as micros) as known
  where known.micros >= ${placeholder("thresholdMicros")}`;

const among = (column: Column, list: string) =>
  sql`${column} in (select value from json_each(${placeholder(list)}))`;

/** Those of the organizations, projects and keys that a batch charges. */
export function openLoadingAlerts(database: SqliteDatabase["sqlite"]): (ids: RowIds) => Alert[] {
  const alerts = database
    .select()
    .from(spendAlert)
    .where(and(among(spendAlert.organizationId, "organizations"), among(spendAlert.subject, "subjects")))
    .prepare();
  return ({ organizations, subjects }) =>
    subjects.length === 0
      ? []
      : alerts.all({ organizations: JSON.stringify(organizations), subjects: JSON.stringify(subjects) });
}

export function openSavingAlerts(database: SqliteDatabase["sqlite"]): (alerting: Alerting) => void {
  const { organizationId, subject, start, micros } = spendCount;
  const count = database
    .insert(spendCount)
    .select(BEGUN)
    .onConflictDoUpdate({
      target: [organizationId, subject, start],
      set: { micros: sql`${micros} + excluded.micros` },
    })
    .prepare();
  const fire = database.insert(spendAlertFiring).select(FIRED).onConflictDoNothing().prepare();
  const add = database
    .insert(work)
    .values({
      ...{ id: placeholder("id"), kind: placeholder("kind") },
      ...{ dueMs: placeholder("dueMs"), payload: placeholder("payload") },
    })
    .onConflictDoNothing()
    .prepare();
  return ({ counts, candidates, work: told }) => {
    for (const moved of counts) count.run({ ...moved, isWatched: moved.isWatched ? 1 : 0 });
    for (const { work: made, ...candidate } of candidates) if (fire.run(candidate).changes > 0) add.run(made);
    for (const made of told) add.run(made);
  };
}
