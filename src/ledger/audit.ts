/**
 * What `ledger verify` compares: stored figures, and the same figures computed from events. One set of queries for both
 * databases; each store runs them on one snapshot.
 *
 *   grants, accounts    against all events and reversals
 *   request log         against events and daily sums, from the first day that is kept in full
 */
import { and, eq, getTableColumns, gt, gte, or, type SQL, sql, sum } from "drizzle-orm";
import type { Database } from "../db/database.ts";
import { PERIOD_SECONDS } from "../db/queries/usage-reads.ts";
import type { Account, Grant } from "./booking/burn-down.ts";

/** Stored figures, and the same figures computed from events. */
export type Audit = {
  grants: (Grant & { burnedMicros: number })[];
  accounts: (Account & {
    uncoveredMicros: number;
    settledMicros: number;
    monthCostMicros: number;
    /** The part of it that was not deducted. */
    monthUndeductedMicros: number;
    costMicros: number;
    undeductedMicros: number;
    /** The same two according to the daily sums. */
    totalMicros: number;
    totalUnmeteredMicros: number;
  })[];
  /** Ids of events and reversals whose amount differs from their burns plus overdraft; unmetered ones have neither. */
  torn: string[];
  /** Charged requests and their logged cost; null if they are not in the log. */
  charged: { id: string; loggedMicros: number | null; chargedMicros: number }[];
  /** An organization's requests in the daily sums, and in the log. */
  counts: { organizationId: string; summed: Counts; logged: Counts }[];
};

type Counts = { requests: number; errors: number };

/** How each database unnests `burns`: the rows, and the fields of a row's `value`. */
type Dialect = { each: SQL; grant: SQL; micros: SQL };

const DIALECTS = {
  sqlite: {
    each: sql`json_each(paid.burns)`,
    grant: sql`json_extract(value, '$[0]')`,
    micros: sql`json_extract(value, '$[1]')`,
  },
  postgres: {
    each: sql`jsonb_array_elements(paid.burns)`,
    grant: sql`value ->> 0`,
    micros: sql`(value ->> 1)::bigint`,
  },
} satisfies Record<string, Dialect>;

const PAID = sql`(select id, case plan when 'unmetered' then 0 else cost_micros end as micros, overdraft_micros, burns
    from usage_event
  union all select id, amount_micros, overdraft_micros, burns from credit_reversal) as paid`;

const number = (what: SQL) => sql<number>`coalesce(${what}, 0)`.mapWith(Number);

type Asked = Pick<Database, "query" | "tables">;

/** `since`, in Unix seconds: from when on the request log is complete. */
export function auditQueries(asked: Asked, dialect: keyof typeof DIALECTS, since: number) {
  const { query, tables } = asked;
  const { each, grant, micros } = DIALECTS[dialect];
  const burned = sql`(select ${grant} as id, ${micros} as micros from ${PAID}, ${each}) as burned`;
  const covered = sql`(select coalesce(sum(${micros}), 0) from ${each})`;
  return {
    burned: query
      .select({ id: sql<string>`burned.id`, micros: number(sql`sum(burned.micros)`) })
      .from(burned)
      .groupBy(sql`burned.id`),
    torn: query
      .select({ id: sql<string>`paid.id` })
      .from(PAID)
      .where(sql`paid.micros <> paid.overdraft_micros + ${covered}`),
    grants: query.select().from(tables.creditGrant),
    accounts: accountsOf(asked),
    ...requestsOf(asked, since - (since % PERIOD_SECONDS.day) + 2 * PERIOD_SECONDS.day), // a session may last an hour
  };
}

const IN_MONTH = "part.month = credit_account.month";
const UNMETERED = "part.plan = 'unmetered'";

