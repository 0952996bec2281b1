/** Reads of the ledger outside batches: one set of queries for both databases. */
import { and, desc, eq, getTableColumns, gte, inArray, lt, ne, sql, sum } from "drizzle-orm";
import { type Database, prepared } from "../database.ts";
import { openLatencyReads } from "./latency-reads.ts";
import { openMinuteReads } from "./minute-reads.ts";
import { openRequestReads } from "./request-reads.ts";
import { openTotalReads, type UsageQuery } from "./usage-reads.ts";

/** A month, and its begin and end in Unix seconds. */
type CostsQuery = { month: number; from: number; to: number; organizationId: string | null };

export function openLedgerReads(database: Database) {
  const { query, tables } = database;
  const { creditAccount, creditGrant, creditReversal, usageTotal } = tables;
  const { account, accounts } = accountQueries(database);
  const { totals, totalsBy } = openTotalReads(database);
  const { minutesBy } = openMinuteReads(database);
  return {
    /** `now` in Unix seconds. */
    account: async (organizationId: string, now: number) =>
      (await account.execute({ organization: organizationId, now }))[0] ?? null,
    accounts: async (now: number) => accounts.execute({ now }),
    /** Sums between two days by organization: of one, or of all whose accounts store another month. */
    costs: async ({ month, from, to, organizationId }: CostsQuery) => {
      const counting = query.select({ id: creditAccount.organizationId }).from(creditAccount);
      const owner = usageTotal.organizationId;
      const others = inArray(owner, counting.where(ne(creditAccount.month, month)));
      const rows = await query
        .select({
          organizationId: owner,
          costMicros: sum(usageTotal.costMicros).mapWith(Number),
          unmeteredMicros: sum(usageTotal.unmeteredMicros).mapWith(Number),
        })
        .from(usageTotal)
        .where(
          and(
            organizationId === null ? others : eq(owner, organizationId),
            eq(usageTotal.period, "day"),
            gte(usageTotal.start, from),
            lt(usageTotal.start, to),
          ),
        )
        .groupBy(owner);
      return new Map(rows.map(({ organizationId, ...sums }) => [organizationId, sums]));
    },
    grants: async (organizationId: string) =>
      query
        .select()
        .from(creditGrant)
        .where(eq(creditGrant.organizationId, organizationId))
        .orderBy(desc(creditGrant.createdAt), desc(creditGrant.id)),
    reversals: async (organizationId: string) =>
      query
        .select()
        .from(creditReversal)
        .where(eq(creditReversal.organizationId, organizationId))
        .orderBy(creditReversal.createdAt, creditReversal.id),
    totals,
    usage: (asked: UsageQuery) => (asked.bucket === "minute" ? minutesBy(asked) : totalsBy(asked)),
    ...openRequestReads(database),
    ...openLatencyReads(database),
  };
}

/** The account of one organization, read by every request, and all accounts. */
function accountQueries(database: Database) {
  const { creditAccount } = database.tables;
  const all = () => selectAccounts(database);
  const one = all().where(eq(creditAccount.organizationId, sql.placeholder("organization")));
  return { account: prepared(one, "ledger_account"), accounts: prepared(all(), "ledger_accounts") };
}

/** Accounts of several organizations at once, on PostgreSQL. `now` in Unix seconds. */
export function openAccountsRead(database: Database) {
  const { creditAccount } = database.tables;
  const several = sql`${creditAccount.organizationId} = any(${sql.placeholder("organizations")})`;
  const query = prepared(selectAccounts(database).where(several), "ledger_accounts_of");
  return async (organizations: string[], now: number) => query.execute({ organizations, now });
}

function selectAccounts({ query, tables: { creditAccount } }: Database) {
  const balanceMicros = sql<number>`(select coalesce(sum(remaining_micros), 0) from credit_grant
    where credit_grant.organization_id = credit_account.organization_id and remaining_micros > 0
      and (expires_at is null or expires_at > ${sql.placeholder("now")}))`.mapWith(Number);
  return query.select({ ...getTableColumns(creditAccount), balanceMicros }).from(creditAccount);
}
