/** What is read of the ledger outside a batch: one set of queries for both databases. */
import { desc, eq, getTableColumns, sql } from "drizzle-orm";
import { type Database, prepared } from "./open.ts";

export function openLedgerReads(database: Database) {
  const { query, tables } = database;
  const { creditGrant, requestLog } = tables;
  const account = accountQuery(database);
  return {
    /** `now` in Unix seconds. */
    account: async (organizationId: string, now: number) =>
      (await account.execute({ organization: organizationId, now }))[0] ?? null,
    grants: async (organizationId: string) =>
      query
        .select()
        .from(creditGrant)
        .where(eq(creditGrant.organizationId, organizationId))
        .orderBy(desc(creditGrant.createdAt), desc(creditGrant.id)),
    requests: async (organizationId: string, limit: number) =>
      query
        .select()
        .from(requestLog)
        .where(eq(requestLog.organizationId, organizationId))
        .orderBy(desc(requestLog.id))
        .limit(limit),
    totals: async (organizationId: string) => (await totalsQuery(database, organizationId))[0]!,
  };
}

/** On the path of every request. */
function accountQuery({ query, tables: { creditAccount } }: Database) {
  const balanceMicros = sql<number>`(select coalesce(sum(remaining_micros), 0) from credit_grant
    where credit_grant.organization_id = credit_account.organization_id and remaining_micros > 0
      and (expires_at is null or expires_at > ${sql.placeholder("now")}))`.mapWith(Number);
  return prepared(
    query
      .select({ ...getTableColumns(creditAccount), balanceMicros })
      .from(creditAccount)
      .where(eq(creditAccount.organizationId, sql.placeholder("organization"))),
    "ledger_account",
  );
}

function totalsQuery({ query, tables: { usageEvent } }: Database, organizationId: string) {
  const of = (unit: string) =>
    sql<number>`coalesce(sum(quantity) filter (where unit = ${unit}), 0)`.mapWith(Number);
  return query
    .select({
      requests: sql<number>`count(distinct request_id)`.mapWith(Number),
      characters: of("character"),
      audioSeconds: of("second"),
      costMicros: sql<number>`coalesce(sum(cost_micros), 0)`.mapWith(Number),
    })
    .from(usageEvent)
    .where(eq(usageEvent.organizationId, organizationId));
}
