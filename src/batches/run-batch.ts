/**
 * The steps of a batch, each done by a node that has its lease. What an earlier step did, here or at another node, is not done again.
 *
 *   validating ──> in progress: a job of each line ──> all have ended ──> finalizing: output and errors as files ──> completed
 *        └── failed      └── late, or cancelled: its jobs are cancelled first ──> expired, cancelled
 */
import type { Accounts } from "../accounts/accounts.ts";
import type { Principal } from "../accounts/principal.ts";
import { type Clock, unixSeconds } from "../clock.ts";
import type { BatchLine } from "../db/queries/batch-lines.ts";
import type { BatchRow, BatchRows } from "../db/queries/batch-rows.ts";
import type { NewWork } from "../db/queries/work-rows.ts";
import { Refusal, toRefusal } from "../errors.ts";
import type { Raise } from "../events/raising.ts";
import { newId } from "../ids.ts";
import { isUnfinished } from "../job-statuses.ts";
import type { Jobs } from "../jobs/jobs.ts";
import type { Log } from "../log/log.ts";
import type { Handler } from "../work/attempt.ts";
import { type OutputDeps, writeOutput } from "./batch-output.ts";
import { type BatchEndpoint, stepOf } from "./batches.ts";
import { type BatchFault, checkedLines, faultsIn, type Line } from "./input-lines.ts";

export type BatchRunnerDeps = OutputDeps & {
  rows: BatchRows;
  accounts: Pick<Accounts, "principalOfStarter">;
  jobs: Pick<Jobs, "find" | "cancel" | "read">;
  /** Makes the job that a line asks for. Refuses as the request would be. */
  makeJob(principal: Principal, asked: AskedByLine): Promise<unknown>;
  raise: Raise;
  clock: Clock;
  log: Log;
};

/** `body`: of the request that the line is in place of. */
type AskedByLine = { endpoint: BatchEndpoint; body: Record<string, unknown>; line: BatchLine };

const SECOND_MS = 1000;
/** Between two looks at what has become of the jobs: longer for a batch that takes long. */
const LOOKS_MS = [SECOND_MS, 2 * SECOND_MS, 5 * SECOND_MS, 15 * SECOND_MS];
/** Of lines, until it is looked whether the batch was cancelled. */
const AT_A_TIME = 100;
const AFTER_FAILURE_MS = 30 * SECOND_MS;

export const batchHandler = (deps: BatchRunnerDeps): Handler => ({
  rules: {
    attemptsMax: Number.MAX_SAFE_INTEGER,
    pauseMs: () => AFTER_FAILURE_MS,
    ...{ atOnce: 2, groupAtOnce: 1 },
  },
  async attempt({ payload, signal }) {
    const { batch: id, step } = JSON.parse(payload) as { batch: string; step: number };
    const batch = await deps.rows.get(id);
    if (batch === null) return [];
    const next = await stepped(deps, batch, signal);
    return next === null ? [] : [nextStep(deps, batch, { step, afterMs: next })];
  },
  failed: (cause, after) => deps.log.warn("batch_step_failed", { ...after, cause }),
});

const nextStep = (
  { clock }: BatchRunnerDeps,
  batch: BatchRow,
  { step, afterMs }: { step: number; afterMs: number },
): NewWork => stepOf(batch, { step: step + 1, dueMs: clock.now() + afterMs });

/** After how many milliseconds the next step is due; null: it has ended. */
async function stepped(deps: BatchRunnerDeps, batch: BatchRow, signal: AbortSignal): Promise<number | null> {
  switch (batch.status) {
    case "validating":
      return validate(deps, batch);
    case "in_progress":
      return advance(deps, batch, signal);
    case "cancelling":
      return (await stopJobs(deps, batch)) ? finish(deps, batch, { as: "cancelled", signal }) : SECOND_MS;
    case "finalizing":
      return finish(deps, batch, { as: "completed", signal });
    default:
      return null;
  }
}

/** Nothing deletes it while the batch reads it. */
const inputOf = ({ files }: BatchRunnerDeps, { inputFileId }: BatchRow) => files.content({ id: inputFileId });

/** Of an input that could not be read for so long. */
const LATE = {
  faults: [
    {
      code: "batch_expired",
      message: "The input could not be read within 24 hours.",
      line: null,
      param: null,
    },
  ],
  lines: 0,
};

async function validate(deps: BatchRunnerDeps, batch: BatchRow): Promise<number | null> {
  const { rows, accounts, clock } = deps;
  const now = unixSeconds(clock);
  const isLate = now >= batch.expiresAt;
  const { faults, lines } = isLate ? LATE : await faultsIn(inputOf(deps, batch), batch.endpoint);
  const refused = faults.length > 0 ? null : await refusalOf(accounts.principalOfStarter(batch.keyId));
  if (refused !== null) faults.push(refused);
  if (faults.length === 0) {
    await rows.change(batch, { status: "in_progress", lines, inProgressAt: now });
    return 0;
  }
  const { id, organizationId, projectId } = batch;
  const raised = deps.raise({ type: "batch.failed", organizationId, projectId, data: { id } });
  const errors = JSON.stringify(faults);
  return (await rows.end(batch, { status: "failed", errors, endedAt: now, raised })) ? null : 0;
}

