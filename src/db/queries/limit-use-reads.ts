/**
 * How close an organization came to its limits, by quarter of an hour: the most requests, characters and seconds of audio in a
 * minute, the most requests at once, and how many were refused because a limit was reached.
 */
import type { Database } from "../database.ts";
import { startMsOf } from "./request-hours.ts";
import { hasRun, LONGEST_SECONDS, openPeaks, openRuns, type Run, type RunQuery } from "./request-runs.ts";

/** A multiple of a minute. */
export const LIMIT_USE_SECONDS = 900;
const MINUTE = 60;

type Amounts = { requests: number; characters: number; seconds: number };

/** `most` in a minute, null where the quarter has requests beyond those that are read. */
export type LimitUse = { start: number; most: (Amounts & { atOnce: number; refused: number }) | null };

export function openLimitUseReads(database: Database) {
  const runsOf = openRuns(database);
  return {
    async limitUse(asked: RunQuery): Promise<LimitUse[]> {
      const { since, rows } = await runsOf(asked);
      const peaks = openPeaks(LIMIT_USE_SECONDS);
      const minutes = openMinutes();
      const refused = new Map<number, number>();
      for await (const run of rows) {
        peaks.add(run);
        if (hasRun(run.status)) minutes.add(run);
        const quarter = quarterOf(startMsOf(run.id) / 1000);
        if (run.status === 429) refused.set(quarter, (refused.get(quarter) ?? 0) + 1);
      }
      const quarters = Array.from(
        { length: (asked.end - asked.start) / LIMIT_USE_SECONDS },
        (_, at) => asked.start + at * LIMIT_USE_SECONDS,
      );
      return quarters.map((start) => ({
        start,
        most:
          (start - LONGEST_SECONDS) * 1000 < since
            ? null
            : { ...minutes.mostIn(start), atOnce: peaks.in(start), refused: refused.get(start) ?? 0 },
      }));
    },
  };
}

const quarterOf = (seconds: number): number => Math.floor(seconds / LIMIT_USE_SECONDS) * LIMIT_USE_SECONDS;

/** Requests and characters count when a request begins; audio is taken evenly over its duration, as of a live session. */
function openMinutes() {
  const byMinute = new Map<number, Amounts>();
  const amountsIn = (minute: number): Amounts => {
    const known = byMinute.get(minute) ?? { requests: 0, characters: 0, seconds: 0 };
    byMinute.set(minute, known);
    return known;
  };
  return {
    add({ id, durationMs, characters, audioSeconds }: Run): void {
      const start = startMsOf(id) / 1000;
      const first = Math.floor(start / MINUTE);
      const amounts = amountsIn(first);
      amounts.requests++;
      amounts.characters += characters ?? 0;
      if (characters !== null || !audioSeconds) return; // audio of speech is not limited
      const minutes = Math.floor((start + durationMs / 1000) / MINUTE) - first + 1;
      for (let at = 0; at < minutes; at++) amountsIn(first + at).seconds += audioSeconds / minutes;
    },
    mostIn(start: number): Amounts {
      const all = Array.from(
        { length: LIMIT_USE_SECONDS / MINUTE },
        (_, at) => byMinute.get(start / MINUTE + at) ?? { requests: 0, characters: 0, seconds: 0 },
      );
      const most = (of: keyof Amounts) => Math.max(...all.map((amounts) => amounts[of]));
      return { requests: most("requests"), characters: most("characters"), seconds: most("seconds") };
    },
  };
}
