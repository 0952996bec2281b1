/**
 * An attempt at a job by a node that has its lease. What was done before, here or at another node, is not done again.
 *
 *   begin ──> recognize ──> charge, whose id is the job's ──> completed, its event and the end of its input at once
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
import { DAY_SECONDS, resultKept } from "../kept-data.ts";
import { type Charge, costOf } from "../ledger/booking/burn-down.ts";
import type { RequestLog } from "../ledger/booking/write.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { Log } from "../log/log.ts";
import { budgetsAt } from "../restrictions.ts";
import type { Handler } from "../work/attempt.ts";
import type { Work } from "../work/work-queue.ts";
import { jobRules } from "./job-limits.ts";
import { secondsIn } from "./job-recording.ts";
import { ended, type JobWatch } from "./job-watch.ts";
import { type RecognizingDeps, recognizeJob } from "./recognize-job.ts";
import { Superseded } from "./superseded.ts";

type JobRunnerDeps = RecognizingDeps & {
  accounts: Pick<Accounts, "principalOfStarter" | "organization">;
  ledger: Pick<Ledger, "charge" | "request">;
  /** Called after a charge that was deducted. */
  charged: (organizationId: string) => void;
  watch: JobWatch;
  work: Pick<Work, "wake">;
  /** Deletes contents that are not used any more. Returns at once, never throws. */
  clean: () => void;
  raise: Raise;
  clock: Clock;
  log: Log;
};

const ATTEMPTS_MAX = 3;

const ENDPOINTS = {
  transcription: "/v1/audio/transcriptions",
  translation: "/v1/audio/translations",
} as const satisfies Record<JobRow["kind"], string>;

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
  const job = await rows.begin(id, now);
  if (job === null) return;
  if (attempts === 1) deps.metrics.record("loquat_job_wait_seconds", Math.max(0, now - job.createdAt));
  if (job.isRecognized)
    return finish(deps, job, await deps.accounts.principalOfStarter(job.keyId, { isDone: true }));
  if (attempts > ATTEMPTS_MAX) return fail(deps, job, gaveUp());
  const stopping = new AbortController();
  const stop = () => stopping.abort(signal.reason);
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  const watched = watch.changed(id, "in_progress", stopping.signal).then(() => stopping.abort(ENDED));
  let principal: Principal;
  let recognized: JobRow;
  try {
    principal = await deps.accounts.principalOfStarter(job.keyId);
    recognized = await recognizeJob(deps, job, { principal, signal: stopping.signal });
  } catch (cause) {
    signal.throwIfAborted();
    if ((await rows.statuses([id])).get(id) !== "in_progress") return;
    if (cause instanceof Superseded || (!isFinal(cause) && attempts < ATTEMPTS_MAX)) throw cause;
    deps.log.warn("job_failed", { id, attempts, cause });
    return await fail(deps, job, cause);
  } finally {
    signal.removeEventListener("abort", stop);
    stopping.abort(ENDED);
    await watched;
  }
  await finish(deps, recognized, principal);
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

async function fail(deps: JobRunnerDeps, job: JobRow, cause: unknown): Promise<void> {
  const { rows, raise, clock } = deps;
  const { code, message } = toRefusal(cause);
  const { id, kind, organizationId, projectId } = job;
  const data = { id, kind, code };
  const raised = raise({ type: "audio.job.failed", organizationId, projectId, data });
  const completedAt = unixSeconds(clock);
  const errorMessage = job.isReadOnce ? null : message;
  if (await rows.fail(job, { completedAt, errorCode: code, errorMessage, raised })) ended(deps, "failed");
}

/** Repeated until it is done: what is recognized is charged once, and never lost. */
async function finish(deps: JobRunnerDeps, job: JobRow, principal: Principal): Promise<void> {
  const { rows, accounts, raise, clock, metrics } = deps;
  const costMicros = await charge(deps, job, principal);
  const { id, kind, organizationId, projectId } = job;
  const raised = raise({ type: "audio.job.completed", organizationId, projectId, data: { id, kind } });
  const completedAt = unixSeconds(clock);
  const { jobResultDays = null } = (await accounts.organization(organizationId)) ?? {};
  const { once: isReadOnce, days } = resultKept(jobResultDays, job.isReadOnce);
  const expiresAt = completedAt + days * DAY_SECONDS;
  if (!(await rows.complete(job, { completedAt, expiresAt, isReadOnce, costMicros, raised }))) return;
  metrics.add("loquat_audio_seconds_total", secondsIn(job), { direction: "in", model: job.model });
  ended(deps, "completed");
}

/** The ledger books an id once, however often it is sent. */
async function charge(
  { ledger, charged, clock }: JobRunnerDeps,
  job: JobRow,
  { caps }: Principal,
): Promise<number> {
  const { id, plan, organizationId, projectId, keyId, environment, requestId, model, priceMicros } = job;
  const createdAt = unixSeconds(clock);
  const quantity = secondsIn(job);
  const input: Charge = {
    ...{ id, plan, organizationId, projectId, keyId, environment, requestId, model, priceMicros, createdAt },
    ...{ endpoint: ENDPOINTS[job.kind], unit: "second", quantity },
    costMicros: costOf(quantity, priceMicros),
    ...(caps.length > 0 && { budgets: budgetsAt(caps, createdAt).periods }),
  };
  const request = await requestLogOf(ledger, job);
  const { costMicros } = await ledger.charge(input, request && { ...request, audioSeconds: quantity });
  if (plan === "prepaid") charged(organizationId);
  return costMicros;
}

/** The row of the request that made the job, which shows the cost; undefined where it was deleted since. */
async function requestLogOf(
  ledger: Pick<Ledger, "request">,
  { organizationId, requestId }: JobRow,
): Promise<RequestLog | undefined> {
  const row = await ledger.request(organizationId, requestId);
  if (row === null) return undefined;
  const { payment: _, ...log } = row;
  return log;
}
