/** The ledger's SQLite store. Reads run on the server's thread, writes where `apply` runs them: on a single writer. */

import { and, type Column, eq, gt, gte, lt, or, sql } from "drizzle-orm";
import type { Done, Job, SqliteDatabase } from "../db/open-sqlite.ts";
import { openLedgerReads } from "../db/queries/ledger-reads.ts";
import {
  creditAccount,
  creditGrant,
  creditReversal,
  replayableRequest,
  requestLog,
  usageEvent,
  usageTotal,
} from "../db/sqlite/tables.ts";
import { type Answers, type Audit, auditOf, auditQueries } from "./audit.ts";
import { bookAll } from "./booking/batch.ts";
import type { Loaded, MonthCost } from "./booking/changes.ts";
import { otherMonths, type RowIds, rowIdsOf } from "./booking/row-ids.ts";
import type { Outcome, Write } from "./booking/write.ts";
import { openLoadingAlerts } from "./sqlite-alerts.ts";
import { openSaving } from "./sqlite-saving.ts";
import { openStatementRows } from "./statement-rows.ts";
import type { Store } from "./store.ts";
import { type LeftAccount, leftAfter, type RecentAccounts } from "./write-queue.ts";

type Sqlite = SqliteDatabase["sqlite"];

export function openSqliteStore(
  database: SqliteDatabase,
  apply: (writes: Write[]) => Promise<Outcome[]>,
  recent: RecentAccounts | null = null,
): Store {
  const reads = openLedgerReads(database);
  return {
    ...reads,
    statementRows: openStatementRows(database, "sqlite"),
    ...(recent && { recent: recent.account }),
    apply,
    audit: async (now) => audit(database, now),
    async [Symbol.asyncDispose]() {},
  };
}

/** What came of a batch, and the accounts as it left them. */
export type Applied = { outcomes: Outcome[]; left: LeftAccount[] };

/** The writer: a batch is one transaction. If a write is bad, the batch is repeated with a savepoint for each. */
export function openSqliteWriter(database: Sqlite): (writes: Write[]) => Applied {
  const load = openLoading(database);
  const save = openSaving(database);
  const { $client: connection } = database; // makes a transaction once, not for every batch
  const jointly = connection.transaction((writes: Write[]): Applied => {
    const loaded = load(rowIdsOf(writes));
    const { outcomes, changes } = bookAll(loaded, writes);
    return { outcomes, left: leftAfter(loaded, changes, save(changes)) };
  });
  const apart = connection.transaction((writes: Write[]): Applied => {
    const applied = writes.map((one) => alone(() => jointly([one])));
    return {
      outcomes: applied.flatMap(({ outcomes }) => outcomes),
      left: applied.flatMap(({ left }) => left),
    };
  });
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
function alone(write: () => Applied): Applied {
  try {
    return write();
  } catch (error) {
    if (isOfTheStore(error)) throw error;
    return { outcomes: [{ error: (error as Error).message }], left: [] };
  }
}

/** A full disk or a lost file fails the batch; any other error belongs to one write. */
function isOfTheStore(error: unknown): boolean {
  const { code } = error as { code?: string };
  return code !== undefined && /^SQLITE_(?!CONSTRAINT|MISMATCH|TOOBIG)/.test(code);
}

const among = (column: Column, list: string) =>
  sql`${column} in (select value from json_each(${sql.placeholder(list)}))`;
const named = (table: typeof usageEvent | typeof requestLog | typeof replayableRequest, list: string) =>
  sql`(${table.organizationId}, ${table.id}) in
    (select value ->> 0, value ->> 1 from json_each(${sql.placeholder(list)}))`;

function openLoading(database: Sqlite): (ids: RowIds) => Loaded {
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
    .where(or(among(creditReversal.id, "reversals"), among(creditReversal.grantId, "corrected")))
    .prepare();
  const events = database.select().from(usageEvent).where(named(usageEvent, "events")).prepare();
  const logs = database.select().from(requestLog).where(named(requestLog, "logs")).prepare();
  const replayables = database
    .select()
    .from(replayableRequest)
    .where(named(replayableRequest, "replayables"))
    .prepare();
  const alertsOf = openLoadingAlerts(database);
  const costOf = openAddingUp(database);
  return (ids) => {
    const lists = {
      organizations: JSON.stringify(ids.organizations),
      grants: JSON.stringify(ids.grants),
      events: JSON.stringify(ids.events),
      reversals: JSON.stringify(ids.reversals),
      corrected: JSON.stringify(ids.corrected),
      logs: JSON.stringify(ids.logs),
      voiding: JSON.stringify(ids.voiding),
      replayables: JSON.stringify(ids.replayables),
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
      replayables: ids.replayables.length > 0 ? replayables.all(lists) : [],
      alerts: alertsOf(ids),
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

function audit({ sqlite, tables }: SqliteDatabase, now: number): Audit {
  return sqlite.transaction((query) => {
    const asked = Object.entries(auditQueries({ query, tables }, "sqlite", now));
    return auditOf(Object.fromEntries(asked.map(([name, each]) => [name, each.all()])) as Answers, now);
  });
}

/** Some 1,000 pages under load. A server with few requests never reaches it, and leaves checkpoints to its writer. */
const COMMITS_A_CHECKPOINT = 64;

/** What the thread does that writes: batches of the ledger as JSON, which crosses threads faster than objects, or other jobs. */
export type WriterWork =
  | { task: { kind: "writes"; writes: string }; result: string }
  | { task: { kind: "jobs"; jobs: Job[] }; result: Done[] };

export type CheckpointWork = { task: object; result: undefined };

/** `write`: takes a batch as JSON, and resolves to what came of it as JSON. */
type Threads = { write(batch: string): Promise<string>; checkpoint(): Promise<unknown> };

/**
 * Has a thread write the batches, while another checkpoints what was written.
 *
 * `recent`: told what each batch leaves.
 */
export function applyOnThread({ write, checkpoint }: Threads, recent: RecentAccounts): Store["apply"] {
  let commits = 0;
  let isCopying = false;

  async function copy(): Promise<void> {
    isCopying = true;
    commits = 0;
    await checkpoint().catch(() => {}); // the writer makes one itself when the log has become long
    isCopying = false;
  }

  return async (writes) => {
    try {
      const { outcomes, left } = JSON.parse(await write(JSON.stringify(writes))) as Applied;
      recent.remember(left);
      if (++commits >= COMMITS_A_CHECKPOINT && !isCopying) void copy();
      return outcomes;
    } catch (error) {
      recent.forget(rowIdsOf(writes).organizations);
      throw error;
    }
  };
}
