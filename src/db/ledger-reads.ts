/** What is read of the ledger outside a batch: one set of queries for both databases. */
import { desc, eq, getTableColumns, sql } from "drizzle-orm";
import { type Database, prepared } from "./open.ts";
import { openRequestReads } from "./request-reads.ts";
import { openUsageReads } from "./usage-reads.ts";

export function openLedgerReads(database: Database) {
  const { query, tables } = database;
  const { creditGrant } = tables;
  const { account, accounts } = accountQueries(database);
  return {
    /** `now` in Unix seconds. */
    account: async (organizationId: string, now: number) =>
      (await account.execute({ organization: organizationId, now }))[0] ?? null,
    accounts: async (now: number) => accounts.execute({ now }),
    grants: async (organizationId: string) =>
      query
        .select()
        .from(creditGrant)
        .where(eq(creditGrant.organizationId, organizationId))
        .orderBy(desc(creditGrant.createdAt), desc(creditGrant.id)),
    ...openUsageReads(database),
    ...openRequestReads(database),
  };
}

/** Of one organization, on the path of every request; and of all. */
function accountQueries({ query, tables: { creditAccount } }: Database) {
  const balanceMicros = sql<number>`(select coalesce(sum(remaining_micros), 0) from credit_grant
    where credit_grant.organization_id = credit_account.organization_id and remaining_micros > 0
      and (expires_at is null or expires_at > ${sql.placeholder("now")}))`.mapWith(Number);
  const all = () => query.select({ ...getTableColumns(creditAccount), balanceMicros }).from(creditAccount);
  const one = all().where(eq(creditAccount.organizationId, sql.placeholder("organization")));
  return { account: prepared(one, "ledger_account"), accounts: prepared(all(), "ledger_accounts") };
}
