/**
 * How hard an organization pressed against its limits, by day (UTC): refused requests by reason, from the index of those that did
 * not succeed, and the most requests at once, from when each of the newest began and how long it took.
 *
 * An id begins with its time, so that a day is a range of ids.
 */
import { and, count, desc, eq, gte, inArray, lt, sql } from "drizzle-orm";
import type { Database } from "../database.ts";
import { idAt } from "./request-hours.ts";
import { LONGEST_SECONDS, openPeaks, openRuns, type RunQuery } from "./request-runs.ts";
import { PERIOD_SECONDS } from "./usage-reads.ts";

/** Of whole days. */
export type LoadQuery = RunQuery;

/** `peak`: the most requests at once; null where the day has requests beyond those that are read. */
export type LoadDay = { start: number; refused: Refused[]; peak: number | null };
type Refused = { status: number; errorCode: string | null; requests: number };

/** No credit or budget left, not allowed, too many. */
const REFUSED = [402, 403, 429];
const DAY = PERIOD_SECONDS.day;

export function openLoadReads(database: Database) {
  const refusedOn = openRefused(database);
  const runsOf = openRuns(database);
  return {
    async load(asked: LoadQuery): Promise<LoadDay[]> {
      const days = Array.from(
        { length: (asked.end - asked.start) / DAY },
        (_, day) => asked.start + day * DAY,
      );
      const { since, rows } = await runsOf(asked);
      const peaks = openPeaks(DAY);
      for await (const row of rows) peaks.add(row);
      const load: LoadDay[] = [];
      for (const start of days) {
        const peak = (start - LONGEST_SECONDS) * 1000 < since ? null : peaks.in(start);
        load.push({ start, refused: await refusedOn(asked.organizationId, start), peak });
      }
      return load;
    },
  };
}

/** The refused requests of a day, most first. */
function openRefused({ query, tables: { requestLog } }: Database) {
  const { organizationId, id, status, errorCode } = requestLog;
  return async (owner: string, start: number): Promise<Refused[]> =>
    query
      .select({ status, errorCode, requests: count() })
      .from(requestLog)
      .where(
        and(
          eq(organizationId, owner),
          gte(id, idAt(start)),
          lt(id, idAt(start + DAY)),
          sql`${status} <> 200`, // in the words of the index
          inArray(status, REFUSED),
        ),
      )
      .groupBy(status, errorCode)
      .orderBy(desc(count()), status, errorCode);
}