async function refusalOf(principal: Promise<Principal>): Promise<BatchFault | null> {
  try {
    await principal;
    return null;
  } catch (cause) {
    if (!(cause instanceof Refusal)) throw cause;
    return { code: cause.code, message: cause.message, line: null, param: null };
  }
}

async function advance(deps: BatchRunnerDeps, batch: BatchRow, signal: AbortSignal): Promise<number | null> {
  const { rows, clock } = deps;
  const now = unixSeconds(clock);
  if (now >= batch.expiresAt)
    return (await stopJobs(deps, batch)) ? finish(deps, batch, { as: "expired", signal }) : SECOND_MS;
  const { unfinished, completed: completedLines, failed: failedLines } = await countsOf(deps, batch);
  if (unfinished + completedLines + failedLines < batch.lines) {
    await makeJobs(deps, batch, signal);
    return 0;
  }
  if (unfinished > 0) {
    await rows.change(batch, { completedLines, failedLines });
    const look = Math.min(LOOKS_MS.length - 1, Math.floor(Math.log2(1 + (now - batch.createdAt) / 15)));
    return LOOKS_MS[look]!;
  }
  await rows.change(batch, { status: "finalizing", finalizingAt: now, completedLines, failedLines });
  return 0;
}

async function countsOf({ rows }: Pick<BatchRunnerDeps, "rows">, { id }: BatchRow) {
  const counts = { unfinished: 0, completed: 0, failed: 0 };
  for (const { status, count } of await rows.counts(id)) {
    const isSuccess = status === "completed" || status === "expired";
    if (status !== null && isUnfinished({ status })) counts.unfinished += count;
    else counts[isSuccess ? "completed" : "failed"] += count;
  }
  return counts;
}

/** Jobs of the lines that have none yet, until the batch is cancelled. */
async function makeJobs(deps: BatchRunnerDeps, batch: BatchRow, signal: AbortSignal): Promise<void> {
  const { rows, accounts } = deps;
  const last = await rows.lastLine(batch.id);
  let made = 0;
  let principal: Principal | null = null;
  for await (const line of checkedLines(inputOf(deps, batch), batch.endpoint, last + 1)) {
    signal.throwIfAborted();
    if (made++ % AT_A_TIME === 0) {
      if ((await rows.get(batch.id))?.status !== "in_progress") return;
      principal = await accounts.principalOfStarter(batch.keyId);
    }
    await begin(deps, { batch, principal: principal! }, line);
  }
}

type Making = { batch: BatchRow; principal: Principal };

/** What is refused for good is the line's answer; what may be better later ends the step. */
async function begin(
  { rows, makeJob, answer, clock }: BatchRunnerDeps,
  { batch, principal }: Making,
  { line, customId, body }: Line,
): Promise<void> {
  try {
    const endpoint = batch.endpoint as BatchEndpoint;
    await makeJob(principal, { endpoint, body, line: { batchId: batch.id, line, customId } });
  } catch (cause) {
    if (!(cause instanceof Refusal)) throw cause;
    const refusal = answer(toRefusal(cause), newId("req", clock));
    if (refusal.status_code >= 500 || refusal.status_code === 429) throw cause;
    await rows.refuse({ batchId: batch.id, line, customId, jobId: null, answer: JSON.stringify(refusal) });
  }
}

/** Whether all have ended. */
async function stopJobs({ rows, jobs }: BatchRunnerDeps, batch: BatchRow): Promise<boolean> {
  const running = await rows.running(batch.id, AT_A_TIME);
  for (const id of running) {
    const job = await jobs.find(batch, id);
    if (job !== null) await jobs.cancel(job);
  }
  return running.length === 0;
}

type Ending = { as: "completed" | "expired" | "cancelled"; signal: AbortSignal };

async function finish(
  deps: BatchRunnerDeps,
  batch: BatchRow,
  { as, signal }: Ending,
): Promise<number | null> {
  const { rows, accounts, clock } = deps;
  const principal = await accounts.principalOfStarter(batch.keyId, { isDone: true });
  const output = await writeOutput(deps, { batch, principal, as, signal });
  const { id, organizationId, projectId } = batch;
  const raised = deps.raise({ type: `batch.${as}`, organizationId, projectId, data: { id } });
  const { completed: completedLines, failed: failedLines } = await countsOf(deps, batch);
  const ended = { status: as, endedAt: unixSeconds(clock), completedLines, failedLines, ...output, raised };
  return (await rows.end(batch, ended)) ? null : 0;
}
