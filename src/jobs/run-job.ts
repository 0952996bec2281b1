/**
 * An attempt at a job by a node that has its lease. What was done before, here or at another node, is not done again.
 *
 *   begin ──> recognize ──> charge, whose id is the job's ──> completed, its event and the end of its input at once
 *         ──> speak a chapter ──> charge, whose id is the job's and its number ──> the next … ──> completed
 *                 ├── the input or the account is at fault: failed
 *                 ├── something else, or the node was killed: another attempt; after three failed
 *                 └── the node stops: given back
 */
import type { Accounts } from "../accounts/accounts.ts";
import type { Principal } from "../accounts/principal.ts";
import { type Clock, unixSeconds } from "../clock.ts";
import type { JobRow } from "../db/queries/job-rows.ts";
import { ERRORS } from "../error-codes.ts";
import { Refusal, toRefusal } from "../errors.ts";
import type { Raise } from "../events/raising.ts";
import type { Log } from "../log/log.ts";
import type { Handler } from "../work/attempt.ts";
import type { Work } from "../work/work-queue.ts";
import { type ChargingDeps, chargeRecording, payChapter } from "./charge-job.ts";
import { chaptersOf, owedIn } from "./job-chapters.ts";
import { jobRules } from "./job-limits.ts";
import { secondsIn } from "./job-recording.ts";
import { ended, type JobWatch } from "./job-watch.ts";
import { keptResult } from "./kept-result.ts";
import { type RecognizingDeps, recognizeJob } from "./recognize-job.ts";
import { type SpeakingDeps, speakJob } from "./speak-job.ts";
import { Superseded } from "./superseded.ts";

type JobRunnerDeps = RecognizingDeps &
  SpeakingDeps &
  ChargingDeps & {
    accounts: Pick<Accounts, "principalOfStarter" | "organization">;
    watch: JobWatch;
    work: Pick<Work, "wake">;
    /** Deletes contents that are not used any more. Returns at once, never throws. */
    clean: () => void;
    raise: Raise;
    clock: Clock;
    log: Log;
  };

const ATTEMPTS_MAX = 3;

/** `running`: how many of one organization run at once. */
export const jobHandler = (deps: JobRunnerDeps, running: number): Handler => ({
  rules: jobRules(running),
  async attempt(task) {
    await attemptJob(deps, task);
    return [];
  },
  failed: (cause, after) => deps.log.warn("job_attempt_failed", { ...after, cause }),
});

type Task = Parameters<Handler["attempt"]>[0];

async function attemptJob(deps: JobRunnerDeps, { id, attempts, signal }: Task): Promise<void> {
  const { rows, watch } = deps;
  const now = unixSeconds(deps.clock);
  const begun = await rows.begin(id, now);
  if (begun === null) return;
  if (attempts === 1) deps.metrics.record("loquat_job_wait_seconds", Math.max(0, now - begun.createdAt));
  const job = begun.isRecognized ? await settled(deps, begun) : begun;
  if (job === null) return;
  if (attempts > ATTEMPTS_MAX) return void (await fail(deps, job, gaveUp()));
  const stopping = new AbortController();
  const stop = () => stopping.abort(signal.reason);
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  const watched = watch.changed(id, "in_progress", stopping.signal).then(() => stopping.abort(ENDED));
  let principal: Principal;
  let recognized: JobRow;
  try {
    principal = await deps.accounts.principalOfStarter(job.keyId);
    recognized = await done(deps, job, { principal, signal: stopping.signal });
  } catch (cause) {
    signal.throwIfAborted();
    if ((await rows.statuses([id])).get(id) !== "in_progress") return;
    if (cause instanceof Superseded || (!isFinal(cause) && attempts < ATTEMPTS_MAX)) throw cause;
    if (!(await fail(deps, job, cause))) throw cause; // a chapter is owed, and is charged first
    return deps.log.warn("job_failed", { id, attempts, cause });
  } finally {
    signal.removeEventListener("abort", stop);
    stopping.abort(ENDED);
    await watched;
  }
  await finish(deps, recognized, principal);
}

type Running = { principal: Principal; signal: AbortSignal };

function done(deps: JobRunnerDeps, job: JobRow, running: Running): Promise<JobRow> {
  if (job.kind !== "speech") return recognizeJob(deps, job, running);
  const pay = (row: JobRow) => payChapter(deps, row, running.principal);
  return speakJob(deps, job, { ...running, pay });
}

/** What was done is charged, whatever has become of its key. Null: that was all of the job. */
async function settled(deps: JobRunnerDeps, job: JobRow): Promise<JobRow | null> {
  const principal = await deps.accounts.principalOfStarter(job.keyId, { isDone: true });
  if (owedIn(chaptersOf(job)) !== -1) return payChapter(deps, job, principal);
  await finish(deps, job, principal);
  return null;
}

const ENDED = new Error("the job has ended");

/** Whether another attempt would end alike: the input or the account is at fault. */
function isFinal(cause: unknown): boolean {
  if (!(cause instanceof Refusal) || cause.code === "url_unreachable") return false;
  const { status } = ERRORS[cause.code];
  return status < 500 && status !== 409 && status !== 429;
}

const gaveUp = () =>
  new Refusal("internal_error", "The job was interrupted three times, and is not tried again.");

/** False where it has ended meanwhile, or cannot fail. Chapters that were charged are kept. */
async function fail(deps: JobRunnerDeps, job: JobRow, cause: unknown): Promise<boolean> {
  const { rows, raise, clock } = deps;
  const { code, message } = toRefusal(cause);
  const { id, kind, organizationId, projectId } = job;
  const data = { id, kind, code };
  const raised = raise({ type: "audio.job.failed", organizationId, projectId, data });
  const completedAt = unixSeconds(clock);
  const errorMessage = job.isReadOnce ? null : message;
  const kept = job.kind === "speech" ? await keptResult(deps, job, completedAt) : {};
  const isFailed = await rows.fail(job, { completedAt, errorCode: code, errorMessage, raised, ...kept });
  if (isFailed) ended(deps, "failed");
  return isFailed;
}

/** Repeated until it is done: what is recognized is charged once, and never lost. */
async function finish(deps: JobRunnerDeps, job: JobRow, principal: Principal): Promise<void> {
  const { rows, raise, clock, metrics } = deps;
  const isSpeech = job.kind === "speech";
  const costMicros = isSpeech ? job.costMicros : await chargeRecording(deps, job, principal);
  const { id, kind, organizationId, projectId } = job;
  const raised = raise({ type: "audio.job.completed", organizationId, projectId, data: { id, kind } });
  const completedAt = unixSeconds(clock);
  const kept = await keptResult(deps, job, completedAt);
  if (!(await rows.complete(job, { completedAt, costMicros, raised, ...kept }))) return;
  if (!isSpeech)
    metrics.add("loquat_audio_seconds_total", secondsIn(job), { direction: "in", model: job.model });
  ended(deps, "completed");
}
