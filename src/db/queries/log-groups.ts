/**
 * Usage by what only the request log tells: how requests ended, their voice, language, format and label. No sums are kept of
 * these, so that the requests of the range are read; callers keep it short.
 */
import { and, count, eq, gte, lt, sql } from "drizzle-orm";
import type { Database } from "../database.ts";
import { idAt, madeFor } from "./request-hours.ts";
import {
  matches,
  PERIOD_SECONDS,
  sumOf,
  USAGE_ROWS_MAX,
  type UsageQuery,
  type UsageRow,
} from "./usage-reads.ts";

export function openLogGroups({ query, tables: { requestLog } }: Database) {
  const { id, organizationId, createdAt, status, characters, audioSeconds } = requestLog;
  const columns = {
    status: sql<string>`cast(${status} as text)`,
    voice: sql<string>`coalesce(${requestLog.voice}, '')`,
    language: sql<string>`coalesce(${requestLog.language}, '')`,
    format: sql<string>`coalesce(${requestLog.responseFormat}, '')`,
    label: sql<string>`coalesce(${requestLog.label}, '')`,
  };
  const sums = {
    requests: count(),
    errors: sumOf(sql`case when ${status} >= 400 and ${status} <> 499 then 1 else 0 end`),
    succeeded: sumOf(sql`case when ${status} < 400 then 1 else 0 end`),
    characters: sumOf(sql`coalesce(${characters}, 0)`),
    // the log of speech has the seconds that were made: what is counted of it is its characters
    audioSeconds: sumOf(
      sql`case when coalesce(${characters}, 0) = 0 then coalesce(${audioSeconds}, 0) else 0 end`,
    ),
    tokens: sumOf(sql`coalesce(${requestLog.inputTokens}, 0) + coalesce(${requestLog.outputTokens}, 0)`),
    costMicros: sumOf(requestLog.costMicros),
  };
  return {
    /** Oldest first. "" stands for none. */
    async logGroupsBy({ logged, bucket, ...asked }: UsageQuery): Promise<UsageRow[]> {
      const [name, seconds] = [logged!, PERIOD_SECONDS[bucket]];
      const size = sql.raw(String(seconds)); // not a parameter: it stands in GROUP BY too
      const start = sql<number>`${createdAt} - ${createdAt} % ${size}`.mapWith(Number);
      const from = asked.start - (asked.start % seconds); // partly covered buckets count in full
      const to = Math.ceil(asked.end / seconds) * seconds;
      const made = madeFor({ from, to });
      const rows = await query
        .select({ start, name: columns[name], ...sums })
        .from(requestLog)
        .where(
          and(
            eq(organizationId, asked.organizationId),
            gte(id, idAt(made.from)),
            lt(id, idAt(made.to)),
            gte(createdAt, from),
            lt(createdAt, to),
            ...matches(requestLog, asked.filters),
          ),
        )
        .groupBy(start, columns[name])
        .orderBy(start, columns[name])
        .limit(USAGE_ROWS_MAX + 1);
      return rows.map(({ name: group, ...row }) => ({
        ...row,
        unmeteredMicros: 0,
        groups: { [name]: group },
      }));
    },
  };
}
