/** The ledger's SQLite store. Reads run on the server's thread, writes where `apply` runs them: on a single writer. */
import { and, type Column, eq, getTableColumns, gt, gte, lt, sql } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import type { SqliteDatabase } from "../db/open-sqlite.ts";
import { openLedgerReads } from "../db/queries/ledger-reads.ts";
import {
  creditAccount,
  creditGrant,
  creditReversal,
  requestLog,
  usageEvent,
  usageTotal,
} from "../db/sqlite/tables.ts";
import { type Answers, type Audit, auditOf, auditQueries } from "./audit.ts";
import { bookAll, type Changes, type Loaded, type MonthCost } from "./booking/batch.ts";
import { otherMonths, type RowIds, rowIdsOf } from "./booking/row-ids.ts";
import type { Outcome, Write } from "./booking/write.ts";
import type { Store } from "./store.ts";

type Sqlite = SqliteDatabase["sqlite"];

export function openSqliteStore(
  database: SqliteDatabase,
  apply: (writes: Write[]) => Promise<Outcome[]>,
): Store {
  return {
    ...openLedgerReads(database),
    apply,
    audit: async (since) => audit(database, since),
    async [Symbol.asyncDispose]() {},
  };
}

/** The writer: a batch is one transaction. If a write is bad, the batch is repeated with a savepoint for each. */
export function openSqliteWriter(database: Sqlite): (writes: Write[]) => Outcome[] {
  const load = openLoading(database);
  const save = openSaving(database);
  const { $client: connection } = database; // makes a transaction once, not for every batch
  const jointly = connection.transaction((writes: Write[]): Outcome[] => {
    const { outcomes, changes } = bookAll(load(rowIdsOf(writes)), writes);
    save(changes);
    return outcomes;
  });
  const apart = connection.transaction((writes: Write[]) =>
    writes.map((one) => alone(() => jointly([one])[0]!)),
  );
  return (writes) => {
    try {
      return jointly.immediate(writes);
    } catch (error) {
      if (isOfTheStore(error)) throw error;
      return apart.immediate(writes);
    }
  };
}

/** `write`: in a savepoint. */
function alone(write: () => Outcome): Outcome {
  try {
    return write();
  } catch (error) {
    if (isOfTheStore(error)) throw error;
    return { error: (error as Error).message };
  }
}

/** A full disk or a lost file fails the batch; any other error belongs to one write. */
function isOfTheStore(error: unknown): boolean {
  const { code } = error as { code?: string };
  return code !== undefined && /^SQLITE_(?!CONSTRAINT|MISMATCH|TOOBIG)/.test(code);
}

function openLoading(database: Sqlite): (ids: RowIds) => Loaded {
  const among = (column: Column, list: string) =>
    sql`${column} in (select value from json_each(${sql.placeholder(list)}))`;
  const named = (table: typeof usageEvent | typeof requestLog, list: string) =>
    sql`(${table.organizationId}, ${table.id}) in
      (select value ->> 0, value ->> 1 from json_each(${sql.placeholder(list)}))`;
  const accounts = database
    .select()
    .from(creditAccount)
    .where(among(creditAccount.organizationId, "organizations"))
    .prepare();
  const open = database
    .select()
    .from(creditGrant)
    .where(and(among(creditGrant.organizationId, "organizations"), gt(creditGrant.remainingMicros, 0)))
    .prepare();
  const spent = database
    .select()
    .from(creditGrant)
    .where(and(among(creditGrant.id, "grants"), eq(creditGrant.remainingMicros, 0)))
    .prepare();
  const all = database
    .select()
    .from(creditGrant)
    .where(and(among(creditGrant.organizationId, "voiding"), eq(creditGrant.remainingMicros, 0)))
    .prepare();
  const reversals = database
    .select()
    .from(creditReversal)
    .where(among(creditReversal.id, "reversals"))
    .prepare();
  const events = database.select().from(usageEvent).where(named(usageEvent, "events")).prepare();
  const logs = database.select().from(requestLog).where(named(requestLog, "logs")).prepare();
  const costOf = openAddingUp(database);
  return (ids) => {
    const lists = {
      organizations: JSON.stringify(ids.organizations),
      grants: JSON.stringify(ids.grants),
      events: JSON.stringify(ids.events),
      reversals: JSON.stringify(ids.reversals),
      logs: JSON.stringify(ids.logs),
      voiding: JSON.stringify(ids.voiding),
    };
    const known = accounts.all(lists);
    return {
      accounts: known,
      months: otherMonths(ids, known).map(costOf),
      grants: [
        ...open.all(lists),
        ...(ids.grants.length > 0 ? spent.all(lists) : []),
        ...(ids.voiding.length > 0 ? all.all(lists) : []),
      ],
      events: events.all(lists),
      reversals: ids.reversals.length > 0 ? reversals.all(lists) : [],
      logs: logs.all(lists),
    };
  };
}

