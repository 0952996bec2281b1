/** The ledger's SQLite store: reads on the server's thread, writes wherever `apply` runs them, one writer in all. */
import { and, desc, eq, getTableColumns, gt, sql } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import type { SqliteDatabase } from "../db/open-sqlite.ts";
import { creditAccount, creditGrant, requestLog, usageEvent } from "../db/sqlite.ts";
import { bookCharge, bookGrant, type Charge, type NewGrant, newAccount } from "./book.ts";
import type { Audit, Outcome, Store, Totals, Write } from "./ledger.ts";

type Sqlite = SqliteDatabase["sqlite"];

export function openSqliteStore(database: Sqlite, apply: (writes: Write[]) => Promise<Outcome[]>): Store {
  const account = accountQuery(database);
  const openGrants = openGrantsQuery(database);
  const grants = database
    .select()
    .from(creditGrant)
    .where(eq(creditGrant.organizationId, organization))
    .orderBy(desc(creditGrant.createdAt), desc(creditGrant.id))
    .prepare();
  return {
    apply,
    account: async (organizationId) => account.get({ organization: organizationId }) ?? null,
    openGrants: async (organizationId) => openGrants.all({ organization: organizationId }),
    grants: async (organizationId) => grants.all({ organization: organizationId }),
    requests: async (organizationId, limit) =>
      database
        .select()
        .from(requestLog)
        .where(eq(requestLog.organizationId, organizationId))
        .orderBy(desc(requestLog.createdAt), desc(requestLog.id))
        .limit(limit),
    totals: async (organizationId) => totalsOf(database, organizationId),
    audit: async () => audit(database),
    async [Symbol.asyncDispose]() {},
  };
}

/** The writer: a batch is one transaction, each write in a savepoint of its own. */
export function openSqliteWriter(database: Sqlite): (writes: Write[]) => Outcome[] {
  const write = openPen(database);
  return (writes) =>
    database.transaction(
      (batch) =>
        writes.map((one): Outcome => {
          try {
            return batch.transaction(() => write(one));
          } catch (error) {
            if (isOfTheStore(error)) throw error;
            return { error: (error as Error).message };
          }
        }),
      { behavior: "immediate" },
    );
}

/** Books one write. */
function openPen(database: Sqlite): (write: Write) => Outcome {
  const account = accountQuery(database);
  const openGrants = openGrantsQuery(database);
  const known = knownQueries(database);
  const save = saveQueries(database);
  const accountOf = (organizationId: string) =>
    account.get({ organization: organizationId }) ?? newAccount(organizationId);

  function charge(charge: Charge): Outcome {
    const booked = known.event.get({ id: charge.id });
    if (booked) return { event: booked };
    const grants = openGrants.all({ organization: charge.organizationId });
    const { event, account } = bookCharge(accountOf(charge.organizationId), grants, charge);
    const remaining = new Map(grants.map(({ id, remainingMicros }) => [id, remainingMicros]));
    for (const [id] of event.burns) save.remaining.run({ id, micros: remaining.get(id) });
    save.account.run(account);
    save.event.run(event);
    return { event };
  }

  function grant(wanted: NewGrant): Outcome {
    const booked = known.grant.get({ id: wanted.id });
    if (booked) return { grant: booked };
    const { grant, account } = bookGrant(accountOf(wanted.organizationId), wanted);
    save.account.run(account);
    save.grant.run(grant);
    return { grant };
  }

  return (one) => {
    if ("charge" in one) return charge(one.charge);
    if ("grant" in one) return grant(one.grant);
    if ("log" in one) save.log.run(one.log);
    else {
      const { organizationId, micros } = one.limit;
      save.account.run({ ...accountOf(organizationId), monthlyLimitMicros: micros });
    }
    return { done: true };
  };
}

/** A full disk or a lost file fails the batch; anything else is the fault of one write. */
function isOfTheStore(error: unknown): boolean {
  const { code } = error as { code?: string };
  return code !== undefined && /^SQLITE_(?!CONSTRAINT|MISMATCH)/.test(code);
}

