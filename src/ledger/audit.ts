/**
 * What `ledger verify` compares: stored figures, and the same figures computed from events. One set of queries for both
 * databases; each store runs them on one snapshot.
 *
 *   grants, accounts    against all events and reversals
 *   request log         against events and daily sums, from the first day that is kept in full
 */
import {
  and,
  eq,
  getTableColumns,
  gt,
  gte,
  isNull,
  or,
  type SQL,
  type SQLWrapper,
  sql,
  sum,
} from "drizzle-orm";
import type { Database } from "../db/database.ts";
import { BUDGETS_KEPT_SECONDS, completeFrom, DAY_SECONDS, LOG_DAYS_MAX } from "../kept-data.ts";
import type { Account, Grant } from "./booking/burn-down.ts";
import type { BudgetCount } from "./booking/rollup.ts";

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
  /** What is counted of a budget in a period that is not forgotten, and what the events come to that count toward it. */
  budgets: { subject: string; start: number; countedMicros: number; chargedMicros: number }[];
  /** What is counted of a key or project that an alert watches, in a month, and what its events come to. */
  spends: { subject: string; start: number; countedMicros: number; chargedMicros: number }[];
};

type Counts = { requests: number; errors: number };

/**
 * How each database unnests `burns` and `budgets`: the rows, whether one is the first of its burns or there are none, and the fields of
 * a row's `value`; and the month of a count, as 202611.
 */
type Dialect = { each: SQL; isFirst: SQL; grant: SQL; micros: SQL; counted: SQL; month: SQL };

export const DIALECTS = {
  sqlite: {
    each: sql`json_each(paid.burns)`,
    isFirst: sql`coalesce(key, 0) = 0`,
    grant: sql`json_extract(value, '$[0]')`,
    micros: sql`json_extract(value, '$[1]')`,
    counted: sql`json_each(usage_event.budgets)`,
    month: sql`cast(strftime('%Y%m', spend_count.start, 'unixepoch') as integer)`,
  },
  postgres: {
    each: sql`jsonb_array_elements(paid.burns) with ordinality as burn (value, place)`,
    isFirst: sql`coalesce(place, 1) = 1`,
    grant: sql`value ->> 0`,
    micros: sql`(value ->> 1)::bigint`,
    counted: sql`jsonb_array_elements(usage_event.budgets)`,
    month: sql`to_char(to_timestamp(spend_count.start) at time zone 'utc', 'YYYYMM')::integer`,
  },
} satisfies Record<string, Dialect>;

const PAID = sql`(select id, case plan when 'unmetered' then 0 else cost_micros end as micros, overdraft_micros, burns
    from usage_event
  union all select id, amount_micros, overdraft_micros, burns from credit_reversal) as paid`;

const number = (what: SQL) => sql<number>`coalesce(${what}, 0)`.mapWith(Number);

type Asked = Pick<Database, "query" | "tables">;

/** How long request logs are kept at most. Sums are kept indefinitely. */
export const LOGS_KEPT_SECONDS = LOG_DAYS_MAX * DAY_SECONDS;

