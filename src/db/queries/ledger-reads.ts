/** Reads of the ledger outside batches: one set of queries for both databases. */
import { and, desc, eq, getTableColumns, gte, inArray, lt, ne, type SQL, sql, sum } from "drizzle-orm";
import { type Database, prepared } from "../database.ts";
import { openBusinessReads } from "./business-reads.ts";
import { openEndUserRows } from "./end-user-rows.ts";
import { openLatencyReads } from "./latency-reads.ts";
import { openLimitUseReads } from "./limit-use-reads.ts";
import { openLoadReads } from "./load-reads.ts";
import { openLogGroups } from "./log-groups.ts";
import { openMinuteReads } from "./minute-reads.ts";
import { openRequestReads } from "./request-reads.ts";
import { openTotalReads, type UsageQuery } from "./usage-reads.ts";

type Period = [subject: string, start: number];
type OwnedPeriod = [organizationId: string, ...Period];

/** A month, and its begin and end in Unix seconds. */
type CostsQuery = { month: number; from: number; to: number; organizationId: string | null };

export function openLedgerReads(database: Database) {
  const { query, tables } = database;
  const { creditAccount, creditGrant, creditReversal, usageTotal } = tables;
  const { account, accounts } = accountQueries(database);
  const budget = openBudgetRead(database);
  return {
    /** `now` in Unix seconds. */
    account: async (organizationId: string, now: number, periods: Period[] = []) => {
      const [row] = await account.execute({ organization: organizationId, now });
      if (!row) return null;
      if (periods.length === 0) return { ...row, budgetMicros: [] };
      const budgetMicros = await Promise.all(periods.map((period) => budget(organizationId, period)));
      return { ...row, budgetMicros };
    },
    accounts: async (now: number) =>
      (await accounts.execute({ now })).map((row) => ({ ...row, budgetMicros: [] })),
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
    budgets: openBudgetsRead(database),
    ...openUsage(database),
    ...openRequestReads(database),
    ...openLatencyReads(database),
    ...openLoadReads(database),
    ...openLimitUseReads(database),
    ...openBusinessReads(database),
  };
}

function openUsage(database: Database) {
  const { totals, totalsBy } = openTotalReads(database);
  const { minutesBy } = openMinuteReads(database);
  const { endUsersBy } = openEndUserRows(database);
  const { logGroupsBy } = openLogGroups(database);
  return {
    totals,
    usage(asked: UsageQuery) {
      if (asked.endUsers) return endUsersBy(asked);
      if (asked.logged) return logGroupsBy(asked);
      return asked.bucket === "minute" ? minutesBy(asked) : totalsBy(asked);
    },
  };
}

/** The account of one organization, read by every request, and all accounts. */
function accountQueries(database: Database) {
  const { creditAccount } = database.tables;
  const all = () => selectAccounts(database);
  const one = all().where(eq(creditAccount.organizationId, sql.placeholder("organization")));
  return { account: prepared(one, "ledger_account"), accounts: prepared(all(), "ledger_accounts") };
}

/** What is counted of a period of a budget. */
function openBudgetRead({ query, tables: { budgetPeriod } }: Database) {
  const { organizationId, subject, start, micros } = budgetPeriod;
  const isAsked = and(
    eq(organizationId, sql.placeholder("owner")),
    eq(subject, sql.placeholder("of")),
    eq(start, sql.placeholder("begun")),
  );
  const one = prepared(query.select({ micros }).from(budgetPeriod).where(isAsked), "ledger_budget");
  return async (owner: string, [of, begun]: Period): Promise<number> =>
    (await one.execute({ owner, of, begun }))[0]?.micros ?? 0;
}

const AT_ONCE = 1000; // each takes three parameters of a statement

/** What is counted of many periods, in their order. */
function openBudgetsRead({ query, tables: { budgetPeriod } }: Database) {
  const { organizationId, subject, start, micros } = budgetPeriod;
  const rowOf = ([owner, of, begun]: OwnedPeriod) =>
    sql`(cast(${owner} as text), cast(${of} as text), cast(${begun} as bigint))`;
  return async (periods: OwnedPeriod[]): Promise<number[]> => {
    const counted = new Map<string, number>();
    for (let from = 0; from < periods.length; from += AT_ONCE) {
      const asked = sql.join(periods.slice(from, from + AT_ONCE).map(rowOf), sql`, `);
      const rows = await query
        .select({ organizationId, subject, start, micros })
        .from(budgetPeriod)
        .where(sql`(${organizationId}, ${subject}, ${start}) in (values ${asked})`);
      for (const row of rows) counted.set([row.organizationId, row.subject, row.start].join(" "), row.micros);
    }
    return periods.map((period) => counted.get(period.join(" ")) ?? 0);
  };
}

/** Accounts of several organizations at once, on PostgreSQL, and with them budgets: in one round trip. `now` in Unix seconds. */
export function openAccountsRead(database: Database) {
  const { creditAccount } = database.tables;
  const several = sql`${creditAccount.organizationId} = any(${sql.placeholder("organizations")})`;
  const query = prepared(selectAccounts(database).where(several), "ledger_accounts_of");
  const counted = sql<Record<string, number> | null>`(select json_object_agg(
    organization_id || ' ' || subject || ' ' || start, micros) from budget_period
    where (organization_id, subject, start) in (
      select * from unnest(${sql.placeholder("owners")}::text[], ${sql.placeholder("subjects")}::text[],
        ${sql.placeholder("starts")}::bigint[])))`;
  const both = prepared(selectAccounts(database, { counted }).where(several), "ledger_accounts_and_budgets");
  return async (
    { organizationIds: organizations, periods }: { organizationIds: string[]; periods: OwnedPeriod[] },
    now: number,
  ) => {
    if (periods.length === 0)
      return { accounts: await query.execute({ organizations, now }), budgets: new Map<string, number>() };
    const owners = periods.map(([owner]) => owner);
    const subjects = periods.map(([, subject]) => subject);
    const starts = periods.map(([, , start]) => start);
    const rows = await both.execute({ organizations, now, owners, subjects, starts });
    return {
      accounts: rows.map(({ counted: _, ...account }) => account),
      budgets: new Map(Object.entries(rows[0]?.counted ?? {})),
    };
  };
}

function selectAccounts<More extends Record<string, SQL> = Record<never, never>>(
  { query, tables: { creditAccount } }: Database,
  more?: More,
) {
  const balanceMicros = sql<number>`(select coalesce(sum(remaining_micros), 0) from credit_grant
    where credit_grant.organization_id = credit_account.organization_id and remaining_micros > 0
      and (expires_at is null or expires_at > ${sql.placeholder("now")}))`.mapWith(Number);
  return query.select({ ...getTableColumns(creditAccount), balanceMicros, ...more! }).from(creditAccount);
}