const organization = sql.placeholder("organization");

const accountQuery = (database: Sqlite) =>
  database.select().from(creditAccount).where(eq(creditAccount.organizationId, organization)).prepare();

const openGrantsQuery = (database: Sqlite) =>
  database
    .select()
    .from(creditGrant)
    .where(and(eq(creditGrant.organizationId, organization), gt(creditGrant.remainingMicros, 0)))
    .prepare();

const knownQueries = (database: Sqlite) => {
  const id = sql.placeholder("id");
  return {
    event: database.select().from(usageEvent).where(eq(usageEvent.id, id)).prepare(),
    grant: database.select().from(creditGrant).where(eq(creditGrant.id, id)).prepare(),
  };
};

function saveQueries(database: Sqlite) {
  const excluded = Object.fromEntries(
    Object.entries(getTableColumns(creditAccount)).map(([name, { name: column }]) => [
      name,
      sql.raw(`excluded.${column}`),
    ]),
  );
  return {
    account: database
      .insert(creditAccount)
      .values(placeholders(creditAccount))
      .onConflictDoUpdate({ target: creditAccount.organizationId, set: excluded })
      .prepare(),
    grant: database.insert(creditGrant).values(placeholders(creditGrant)).prepare(),
    event: database.insert(usageEvent).values(placeholders(usageEvent)).prepare(),
    log: database.insert(requestLog).values(placeholders(requestLog)).onConflictDoNothing().prepare(),
    remaining: database
      .update(creditGrant)
      .set({ remainingMicros: sql`${sql.placeholder("micros")}` })
      .where(eq(creditGrant.id, sql.placeholder("id")))
      .prepare(),
  };
}

/** Every column of a row to insert, by its own name. */
function placeholders<T extends SQLiteTable>(table: T): T["$inferInsert"] {
  const names = Object.keys(getTableColumns(table));
  return Object.fromEntries(names.map((name) => [name, sql.placeholder(name)])) as T["$inferInsert"];
}

function totalsOf(database: Sqlite, organizationId: string): Totals {
  const of = (unit: string) => sql<number>`coalesce(sum(quantity) filter (where unit = ${unit}), 0)`;
  return database
    .select({
      requests: sql<number>`count(distinct request_id)`,
      characters: of("character"),
      audioSeconds: of("second"),
      costMicros: sql<number>`coalesce(sum(cost_micros), 0)`,
    })
    .from(usageEvent)
    .where(eq(usageEvent.organizationId, organizationId))
    .get()!;
}

function audit(database: Sqlite): Audit {
  const burned = database.all<{ id: string; micros: number }>(sql`
    select json_extract(burn.value, '$[0]') as id, sum(json_extract(burn.value, '$[1]')) as micros
    from usage_event, json_each(usage_event.burns) as burn group by 1`);
  const burnedOf = new Map(burned.map(({ id, micros }) => [id, micros]));
  const spent = sql<number>`(select coalesce(sum(overdraft_micros), 0) from usage_event as event
    where event.organization_id = credit_account.organization_id)`;
  const settled = sql<number>`(select coalesce(sum(settled_micros), 0) from credit_grant
    where credit_grant.organization_id = credit_account.organization_id)`;
  const monthCost = sql<number>`(select coalesce(sum(cost_micros), 0) from usage_event as event
    where event.organization_id = credit_account.organization_id and event.month = credit_account.month)`;
  const torn = database.all<{ id: string }>(sql`
    select id from usage_event where cost_micros <> overdraft_micros +
      (select coalesce(sum(json_extract(value, '$[1]')), 0) from json_each(usage_event.burns))`);
  return {
    grants: database
      .select()
      .from(creditGrant)
      .all()
      .map((grant) => ({ ...grant, burnedMicros: burnedOf.get(grant.id) ?? 0 })),
    accounts: database
      .select({
        ...getTableColumns(creditAccount),
        uncoveredMicros: spent,
        settledMicros: settled,
        monthCostMicros: monthCost,
      })
      .from(creditAccount)
      .all(),
    torn: torn.map(({ id }) => id),
  };
}
