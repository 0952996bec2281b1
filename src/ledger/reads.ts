/** What is read of the ledger outside a batch: one set of queries for both databases. */
import { desc, eq, getTableColumns, sql } from "drizzle-orm";
import { type Database, prepared } from "../db/open.ts";
import type { Store } from "./ledger.ts";

export type Reads = Pick<Store, "account" | "grants" | "requests" | "totals">;

export function openReads(database: Database): Reads {
  const { query, tables } = database;
  const { creditGrant, requestLog } = tables;
  const account = accountQuery(database);
  return {
    account: async (organizationId, now) =>
      (await account.execute({ organization: organizationId, now }))[0] ?? null,
    grants: async (organizationId) =>
      query
        .select()
        .from(creditGrant)
        .where(eq(creditGrant.organizationId, organizationId))
        .orderBy(desc(creditGrant.createdAt), desc(creditGrant.id)),
    requests: async (organizationId, limit) =>
      query
        .select()
        .from(requestLog)
        .where(eq(requestLog.organizationId, organizationId))
        .orderBy(desc(requestLog.id))
        .limit(limit),
    totals: async (organizationId) => (await totalsQuery(database, organizationId))[0]!,
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
