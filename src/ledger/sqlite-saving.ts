/** The statements that save the changes of a batch in SQLite, prepared once. */
import { and, type Column, eq, getTableColumns, sql } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import type { SqliteDatabase } from "../db/open-sqlite.ts";
import {
  auditEvent,
  budgetPeriod,
  creditAccount,
  creditGrant,
  creditReversal,
  endUserDay,
  replayableRequest,
  requestLog,
  usageEvent,
  usageTotal,
} from "../db/sqlite/tables.ts";
import type { Changes } from "./booking/changes.ts";
import { REPLAYABLES_MAX } from "./booking/replay.ts";
import { type BudgetCount, END_USERS_MAX, OTHER_END_USERS } from "./booking/rollup.ts";
import { openSavingAlerts } from "./sqlite-alerts.ts";

type Sqlite = SqliteDatabase["sqlite"];

/** Returns what is counted now of the budgets that the changes add to. */
export function openSaving(database: Sqlite): (changes: Changes) => BudgetCount[] {
  const saveMoney = openSavingMoney(database);
  const saveRequests = openSavingRequests(database);
  const saveReplays = openSavingReplays(database);
  const saveAlerts = openSavingAlerts(database);
  const { organizationId, subject, start, micros } = budgetPeriod;
  const count = database
    .insert(budgetPeriod)
    .values(placeholders(budgetPeriod))
    .onConflictDoUpdate({ target: [organizationId, subject, start], set: added({ micros }) })
    .returning()
    .prepare();
  return (changes) => {
    saveMoney(changes);
    saveRequests(changes);
    saveReplays(changes);
    const counted = changes.budgets.map((budget) => count.get(budget));
    saveAlerts(changes.alerting);
    return counted;
  };
}

function openSavingMoney(database: Sqlite): (changes: Changes) => void {
  const save = {
    account: database
      .insert(creditAccount)
      .values(placeholders(creditAccount))
      .onConflictDoUpdate({ target: creditAccount.organizationId, set: excluded(creditAccount) })
      .prepare(),
    remaining: database
      .update(creditGrant)
      .set(toPlaceholders("remainingMicros", "settledMicros"))
      .where(eq(creditGrant.id, sql.placeholder("id")))
      .prepare(),
    grant: database.insert(creditGrant).values(placeholders(creditGrant)).prepare(),
    event: database
      .insert(usageEvent)
      .values({ ...placeholders(usageEvent), budgets: sql`${sql.placeholder("counted")}` }) // its own would write null as JSON
      .prepare(),
    voided: database
      .update(usageEvent)
      .set({ quantity: 0, costMicros: 0, overdraftMicros: 0, burns: [] })
      .where(isNamed(usageEvent))
      .prepare(),
    reversal: database.insert(creditReversal).values(placeholders(creditReversal)).prepare(),
    audit: database.insert(auditEvent).values(placeholders(auditEvent)).onConflictDoNothing().prepare(),
  };
  return ({ accounts, burned, grants, events, voided, reversals, audited }) => {
    for (const account of accounts) save.account.run(account);
    for (const grant of burned) save.remaining.run(grant);
    for (const grant of grants) save.grant.run(grant);
    for (const event of events)
      save.event.run({ ...event, counted: event.budgets ? JSON.stringify(event.budgets) : null });
    for (const event of voided) save.voided.run(event);
    for (const reversal of reversals) save.reversal.run(reversal);
    for (const row of audited) save.audit.run(row);
  };
}

function openSavingRequests(database: Sqlite): (changes: Changes) => void {
  const save = {
    log: database
      .insert(requestLog)
      .values(placeholders(requestLog))
      .onConflictDoUpdate({ target: [requestLog.organizationId, requestLog.id], set: excluded(requestLog) })
      .prepare(),
    end: database
      .update(requestLog)
      .set(toPlaceholders("durationMs", "firstByteMs", "audioSeconds", "finalTextMs"))
      .where(isNamed(requestLog))
      .prepare(),
    total: database
      .insert(usageTotal)
      .values(placeholders(usageTotal))
      .onConflictDoUpdate({ target: KEY_OF_TOTAL, set: added(SUMS) })
      .prepare(),
    endUser: savingEndUsers(database),
    forget: database.delete(requestLog).where(isNamed(requestLog)).prepare(),
  };
  return ({ logs, ends, totals, endUsers, forgotten }) => {
    for (const log of logs) save.log.run(log);
    for (const end of ends) save.end.run(end);
    for (const total of totals) save.total.run(total);
    for (const endUser of endUsers) save.endUser.run(endUser);
    for (const [organizationId, id] of forgotten) save.forget.run({ organizationId, id });
  };
}

