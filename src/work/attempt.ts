/** One attempt at a row of work: calls its handler, and writes what becomes of the row. Never throws. */
import type { Clock } from "../clock.ts";
import type { NewWork, Settlement, WorkRow, WorkRows } from "../db/queries/work-rows.ts";
import type { Log } from "../log/log.ts";
import { afterFailure, type Ended, type Failure, givenBack, isAttempted, type Rules } from "./decisions.ts";

/** `attempts` counts this one. */
type Task = Pick<WorkRow, "id" | "payload" | "attempts"> & {
  /** Aborted when the node stops or has lost its lease: what rejects then is given back, and not counted. */
  signal: AbortSignal;
};

/** How rows of a kind are done. Each is done at least once: again if its process ended before the row was. */
export type Handler = {
  rules: Rules;
  /** The rows that it resolves to are added in the transaction that ends its own. A rejection is a failed attempt. */
  attempt(task: Task): Promise<NewWork[]>;
  /** What a rejection means; without it, another attempt after the pause. */
  failureOf?(cause: unknown): Failure;
  /** Logs a rejection in the words of its kind. `again`: whether it is attempted again. */
  failed?(cause: unknown, after: { id: string; again: boolean }): void;
};

type AttemptDeps = { rows: Pick<WorkRows, "settle">; clock: Clock; log: Log };

type Attempt = { row: WorkRow; handler: Handler; signal: AbortSignal };

/** `over`: called when the attempt is over, before that is written; it never rejects. */
export async function attemptRow(
  deps: AttemptDeps,
  attempt: Attempt,
  over: () => Promise<void>,
): Promise<Ended> {
  const { row } = attempt;
  const { to, ended } = await outcomeOf(deps, attempt);
  await over();
  try {
    await deps.rows.settle(row, to);
  } catch (cause) {
    deps.log.warn("work_failed", { ...nameOf(row), again: true, cause }); // once its lease is over
  }
  return ended;
}

const nameOf = ({ id, kind, attempts }: WorkRow) => ({ id, kind, attempts });

async function outcomeOf(
  { clock, log }: AttemptDeps,
  { row, handler, signal }: Attempt,
): Promise<{ to: Settlement; ended: Ended }> {
  const { id, payload, attempts } = row;
  const { rules } = handler;
  if (!isAttempted(row, rules)) {
    log.error("work_given_up", nameOf(row)); // as one that ends its process
    return { to: { isEnded: true }, ended: "given_up" };
  }
  try {
    const adds = await handler.attempt({ id, payload, attempts, signal });
    return { to: { isEnded: true, adds }, ended: "done" };
  } catch (cause) {
    if (signal.aborted) return { to: givenBack(row, clock.now()), ended: "again" };
    const to = afterFailure(row, rules, { ...handler.failureOf?.(cause), nowMs: clock.now() });
    const again = !to.isEnded;
    if (handler.failed) handler.failed(cause, { id, again });
    else if (again) log.warn("work_failed", { ...nameOf(row), again, cause });
    else log.error("work_given_up", { ...nameOf(row), cause });
    return { to, ended: again ? "again" : "given_up" };
  }
}
