/**
 * How hard an organization pressed against its limits, by day (UTC): refused requests by reason, from the index of those that did
 * not succeed, and the most requests at once, from when each of the newest began and how long it took.
 *
 * An id begins with its time, so that a day is a range of ids.
 */
import { and, count, desc, eq, gt, gte, inArray, lt, sql } from "drizzle-orm";
import type { Database } from "../database.ts";
import { idAt, startMsOf } from "./request-hours.ts";
import { PERIOD_SECONDS } from "./usage-reads.ts";

/** Whole days: the starts of the first, and of the one after the last, in Unix seconds. `rowsMax`: how many requests are read. */
export type LoadQuery = { organizationId: string; start: number; end: number; rowsMax?: number };

/** `peak`: the most requests at once; null where the day has requests beyond those that are read. */
export type LoadDay = { start: number; refused: Refused[]; peak: number | null };
type Refused = { status: number; errorCode: string | null; requests: number };

/** No credit or budget left, not allowed, too many. */
const REFUSED = [402, 403, 429];
const ROWS_MAX = 100_000;
const ROWS_AT_ONCE = 5000;
const DAY = PERIOD_SECONDS.day;
const LONGEST_SECONDS = 3600; // a session's

export function openLoadReads(database: Database) {
  const refusedOn = openRefused(database);
  const rowsFrom = openRows(database);
  return {
    async load(asked: LoadQuery): Promise<LoadDay[]> {
      const days = Array.from(
        { length: (asked.end - asked.start) / DAY },
        (_, day) => asked.start + day * DAY,
      );
      const { since, rows } = await rowsFrom(asked);
      const peaks = openPeaks();
      for await (const row of rows) peaks.add(row);
      const load: LoadDay[] = [];
      for (const start of days) {
        const peak = (start - LONGEST_SECONDS) * 1000 < since ? null : peaks.on(start);
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

type Row = { id: string; status: number; durationMs: number };

/** The newest requests of the range, and those that were running when it began, the oldest first; `since` when, in milliseconds. */
function openRows({ query, tables: { requestLog } }: Database) {
  const { organizationId, id, status, durationMs } = requestLog;
  const between = (owner: string, from: string, to: string) =>
    and(eq(organizationId, owner), gt(id, from), lt(id, to));

  async function* rowsIn(owner: string, from: string, to: string): AsyncGenerator<Row> {
    for (let last = from; ; ) {
      const rows = await query
        .select({ id, status, durationMs })
        .from(requestLog)
        .where(between(owner, last, to))
        .orderBy(id)
        .limit(ROWS_AT_ONCE);
      yield* rows;
      if (rows.length < ROWS_AT_ONCE) return;
      last = rows.at(-1)!.id;
    }
  }

  return async ({ organizationId: owner, start, end, rowsMax = ROWS_MAX }: LoadQuery) => {
    const [from, to] = [idAt(start - LONGEST_SECONDS), idAt(end)];
    const [beyond] = await query
      .select({ id })
      .from(requestLog)
      .where(between(owner, from, to))
      .orderBy(desc(id))
      .limit(1)
      .offset(rowsMax);
    return { since: beyond ? startMsOf(beyond.id) : 0, rows: rowsIn(owner, beyond?.id ?? from, to) };
  };
}

/** The most requests at once, by day. Requests are added in the order in which they began. */
function openPeaks() {
  const byDay = new Map<number, number>();
  const ends: number[] = []; // of those that are running, ascending
  return {
    add({ id, status, durationMs }: Row): void {
      if (!hasRun(status)) return;
      const start = startMsOf(id);
      ends.splice(0, after(ends, start));
      const end = start + durationMs;
      ends.splice(after(ends, end), 0, end);
      const day = Math.floor(start / 1000 / DAY) * DAY;
      byDay.set(day, Math.max(byDay.get(day) ?? 0, ends.length));
    },
    on: (day: number): number => byDay.get(day) ?? 0,
  };
}

/** Refused requests take no slot; those that failed or were left did. */
const hasRun = (status: number): boolean =>
  status < 400 || status === 499 || (status >= 500 && status !== 503);

/** How many of ascending times are not later. */
function after(times: number[], time: number): number {
  let [low, high] = [0, times.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (times[middle]! <= time) low = middle + 1;
    else high = middle;
  }
  return low;
}
