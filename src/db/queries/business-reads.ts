/**
 * Queries of the page Business: what all organizations together bought, were given, lost and used by day, which used most, and
 * what models did. Use comes from the daily sums, found by organization in their primary key, and never from single charges.
 */
import { and, desc, eq, gte, isNotNull, lt, type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import type { Database } from "../database.ts";
import { PERIOD_SECONDS, sumOf } from "./usage-reads.ts";

/** Half-open, in Unix seconds. `month`: ranks the organizations; `before`: what it is compared with. */
export type BusinessQuery = Span & { now: number; month: Span; before: Span };
type Span = { from: number; to: number };

/**
 * Micros. `bought`, `given`: granted. `refunded`: taken back by refunds and disputes, including what was spent. `tax`: of payments.
 * `cost`: of requests, deducted or not; `used`: the part that was deducted.
 */
export type BusinessSum = "bought" | "given" | "refunded" | "corrected" | "expired" | "tax" | "used" | "cost";

export type BusinessRows = {
  /** `start`: of a day, UTC. */
  days: { start: number; what: BusinessSum; micros: number }[];
  /** The organizations whose requests cost most in the month. */
  most: { organizationId: string; usedMicros: number; costMicros: number; beforeMicros: number }[];
  /** What each model did on the days of the month, the oldest first. `model`: "" of requests that were refused before one was known. */
  load: ModelDay[];
};

type ModelDay = {
  start: number;
  model: string;
  requests: number;
  characters: number;
  audioSeconds: number;
  tokens: number;
};

const MOST = 20;

const dayOf = (column: SQLiteColumn) =>
  sql<number>`${column} - ${column} % ${sql.raw(String(PERIOD_SECONDS.day))}`.mapWith(Number);

const within = (column: SQLiteColumn, { from, to }: Span) => and(gte(column, from), lt(column, to));

export function openBusinessReads({ query, tables }: Database) {
  const { usageTotal, organization } = tables;
  const moneyByDay = openMoney({ query, tables });
  const { costMicros, unmeteredMicros, start, model, requests, characters, audioSeconds, tokens } =
    usageTotal;
  /** Joined from organizations, so that the primary key of the sums finds the days of each. */
  const isDayOf = (span: Span) =>
    and(eq(usageTotal.organizationId, organization.id), eq(usageTotal.period, "day"), within(start, span));
  const sumIn = (what: SQL, { from, to }: Span) =>
    sumOf(sql`case when ${start} >= ${from} and ${start} < ${to} then ${what} else 0 end`);
  const cost = sql`${costMicros}`;
  const used = sql`${costMicros} - ${unmeteredMicros}`;

  return {
    async businessRows(asked: BusinessQuery): Promise<BusinessRows> {
      const days = await query
        .select({ start, used: sumOf(used), cost: sumOf(cost) })
        .from(organization)
        .crossJoin(usageTotal)
        .where(isDayOf(asked))
        .groupBy(start);
      const { month, before } = asked;
      const costInMonth = sumIn(cost, month);
      const most = await query
        .select({
          organizationId: organization.id,
          ...{ usedMicros: sumIn(used, month), costMicros: costInMonth, beforeMicros: sumIn(cost, before) },
        })
        .from(organization)
        .crossJoin(usageTotal)
        .where(isDayOf({ from: before.from, to: month.to }))
        .groupBy(organization.id)
        .having(sql`${costInMonth} > 0`)
        .orderBy(desc(costInMonth), organization.id)
        .limit(MOST);
      const load = await query
        .select({
          ...{ start, model, requests: sumOf(requests), characters: sumOf(characters) },
          ...{ audioSeconds: sumOf(audioSeconds), tokens: sumOf(sql`coalesce(${tokens}, 0)`) },
        })
        .from(organization)
        .crossJoin(usageTotal)
        .where(isDayOf(month))
        .groupBy(start, model)
        .orderBy(start, model);
      const use = days.flatMap((day) => [
        named("used", { start: day.start, micros: day.used }),
        named("cost", { start: day.start, micros: day.cost }),
      ]);
      return { days: [...(await moneyByDay(asked)), ...use], most, load };
    },
  };
}

/** Grants, what expired of them, what was taken back, and tax. */
function openMoney({ query, tables }: Pick<Database, "query" | "tables">) {
  const { creditGrant, creditReversal, topUp } = tables;
  const { amountMicros, remainingMicros, kind, createdAt, expiresAt } = creditGrant;
  return async ({ from, to, now }: BusinessQuery) => {
    const grantDay = dayOf(createdAt);
    const granted = query
      .select({ start: grantDay, kind, micros: sumOf(amountMicros) })
      .from(creditGrant)
      .where(within(createdAt, { from, to }))
      .groupBy(grantDay, kind);
    const endDay = dayOf(expiresAt);
    const expired = query
      .select({ start: endDay, micros: sumOf(remainingMicros) })
      .from(creditGrant)
      .where(and(isNotNull(expiresAt), within(expiresAt, { from, to: Math.min(to, now) })))
      .groupBy(endDay);
    const backDay = dayOf(creditReversal.createdAt);
    const taken = query
      .select({ start: backDay, kind: creditReversal.kind, micros: sumOf(creditReversal.amountMicros) })
      .from(creditReversal)
      .where(within(creditReversal.createdAt, { from, to }))
      .groupBy(backDay, creditReversal.kind);
    const paidDay = dayOf(topUp.settledAt);
    const tax = query
      .select({ start: paidDay, micros: sumOf(topUp.taxMicros) })
      .from(topUp)
      .where(and(eq(topUp.status, "succeeded"), within(topUp.settledAt, { from, to })))
      .groupBy(paidDay);
    return [
      ...(await granted).map(({ kind, ...day }) => named(kind === "purchase" ? "bought" : "given", day)),
      ...(await expired).map((day) => named("expired", day)),
      ...(await taken).map(({ kind, ...day }) =>
        named(kind === "correction" ? "corrected" : "refunded", day),
      ),
      ...(await tax).map((day) => named("tax", day)),
    ];
  };
}

const named = (what: BusinessSum, day: { start: number; micros: number }) => ({ ...day, what });