function accountsOf({ query, tables: { creditAccount } }: Asked) {
  const sumOf = (what: string, from: string) =>
    number(sql`(select sum(${sql.raw(what)}) from ${sql.raw(from)} as part
      where part.organization_id = credit_account.organization_id)`);
  return query
    .select({
      ...getTableColumns(creditAccount),
      uncoveredMicros: sumOf("overdraft_micros", "usage_event"),
      reversedMicros: sumOf("overdraft_micros", "credit_reversal"),
      settledMicros: sumOf("settled_micros", "credit_grant"),
      monthCostMicros: sumOf(`case when ${IN_MONTH} then cost_micros else 0 end`, "usage_event"),
      monthUndeductedMicros: sumOf(
        `case when ${IN_MONTH} and ${UNMETERED} then cost_micros else 0 end`,
        "usage_event",
      ),
      costMicros: sumOf("cost_micros", "usage_event"),
      undeductedMicros: sumOf(`case when ${UNMETERED} then cost_micros else 0 end`, "usage_event"),
      totalMicros: sumOf("case when part.period = 'day' then cost_micros else 0 end", "usage_total"),
      totalUnmeteredMicros: sumOf(
        "case when part.period = 'day' then unmetered_micros else 0 end",
        "usage_total",
      ),
    })
    .from(creditAccount);
}

/** From midnight of the day. */
function requestsOf({ query, tables: { requestLog, usageEvent, usageTotal } }: Asked, since: number) {
  const paid = query
    .select({
      owner: usageEvent.organizationId,
      request: sql<string>`${usageEvent.requestId}`.as("request"),
      micros: number(sql`sum(${usageEvent.costMicros})`).as("micros"),
    })
    .from(usageEvent)
    .where(gte(usageEvent.createdAt, since))
    .groupBy(usageEvent.organizationId, usageEvent.requestId)
    .as("paid");
  const isLogged = and(eq(requestLog.organizationId, paid.owner), eq(requestLog.id, paid.request));
  const isSuchDay = and(eq(usageTotal.period, "day"), gte(usageTotal.start, since));
  const errors = sql`sum(case when ${requestLog.status} >= 400 and ${requestLog.status} <> 499 then 1 else 0 end)`;
  return {
    /** Excludes requests that span midnight, because only some of their charges are in range. */
    charged: query
      .select({ id: paid.request, loggedMicros: requestLog.costMicros, chargedMicros: paid.micros })
      .from(paid)
      .leftJoin(requestLog, isLogged)
      .where(
        and(
          or(gt(paid.micros, 0), gt(requestLog.costMicros, 0)),
          sql`${requestLog.costMicros} is distinct from ${paid.micros}`,
          sql`coalesce(${requestLog.createdAt}, ${since}) >= ${since}`,
        ),
      ),
    logged: query
      .select({
        organizationId: requestLog.organizationId,
        requests: number(sql`count(*)`),
        errors: number(errors),
      })
      .from(requestLog)
      .where(gte(requestLog.createdAt, since))
      .groupBy(requestLog.organizationId),
    summed: query
      .select({
        organizationId: usageTotal.organizationId,
        requests: sum(usageTotal.requests).mapWith(Number),
        errors: sum(usageTotal.errors).mapWith(Number),
      })
      .from(usageTotal)
      .where(isSuchDay)
      .groupBy(usageTotal.organizationId),
  };
}

type Queries = ReturnType<typeof auditQueries>;
export type Answers = { [Name in keyof Queries]: Awaited<Queries[Name]> };

export function auditOf({ burned, torn, grants, accounts, charged, logged, summed }: Answers): Audit {
  const burnedOf = new Map(burned.map(({ id, micros }) => [id, micros]));
  const [loggedOf, summedOf] = [logged, summed].map(
    (rows) => new Map(rows.map(({ organizationId, ...counts }) => [organizationId, counts])),
  ) as [Map<string, Counts>, Map<string, Counts>];
  const none = { requests: 0, errors: 0 };
  return {
    grants: grants.map((grant) => ({ ...grant, burnedMicros: burnedOf.get(grant.id) ?? 0 })),
    accounts: accounts.map(({ reversedMicros, uncoveredMicros, ...account }) => ({
      ...account,
      uncoveredMicros: uncoveredMicros + reversedMicros,
    })),
    torn: torn.map(({ id }) => id),
    charged,
    counts: [...new Set([...loggedOf.keys(), ...summedOf.keys()])].map((organizationId) => ({
      organizationId,
      summed: summedOf.get(organizationId) ?? none,
      logged: loggedOf.get(organizationId) ?? none,
    })),
  };
}
