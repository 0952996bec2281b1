/**
 * The order in which tasks reach an engine: live audio first, then organizations in turn, and in each of them what its
 * listeners need first. So a long text delays nobody's first words, and no flood delays another organization's files.
 *
 *   listener 1   ▶ played │ synthesized │  s3 is due here                  now ──┐
 *   listener 2                 s0 is due at once (no sound yet)                  │
 *
 *   org A: A2's s0 (due)   A1's s3 (listener has sound)   A4 (batch)             next: A2, B3, B3 … A1, A4
 *   org B: B3 B3 (batch)
 *
 * In each round, every waiting organization has one turn; one that joins during a round still gets its turn in it. Those
 * with a task that is due come first, and while there is one, what listeners do not need yet is left out of the rounds. A
 * streamed task is due when its listener has played everything before it, less the time that tasks take; a batch task,
 * a minute after it came. So everything is due at some time, and then has its turn within a round: nothing starves.
 *
 * At most `queueMax` tasks wait, and one organization holds at most half of these places; beyond that, a task is refused at
 * once. When all places are taken, an organization with fewer of them displaces the last task of one with the most. A task
 * whose caller leaves is removed at once.
 */
import type { Transferable } from "node:worker_threads";
import { inSpan } from "../tracing.ts";
import type { Claim } from "./claim.ts";
import type { WaitingTask } from "./queue/organization-tasks.ts";
import type { Position } from "./queue/position.ts";
import { openCounts, openWaitingTasks, type WaitingTasks } from "./queue/waiting-tasks.ts";
import { queueFull, type Runner, type RunnerOptions } from "./runner.ts";

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
 * engine in the spans of its tasks; without it they have none. `now` is a clock in milliseconds.
 */
type QueueOptions = RunnerOptions & {
  shareMax?: number;
  ran?: (times: TaskTimes) => void;
  traced?: string;
  now?: () => number;
};

const LEAD_MIN_MS = 500;
const LEAD_RUNS = 2; // one task that runs already, and the task itself
const WEIGHT = 0.1; // of the last run in the mean

export function openScheduler(runner: Runner, options: QueueOptions): Scheduler {
  const { queueMax, ran, traced, now = () => performance.now() } = options;
  const waiting = openWaitingTasks();
  const places = openPlaces(options);
  const lead = openLead();

  const feed = () => {
    const next = () => waiting.next(places.areFree, lead.from(now()));
    for (let task = next(); task; task = next()) {
      places.change(task.position, 1);
      task.start();
    }
  };

  /** Ensures that there is a place for the task to wait, or throws. */
  const makeRoom = (claim: Claim) => {
    if (places.areFree(claim.urgency, claim.organization)) return;
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
      const arrivedMs = now();
      const turn = waitFor(waiting, claim, arrivedMs);
      feed();
      await inSpan(trace, ["queue", attributes], () => turn);
      const begunMs = now();
      try {
        return await inSpan(trace, ["engine", attributes], () => runner.run(task, transfer, claim));
      } finally {
        const ranMs = now() - begunMs;
        places.change(claim, -1);
        if (claim.urgency !== "realtime") lead.ran(ranMs);
        feed();
        ran?.({ urgency: claim.urgency, waitedMs: begunMs - arrivedMs, ranMs });
      }
    },
    load: () => ({ running: places.running(), waiting: waiting.length() }),
    [Symbol.asyncDispose]: () => runner[Symbol.asyncDispose](),
  };
}

/** The places of an engine: how many of its tasks run, and for whom. */
function openPlaces({ size, sizeNow = () => size, reserved = 0, shareMax }: QueueOptions) {
  const shares = openCounts();
  let running = 0;
  return {
    change({ organization }: Position, by: 1 | -1): void {
      running += by;
      shares.change(organization, by);
    },
    areFree: (urgency: Claim["urgency"], organization: string) =>
      running < sizeNow() - (urgency === "realtime" ? 0 : reserved) &&
      shares.of(organization) < (shareMax ?? sizeNow()),
    running: () => running,
  };
}

/** How long before its listener runs out of sound a task counts as due: what tasks have taken lately. */
function openLead() {
  let meanRunMs = 0;
  return {
    from: (nowMs: number) => ({ nowMs, byMs: nowMs + Math.max(LEAD_MIN_MS, LEAD_RUNS * meanRunMs) }),
    ran(ranMs: number): void {
      meanRunMs += WEIGHT * (ranMs - meanRunMs);
    },
  };
}

/** Resolves when it is this claim's turn; rejects when the caller leaves or another task takes the place. */
function waitFor(waiting: WaitingTasks, claim: Claim, arrivedMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const leave = () => {
      waiting.remove(task);
      reject(claim.signal.reason);
    };
    const task: WaitingTask = {
      position: claim,
      arrivedMs,
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
