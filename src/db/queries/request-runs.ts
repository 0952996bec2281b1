/** The newest requests of an organization in the order in which they began, read in bounded steps, and how many ran at once. */
import { and, desc, eq, gt, lt } from "drizzle-orm";
import type { Database } from "../database.ts";
import { idAt, startMsOf } from "./request-hours.ts";

/** The starts of the first period, and of the one after the last, in Unix seconds. `rowsMax`: how many requests are read. */
export type RunQuery = { organizationId: string; start: number; end: number; rowsMax?: number };

/** A request as the log has it. */
export type Run = {
  id: string;
  status: number;
  durationMs: number;
  characters: number | null;
  audioSeconds: number | null;
};

const ROWS_MAX = 100_000;
const ROWS_AT_ONCE = 5000;
/** That a request may last: a session's. */
export const LONGEST_SECONDS = 3600;

/** Those of the range, and those that were running when it began, the oldest first; before `since`, in milliseconds, none is read. */
export function openRuns({ query, tables: { requestLog } }: Database) {
  const { organizationId, id, status, durationMs, characters, audioSeconds } = requestLog;
  const between = (owner: string, from: string, to: string) =>
    and(eq(organizationId, owner), gt(id, from), lt(id, to));

  async function* rowsIn(owner: string, from: string, to: string): AsyncGenerator<Run> {
    for (let last = from; ; ) {
      const rows = await query
        .select({ id, status, durationMs, characters, audioSeconds })
        .from(requestLog)
        .where(between(owner, last, to))
        .orderBy(id)
        .limit(ROWS_AT_ONCE);
      yield* rows;
      if (rows.length < ROWS_AT_ONCE) return;
      last = rows.at(-1)!.id;
    }
  }

  return async ({ organizationId: owner, start, end, rowsMax = ROWS_MAX }: RunQuery) => {
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

/** The most requests at once, by period. Requests are added in the order in which they began. */
export function openPeaks(periodSeconds: number) {
  const byPeriod = new Map<number, number>();
  const ends: number[] = []; // of those that are running, ascending
  return {
    add({ id, status, durationMs }: Pick<Run, "id" | "status" | "durationMs">): void {
      if (!hasRun(status)) return;
      const start = startMsOf(id);
      ends.splice(0, after(ends, start));
      const end = start + durationMs;
      ends.splice(after(ends, end), 0, end);
      const period = Math.floor(start / 1000 / periodSeconds) * periodSeconds;
      byPeriod.set(period, Math.max(byPeriod.get(period) ?? 0, ends.length));
    },
    in: (period: number): number => byPeriod.get(period) ?? 0,
  };
}

/** Refused requests take no slot; those that failed or were left did. */
export const hasRun = (status: number): boolean =>
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
