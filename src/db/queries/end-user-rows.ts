/** The daily sums of end users: how they are read, and how old ones are deleted. */
import { and, eq, gte, inArray, lt } from "drizzle-orm";
import type { Database } from "../database.ts";
import { PERIOD_SECONDS, sumOf, USAGE_ROWS_MAX, type UsageQuery, type UsageRow } from "./usage-reads.ts";

export function openEndUserRows({ query, tables: { endUserDay } }: Pick<Database, "query" | "tables">) {
  const { organizationId, day, endUser } = endUserDay;
  const sums = {
    requests: sumOf(endUserDay.requests),
    errors: sumOf(endUserDay.errors),
    characters: sumOf(endUserDay.characters),
    audioSeconds: sumOf(endUserDay.audioSeconds),
    tokens: sumOf(endUserDay.tokens),
    costMicros: sumOf(endUserDay.costMicros),
  };
  return {
    /** Of whole days, oldest first, by name where it is asked for. */
    async endUsersBy({ organizationId: owner, start, end, endUsers }: UsageQuery): Promise<UsageRow[]> {
      const { name = null, isGrouped = false } = endUsers ?? {};
      const rows = await query
        .select({ start: day, ...(isGrouped && { endUser }), ...sums })
        .from(endUserDay)
        .where(
          and(
            eq(organizationId, owner),
            gte(day, start - (start % PERIOD_SECONDS.day)),
            lt(day, end),
            ...(name === null ? [] : [eq(endUser, name)]),
          ),
        )
        .groupBy(day, ...(isGrouped ? [endUser] : []))
        .orderBy(day, ...(isGrouped ? [endUser] : []))
        .limit(USAGE_ROWS_MAX + 1);
      return rows.map(({ endUser: named, ...row }) => ({
        ...row,
        ...{ succeeded: row.requests - row.errors, unmeteredMicros: 0 },
        groups: named === undefined ? {} : { end_user: named },
      }));
    },
    /** Deletes the oldest day of an organization that ended before then, in Unix seconds. Whether there may be more. */
    async forgetDay(owner: string, before: number): Promise<boolean> {
      const isOf = eq(organizationId, owner);
      const isOld = and(isOf, lt(day, before - PERIOD_SECONDS.day + 1));
      const oldest = query.select({ day }).from(endUserDay).where(isOld).orderBy(day).limit(1);
      const deleted = await query
        .delete(endUserDay)
        .where(and(isOf, inArray(day, oldest)))
        .returning({ day });
      return deleted.length > 0;
    },
  };
}
