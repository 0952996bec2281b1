/** How many jobs of an organization may wait, and the rows of work that keep to how many of them may run. */
import { Refusal } from "../errors.ts";
import { type Limits, RUNNING_JOBS_MAX } from "../plans.ts";
import type { Rules } from "../work/decisions.ts";

/** Kinds that rows of work had before an organization could have limits of its own. */
const EARLIER = { job_free: 1, job_paid: 2, job_unmetered: 2 };

/** Of the rows of work, since the rows of a kind share their rules: how many of one organization run, at all nodes. */
export const JOB_KINDS: ReadonlyMap<string, number> = new Map([
  ...Object.entries(EARLIER),
  ...Array.from({ length: RUNNING_JOBS_MAX }, (_, at) => [`job_${at + 1}`, at + 1] as const),
]);

export const jobKindOf = ({ runningJobs }: Pick<Limits, "runningJobs">): string => `job_${runningJobs}`;

/** At one node, of each kind: each holds some minutes of samples and a decoder. */
const AT_ONCE_MIN = 4;
/** Beside those of an organization that runs all it may. */
const FOR_OTHERS = 2;
const SECOND_MS = 1000;
/** After an attempt that failed, counted from 1. */
const PAUSES_MS = [10 * SECOND_MS, 120 * SECOND_MS];
const PAUSE_MAX_MS = 60 * SECOND_MS;

/** Its own end decides when a job is given up: an attempt more than there can be would lose it. */
export const jobRules = (running: number): Rules => ({
  attemptsMax: Number.MAX_SAFE_INTEGER,
  pauseMs: (attempts) => PAUSES_MS[attempts - 1] ?? PAUSE_MAX_MS,
  atOnce: Math.max(AT_ONCE_MIN, running + FOR_OTHERS),
  groupAtOnce: running,
});

const RETRY_SECONDS = 30;

export const tooManyJobs = ({ waitingJobs }: Pick<Limits, "waitingJobs">): Refusal =>
  new Refusal(
    "too_many_jobs",
    `Your organization may have ${waitingJobs === 1 ? "1 job that waits" : `${waitingJobs} jobs that wait`}. Wait for one to begin, or cancel one.`,
    { retryAfterSeconds: RETRY_SECONDS },
  );