/** A name that its day has no place for is counted as another's. */
function savingEndUsers(database: Sqlite) {
  const { organizationId, day, endUser, ...sums } = getTableColumns(endUserDay);
  const isOfDay = and(eq(organizationId, sql.placeholder("organizationId")), eq(day, sql.placeholder("day")));
  const isKnown = sql`exists (select 1 from ${endUserDay}
    where ${and(isOfDay, eq(endUser, sql.placeholder("endUser")))})`;
  const count = sql`(select count(*) from ${endUserDay} where ${isOfDay})`;
  const placed = sql`case when ${isKnown} or ${count} < ${sql.raw(String(END_USERS_MAX))}
    then ${sql.placeholder("endUser")} else ${sql.raw(`'${OTHER_END_USERS}'`)} end`;
  return database
    .insert(endUserDay)
    .values({ ...placeholders(endUserDay), endUser: placed })
    .onConflictDoUpdate({ target: [organizationId, day, endUser], set: added(sums) })
    .prepare();
}

/** Each row that is stored deletes up to two that have expired. */
function openSavingReplays(database: Sqlite): (changes: Changes) => void {
  const { organizationId, id, createdAt, expiresAt } = replayableRequest;
  const named = sql`(${organizationId}, ${id})`;
  const row = database
    .insert(replayableRequest)
    .values(placeholders(replayableRequest))
    .onConflictDoUpdate({ target: [organizationId, id], set: excluded(replayableRequest) })
    .prepare();
  const remove = database.delete(replayableRequest).where(isNamed(replayableRequest)).prepare();
  const expired = database
    .delete(replayableRequest)
    .where(
      sql`${named} in (select organization_id, id from replayable_request
        where ${expiresAt} <= ${sql.placeholder("now")} order by ${expiresAt} limit 2)`,
    )
    .prepare();
  const trim = database
    .delete(replayableRequest)
    .where(
      sql`${expiresAt} <= ${sql.placeholder("now")} or ${named} in (select organization_id, id
        from (select organization_id, id, row_number() over (
          partition by organization_id order by ${createdAt} desc, id) as place from replayable_request)
        where place > ${sql.raw(String(REPLAYABLES_MAX))})`,
    )
    .prepare();
  return ({ replayables, abandoned, trimAt }) => {
    for (const one of replayables) {
      row.run(one);
      expired.run({ now: one.createdAt });
    }
    for (const [organizationId, id] of abandoned) remove.run({ organizationId, id });
    if (trimAt !== null) trim.run({ now: trimAt });
  };
}

const { requests, errors, abandoned, characters, audioSeconds, tokens, costMicros, unmeteredMicros, ...KEY } =
  getTableColumns(usageTotal);
const SUMS = { requests, errors, abandoned, characters, audioSeconds, tokens, costMicros, unmeteredMicros };
const KEY_OF_TOTAL = Object.values(KEY);

/** On conflict: adds the new row's value to the existing one. */
const added = (sums: Record<string, Column>) =>
  Object.fromEntries(
    Object.entries(sums).map(([name, column]) => [
      name,
      sql`${column} + ${sql.raw(`excluded.${column.name}`)}`,
    ]),
  );

/** On conflict: takes the new row's columns, except those of the key, whose index would be rewritten. */
function excluded(table: SQLiteTable) {
  const columns = Object.entries(getTableColumns(table)).filter(
    ([name]) => !/^(id|organizationId)$/.test(name),
  );
  return Object.fromEntries(columns.map(([name, column]) => [name, sql.raw(`excluded.${column.name}`)]));
}

/** Every column of a row to insert, by its own name. */
function placeholders<T extends SQLiteTable>(table: T): T["$inferInsert"] {
  const names = Object.keys(getTableColumns(table));
  return Object.fromEntries(names.map((name) => [name, sql.placeholder(name)])) as T["$inferInsert"];
}

/** Columns to set, each to the value of its own name. */
const toPlaceholders = (...names: string[]) =>
  Object.fromEntries(names.map((name) => [name, sql`${sql.placeholder(name)}`]));

const isNamed = (table: typeof usageEvent | typeof requestLog | typeof replayableRequest) =>
  and(eq(table.organizationId, sql.placeholder("organizationId")), eq(table.id, sql.placeholder("id")));
