/**
 * Usage by minute: counts from the request log, amounts from charges, put together by minute and group.
 *
 * Both tables are clustered by organization and id, and an id begins with its time, so that a short time is a short read. A
 * charge's id is its request's, which may be much older: a session lasts an hour, and so long may a request take over what
 * an earlier one was charged.
 */
import { and, count, gte, lt, type SQL, sql } from "drizzle-orm";
import type { UsageKind } from "../../usage-kinds.ts";
import type { Database, Tables } from "../database.ts";
import { idAt, madeFor } from "./request-hours.ts";
import {
  isOfKind,
  openGroups,
  PERIOD_SECONDS,
  sumOf,
  USAGE_ROWS_MAX,
  type UsageQuery,
  type UsageRow,
  type UsageSums,
} from "./usage-reads.ts";

const CHARGED_LATE_SECONDS = 2 * 3600;
const MINUTE = sql.raw(String(PERIOD_SECONDS.minute)); // not a parameter: it stands in GROUP BY too

const NOTHING: UsageSums = {
  requests: 0,
  errors: 0,
  succeeded: 0,
  characters: 0,
  audioSeconds: 0,
  tokens: 0,
  costMicros: 0,
  unmeteredMicros: 0,
};

export function openMinuteReads(database: Database) {
  const counts = openCounts(database);
  const amounts = openAmounts(database);
  return {
    /** Whole minutes. Reads one row more than may be returned of each table. */
    async minutesBy(asked: UsageQuery): Promise<UsageRow[]> {
      const minute = PERIOD_SECONDS.minute;
      const whole = {
        ...asked,
        start: asked.start - (asked.start % minute),
        end: Math.ceil(asked.end / minute) * minute,
      };
      const rows = new Map<string, UsageRow>();
      for (const { start, groups, ...sums } of [...(await counts(whole)), ...(await amounts(whole))]) {
        const name = JSON.stringify([start, groups]);
        const row = rows.get(name) ?? { start, groups, ...NOTHING };
        for (const [each, value] of Object.entries(sums)) row[each as keyof UsageSums] += value as number;
        rows.set(name, row);
      }
      return [...rows.entries()]
        .filter(([, row]) => isCounted(row, asked.kind))
        .sort(([one, { start }], [other, { start: late }]) => start - late || (one < other ? -1 : 1))
        .map(([, row]) => row)
        .slice(0, USAGE_ROWS_MAX + 1);
    },
  };
}

function isCounted(row: UsageRow, kind: UsageKind | undefined): boolean {
  if (kind === undefined) return true;
  return row.succeeded + (kind === "speech" ? row.characters : row.audioSeconds) > 0;
}

type Part = Pick<UsageRow, "start" | "groups"> & Partial<UsageSums>;

/** The requests of each minute. */
function openCounts(database: Database) {
  const { requestLog } = database.tables;
  const { status, endpoint, characters } = requestLog;
  const isSuccess = sql`${status} < 400`;
  const when = (condition: SQL) => sumOf(sql`case when ${condition} then 1 else 0 end`);
  const read = openMinutes(database, requestLog);
  return (asked: UsageQuery): Promise<Part[]> => {
    const { kind } = asked;
    // the log of speech has the seconds that were made, so only the characters tell the kinds apart
    const charged = sql`coalesce(${characters}, 0) ${sql.raw(kind === "speech" ? ">" : "=")} 0`;
    const succeeded = kind ? and(isSuccess, isOfKind(kind, endpoint, charged))! : isSuccess;
    const isError = sql`${status} >= 400 and ${status} <> 499`;
    const sums = { requests: count(), errors: when(isError), succeeded: when(succeeded) };
    return read(asked, sums, madeFor({ from: asked.start, to: asked.end }));
  };
}

/** The charges of each minute. */
function openAmounts(database: Database) {
  const { usageEvent } = database.tables;
  const { unit, quantity, costMicros, plan } = usageEvent;
  const inUnit = (...units: (typeof unit)["_"]["data"][]) =>
    sumOf(
      sql`case when ${unit} in (${sql.join(
        units.map((each) => sql`${each}`),
        sql`, `,
      )}) then ${quantity} else 0 end`,
    );
  const sums = {
    characters: inUnit("character"),
    audioSeconds: inUnit("second"),
    tokens: inUnit("input_token", "output_token"),
    costMicros: sumOf(costMicros),
    unmeteredMicros: sumOf(sql`case when ${plan} = 'unmetered' then ${costMicros} else 0 end`),
  };
  const read = openMinutes(database, usageEvent);
  return (asked: UsageQuery): Promise<Part[]> =>
    read(asked, sums, { from: asked.start - CHARGED_LATE_SECONDS, to: asked.end });
}

/** Sums of a table by minute and group. `made`: when the requests of its rows were made. */
function openMinutes(database: Database, table: Tables["requestLog"] | Tables["usageEvent"]) {
  const { query, tables } = database;
  const { groupsOf, filtersOf, isKeyOf } = openGroups(database);
  const { id, createdAt } = table;
  const start = sql<number>`${createdAt} - ${createdAt} % ${MINUTE}`.mapWith(Number);
  return async (
    asked: UsageQuery,
    sums: Record<string, SQL<number>>,
    made: { from: number; to: number },
  ): Promise<Part[]> => {
    const { selected, by, needsKey } = groupsOf(table, asked.groupBy);
    const selecting = query
      .select({ start, groups: { ...selected, start }, ...sums })
      .from(table)
      .$dynamic();
    const rows = await (needsKey ? selecting.leftJoin(tables.apiKey, isKeyOf(table)) : selecting)
      .where(
        and(
          ...filtersOf(table, asked),
          gte(id, idAt(made.from)),
          lt(id, idAt(made.to)),
          gte(createdAt, asked.start),
          lt(createdAt, asked.end),
        ),
      )
      .groupBy(start, ...by)
      .limit(USAGE_ROWS_MAX + 1);
    return rows.map(({ groups: { start: _start, ...groups }, ...row }) => ({ ...row, groups }) as Part);
  };
}