/** The sums of a month, from those of its days. */
function openAddingUp(database: Sqlite): (month: ReturnType<typeof otherMonths>[number]) => MonthCost {
  const { organizationId: owner, period, start } = usageTotal;
  const sumOf = (column: Column) => sql<number>`coalesce(sum(${column}), 0)`;
  const ofDays = database
    .select({ costMicros: sumOf(usageTotal.costMicros), unmeteredMicros: sumOf(usageTotal.unmeteredMicros) })
    .from(usageTotal)
    .where(
      and(
        eq(owner, sql.placeholder("organizationId")),
        eq(period, "day"),
        gte(start, sql.placeholder("from")),
        lt(start, sql.placeholder("to")),
      ),
    )
    .prepare();
  return ({ organizationId, month, from, to }) => ({
    organizationId,
    month,
    ...ofDays.get({ organizationId, from, to })!,
  });
}

function openSaving(database: Sqlite): (changes: Changes) => void {
  const save = {
    account: database
      .insert(creditAccount)
      .values(placeholders(creditAccount))
      .onConflictDoUpdate({ target: creditAccount.organizationId, set: excluded(creditAccount) })
      .prepare(),
    remaining: database
      .update(creditGrant)
      .set({
        remainingMicros: sql`${sql.placeholder("remainingMicros")}`,
        settledMicros: sql`${sql.placeholder("settledMicros")}`,
      })
      .where(eq(creditGrant.id, sql.placeholder("id")))
      .prepare(),
    grant: database.insert(creditGrant).values(placeholders(creditGrant)).prepare(),
    event: database.insert(usageEvent).values(placeholders(usageEvent)).prepare(),
    voided: database
      .update(usageEvent)
      .set({ quantity: 0, costMicros: 0, overdraftMicros: 0, burns: [] })
      .where(
        and(
          eq(usageEvent.organizationId, sql.placeholder("organizationId")),
          eq(usageEvent.id, sql.placeholder("id")),
        ),
      )
      .prepare(),
    reversal: database.insert(creditReversal).values(placeholders(creditReversal)).prepare(),
    log: database
      .insert(requestLog)
      .values(placeholders(requestLog))
      .onConflictDoUpdate({ target: [requestLog.organizationId, requestLog.id], set: excluded(requestLog) })
      .prepare(),
    total: database
      .insert(usageTotal)
      .values(placeholders(usageTotal))
      .onConflictDoUpdate({ target: KEY_OF_TOTAL, set: added(SUMS) })
      .prepare(),
    forget: database
      .delete(requestLog)
      .where(
        and(
          eq(requestLog.organizationId, sql.placeholder("organizationId")),
          eq(requestLog.id, sql.placeholder("id")),
        ),
      )
      .prepare(),
  };
  return ({ accounts, burned, grants, events, voided, reversals, logs, totals, forgotten }) => {
    for (const account of accounts) save.account.run(account);
    for (const grant of burned) save.remaining.run(grant);
    for (const grant of grants) save.grant.run(grant);
    for (const event of events) save.event.run(event);
    for (const event of voided) save.voided.run(event);
    for (const reversal of reversals) save.reversal.run(reversal);
    for (const log of logs) save.log.run(log);
    for (const total of totals) save.total.run(total);
    for (const [organizationId, id] of forgotten) save.forget.run({ organizationId, id });
  };
}

const { requests, errors, characters, audioSeconds, costMicros, unmeteredMicros, ...KEY } =
  getTableColumns(usageTotal);
const SUMS = { requests, errors, characters, audioSeconds, costMicros, unmeteredMicros };
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

function audit({ sqlite, tables }: SqliteDatabase, since: number): Audit {
  return sqlite.transaction((query) => {
    const asked = Object.entries(auditQueries({ query, tables }, "sqlite", since));
    return auditOf(Object.fromEntries(asked.map(([name, each]) => [name, each.all()])) as Answers);
  });
}
