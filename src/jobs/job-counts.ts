/** How many jobs have not ended, and how long the oldest of them waits, for the metrics: asked of the database now and then. */
import type { Clock } from "../clock.ts";
import type { JobRows } from "../db/queries/job-rows.ts";
import type { UnfinishedJobs } from "../db/queries/unfinished-jobs.ts";
import { type JobStatus, UNFINISHED_STATUSES } from "../job-statuses.ts";
import type { Metrics } from "../metrics/metrics.ts";
import { repeating } from "../one-at-a-time.ts";

const EVERY_MS = 10_000;

export type JobCounts = AsyncDisposable & {
  /** Resolves when they are counted. Never throws. */
  look(): Promise<void>;
};

type CountsDeps = { rows: Pick<JobRows, "unfinished">; metrics: Metrics; clock: Clock };

export function openJobCounts({ rows, metrics, clock }: CountsDeps): JobCounts {
  let known: UnfinishedJobs[] | null = null;
  const of = (state: JobStatus) => known?.find(({ status }) => status === state);
  metrics.observe("loquat_jobs", () =>
    known === null
      ? []
      : UNFINISHED_STATUSES.map((state) => ({ labels: { state }, value: of(state)?.count ?? 0 })),
  );
  metrics.observe("loquat_job_oldest_wait_seconds", () => {
    if (known === null) return [];
    const oldestAt = of("queued")?.oldestAt ?? null;
    const value = oldestAt === null ? 0 : Math.max(0, clock.now() / 1000 - oldestAt);
    return [{ labels: {}, value }];
  });
  const { run, ...counting } = repeating(
    EVERY_MS,
    async () => {
      known = await rows.unfinished();
    },
    () => {
      known = null; // no numbers are better than old ones; others report the database
    },
  );
  void run();
  return { look: run, ...counting };
}