/** `now` in Unix seconds: the request log is compared as far back as it is complete. */
export function auditQueries(asked: Asked, dialect: keyof typeof DIALECTS, now: number) {
  const { query, tables } = asked;
  const since = now - LOGS_KEPT_SECONDS;
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
    ...budgetsOf(asked, DIALECTS[dialect]),
    spends: spendsOf(asked, DIALECTS[dialect]),
    ...requestsOf(asked, completeFrom(since)),
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

function budgetsOf({ query, tables: { budgetPeriod } }: Asked, dialect: Dialect) {
  const { counted, grant: subject, micros: start } = dialect;
  const charged = sql`(select organization_id, ${subject} as subject, ${start} as start, cost_micros as micros
    from usage_event, ${counted} where budgets is not null) as charged`;
  return {
    counted: query.select().from(budgetPeriod),
    budgeted: query
      .select({
        organizationId: sql<string>`charged.organization_id`,
        subject: sql<string>`charged.subject`,
        start: sql<number>`charged.start`.mapWith(Number),
        micros: number(sql`sum(charged.micros)`),
      })
      .from(charged)
      .groupBy(sql`charged.organization_id`, sql`charged.subject`, sql`charged.start`),
  };
}

/** By the events: the counts begin with the sums of days, which are compared with them too. */
const spendsOf = ({ query, tables: { spendCount } }: Asked, { month }: Dialect) =>
  query
    .select({
      ...{ subject: spendCount.subject, start: spendCount.start, countedMicros: spendCount.micros },
      chargedMicros: number(sql`(select sum(cost_micros) from usage_event as part
        where part.organization_id = spend_count.organization_id and part.month = ${month}
          and (part.key_id = spend_count.subject or part.project_id = spend_count.subject))`),
    })
    .from(spendCount);

/** Whether a time is one from which on the request log of its organization is complete. */
const isLoggedWhole = (organizationId: SQLWrapper, at: SQLWrapper): SQL =>
  sql`${at} >= coalesce((select request_logs_from from organization as logged
    where logged.id = ${organizationId}), 0)`;

/** From midnight of the day, and of each organization as far back as its log is complete. */
function requestsOf({ query, tables: { requestLog, usageEvent, usageTotal } }: Asked, since: number) {
  const paid = query
    .select({
      owner: usageEvent.organizationId,
      request: sql<string>`${usageEvent.requestId}`.as("request"),
      micros: number(sql`sum(${usageEvent.costMicros})`).as("micros"),
    })
    .from(usageEvent)
    .where(
      and(gte(usageEvent.createdAt, since), isLoggedWhole(usageEvent.organizationId, usageEvent.createdAt)),
    )
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
          or(isNull(requestLog.createdAt), isLoggedWhole(paid.owner, requestLog.createdAt)),
        ),
      ),
    logged: query
      .select({
        organizationId: requestLog.organizationId,
        requests: number(sql`count(*)`),
        errors: number(errors),
      })
      .from(requestLog)
      .where(
        and(gte(requestLog.createdAt, since), isLoggedWhole(requestLog.organizationId, requestLog.createdAt)),
      )
      .groupBy(requestLog.organizationId),
    summed: query
      .select({
        organizationId: usageTotal.organizationId,
        requests: sum(usageTotal.requests).mapWith(Number),
        errors: sum(usageTotal.errors).mapWith(Number),
      })
      .from(usageTotal)
      .where(and(isSuchDay, isLoggedWhole(usageTotal.organizationId, usageTotal.start)))
      .groupBy(usageTotal.organizationId),
  };
}

type Queries = ReturnType<typeof auditQueries>;
export type Answers = { [Name in keyof Queries]: Awaited<Queries[Name]> };

export function auditOf(
  { burned, torn, grants, accounts, charged, logged, summed, spends, ...budgets }: Answers,
  now: number,
): Audit {
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
    budgets: budgetsIn(budgets, now - BUDGETS_KEPT_SECONDS),
    spends,
  };
}

function budgetsIn(
  { counted, budgeted }: Pick<Answers, "counted" | "budgeted">,
  keptFrom: number,
): Audit["budgets"] {
  const [countedOf, chargedOf] = [counted, budgeted].map(
    (rows) => new Map(rows.map((row) => [`${row.organizationId} ${row.subject} ${row.start}`, row])),
  ) as [Map<string, BudgetCount>, Map<string, BudgetCount>];
  const newest = new Map<string, number>();
  for (const { organizationId, subject, start } of counted)
    newest.set(
      `${organizationId} ${subject}`,
      Math.max(start, newest.get(`${organizationId} ${subject}`) ?? 0),
    );
  /** Since a newer period is counted, its row may have been deleted. */
  const isForgotten = (name: string, { organizationId, subject, start }: BudgetCount) =>
    !countedOf.has(name) && start < keptFrom && start < (newest.get(`${organizationId} ${subject}`) ?? 0);
  return [...new Map([...countedOf, ...chargedOf])]
    .filter(([name, count]) => !isForgotten(name, count))
    .map(([name, { subject, start }]) => ({
      subject,
      start,
      countedMicros: countedOf.get(name)?.micros ?? 0,
      chargedMicros: chargedOf.get(name)?.micros ?? 0,
    }));
}
