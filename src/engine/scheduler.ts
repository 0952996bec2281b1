/**
 * The order in which tasks reach an engine: live audio first, then organizations in turn, for each of them streamed tasks
 * before those that can wait, then its requests in turn. So a long text never delays another caller's first words, and no
 * flood of streams delays another organization's files.
 *
 *   org A: request 1 (streamed) ▒▒▒▒▒   request 2 (streamed) ▒   request 4 (batch) ▒        next: A1, B3, A2, B3, A1 … A4
 *   org B: request 3 (batch) ▒▒
 *
 * In each round, every waiting organization has one turn; one that joins during a round still gets its turn in it. At most
 * `queueMax` tasks wait, and one organization holds at most half of these places; beyond that, a task is refused at once.
 * When all places are taken, an organization with fewer of them displaces the last task of one with the most. A task whose
 * caller leaves is removed at once.
 */
import type { Transferable } from "node:worker_threads";
import { inSpan } from "../tracing.ts";
import type { Claim } from "./claim.ts";
import { queueFull, type Runner, type RunnerOptions } from "./runner.ts";
import { openCounts, openWaitingTasks, type WaitingTask, type WaitingTasks } from "./waiting-tasks.ts";

/** Tasks that an engine works on, and those that wait for it. */
export type Load = { running: number; waiting: number };

export type Scheduler = AsyncDisposable & {
  run<T>(task: object, claim: Claim, transfer?: Transferable[]): Promise<T>;
  load(): Load;
};

/** How long a task waited and ran, whether or not it succeeded. */
export type TaskTimes = { urgency: Claim["urgency"]; waitedMs: number; ranMs: number };

/**
 * `shareMax` of the tasks that run may be one organization's. `ran` is called after each task. `traced`: the name of the
 * engine in the spans of its tasks; without it they have none.
 */
type QueueOptions = RunnerOptions & { shareMax?: number; ran?: (times: TaskTimes) => void; traced?: string };

export function openScheduler(
  runner: Runner,
  { size, queueMax, reserved = 0, shareMax = size, ran, traced }: QueueOptions,
): Scheduler {
  const waiting = openWaitingTasks();
  const shares = openCounts();
  let running = 0;

  const count = ({ organization }: Claim, change: 1 | -1) => {
    running += change;
    shares.change(organization, change);
  };
  const mayRun = (urgency: Claim["urgency"], organization: string) =>
    running < (urgency === "realtime" ? size : size - reserved) && shares.of(organization) < shareMax;
  const feed = () => {
    for (let task = waiting.next(mayRun); task; task = waiting.next(mayRun)) {
      count(task.claim, 1);
      task.start();
    }
  };

  /** Ensures that there is a place for the task to wait, or throws. */
  const makeRoom = (claim: Claim) => {
    if (mayRun(claim.urgency, claim.organization)) return;
    if (waiting.lengthOf(claim.organization) >= queueMax / 2) throw queueFull();
    if (waiting.length() < queueMax) return;
    const displaced = waiting.lastOfMost(claim);
    if (!displaced) throw queueFull();
    displaced.refuse();
  };

  return {
    async run(task, claim, transfer = []) {
      claim.signal.throwIfAborted();
      makeRoom(claim);
      const trace = traced === undefined ? null : claim.trace;
      const attributes = trace ? { "loquat.engine": traced!, "loquat.urgency": claim.urgency } : {};
      const arrivedMs = performance.now();
      const turn = waitFor(waiting, claim);
      feed();
      await inSpan(trace, ["queue", attributes], () => turn);
      const begunMs = performance.now();
      try {
        return await inSpan(trace, ["engine", attributes], () => runner.run(task, transfer));
      } finally {
        count(claim, -1);
        feed();
        ran?.({
          urgency: claim.urgency,
          waitedMs: begunMs - arrivedMs,
          ranMs: performance.now() - begunMs,
        });
      }
    },
    load: () => ({ running, waiting: waiting.length() }),
    [Symbol.asyncDispose]: () => runner[Symbol.asyncDispose](),
  };
}

/** Resolves when it is this claim's turn; rejects when the caller leaves or another task takes the place. */
function waitFor(waiting: WaitingTasks, claim: Claim): Promise<void> {
  return new Promise((resolve, reject) => {
    const leave = () => {
      waiting.remove(task);
      reject(claim.signal.reason);
    };
    const task: WaitingTask = {
      claim,
      start() {
        claim.signal.removeEventListener("abort", leave);
        resolve();
      },
      refuse() {
        claim.signal.removeEventListener("abort", leave);
        waiting.remove(task);
        reject(queueFull());
      },
    };
    claim.signal.addEventListener("abort", leave, { once: true });
    waiting.add(task);
  });
}
