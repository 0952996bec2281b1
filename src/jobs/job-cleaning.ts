/** Deletes the results of jobs that have expired, and months later the rows of jobs and batches. */
import { type Clock, unixSeconds } from "../clock.ts";
import type { BatchRows } from "../db/queries/batch-rows.ts";
import type { JobRows } from "../db/queries/job-rows.ts";
import { DAY_SECONDS } from "../kept-data.ts";
import type { Log } from "../log/log.ts";
import { repeating } from "../one-at-a-time.ts";

const EVERY_MS = 60_000;
const AT_ONCE = 100;
const ROWS_KEPT_SECONDS = 90 * DAY_SECONDS;

type JobCleaning = AsyncDisposable & {
  /** Resolves when what had expired is deleted, or some of it cannot be. Never throws. */
  run(): Promise<void>;
};

type CleaningDeps = {
  rows: Pick<JobRows, "expired" | "expire" | "forget">;
  batches: Pick<BatchRows, "forget">;
  clock: Clock;
  log: Log;
};

export const openJobCleaning = ({ rows, batches, clock, log }: CleaningDeps): JobCleaning =>
  repeating(
    EVERY_MS,
    async () => {
      const now = unixSeconds(clock);
      for (let ids: string[] | null = null; ids === null || ids.length === AT_ONCE; ) {
        ids = await rows.expired(now, AT_ONCE);
        for (const id of ids) await rows.expire(id);
      }
      await rows.forget(now - ROWS_KEPT_SECONDS, AT_ONCE);
      await batches.forget(now - ROWS_KEPT_SECONDS, AT_ONCE);
    },
    (cause) => log.warn("jobs_not_deleted", { cause }),
  );
