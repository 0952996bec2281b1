/**
 * Runs tasks on other threads or processes: a pool of threads (`threads/thread-pool.ts`) or of processes (`process-pool.ts`).
 *
 * Who waits for a runner, and how long, is up to its scheduler. A closed runner refuses everything.
 */

import type { Transferable } from "node:worker_threads";
import { Refusal, retrySeconds } from "../errors.ts";
import type { Trace } from "../tracing/tracing.ts";
import type { WorkerEnded } from "./back-off.ts";
import {
  type EngineWork,
  isOf,
  type Kind,
  type ResultOf,
  type Task,
  type TaskOf,
  type Work,
} from "./protocol/task.ts";
import type { Position } from "./queue/engine-tasks.ts";

/** Whose task it is, and how long it may wait: what the scheduler orders tasks by. */
export type Claim = Position & {
  signal: AbortSignal;
  trace?: Trace | null;
  /** Called when its turn has come, and the engine works on it. */
  begun?: () => void;
  /**
   * Receives samples of a synthesis while it runs, in order, from engines that deliver them; the result is then the rest.
   * Without it an engine returns all samples.
   */
  early?: (samples: Float32Array) => void;
};

/** Made once: an error records the stack that it is made on. */
const NO_LONGER_NEEDED = new Error("the result is no longer needed");

/** The same claim, which its tasks can also be called back from before its caller leaves. */
export function recallable(claim: Claim): { claim: Claim; recall: () => void } {
  const controller = new AbortController();
  const left = () => controller.abort(claim.signal.reason);
  if (claim.signal.aborted) left();
  else claim.signal.addEventListener("abort", left, { once: true });
  return {
    claim: { ...claim, signal: controller.signal },
    recall() {
      claim.signal.removeEventListener("abort", left);
      controller.abort(NO_LONGER_NEEDED);
    },
  };
}

/** A claim for engines without other callers. */
export function soleClaim(signal = new AbortController().signal): Claim {
  return { urgency: "batch", organization: "", request: "", signal };
}

/** A flag for threads, which is set once the signal aborts or by `stop`; disposing of it leaves the signal alone. */
export function cancelFlag(signal: AbortSignal) {
  const cancel = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const stop = () => void Atomics.store(cancel, 0, 1);
  signal.addEventListener("abort", stop, { once: true });
  return { cancel, stop, [Symbol.dispose]: () => signal.removeEventListener("abort", stop) };
}

/**
 * `claim`: whose task it is, for runners that are not threads: a thread is cancelled by a flag of its task. `W`: the work
 * of a pool that is no engine's.
 */
export type Runner<W extends Work = EngineWork> = AsyncDisposable & {
  run<T extends W["task"]>(task: T, transfer?: Transferable[], claim?: Claim): Promise<ResultOf<T, W>>;
};

type RunOne<K extends Kind> = (
  task: TaskOf<K>,
  transfer?: Transferable[],
  claim?: Claim,
) => Promise<ResultOf<TaskOf<K>>>;

/** A runner whose tasks of one kind are run by `runOne`; all others go to `runner`, which is closed with it. */
export function withKind<K extends Kind>(runner: Runner, kind: K, runOne: RunOne<K>): Runner {
  function run<T extends Task>(task: T, transfer?: Transferable[], claim?: Claim): Promise<ResultOf<T>>;
  function run(task: Task, transfer?: Transferable[], claim?: Claim): Promise<ResultOf<Task>> {
    return isOf(task, kind) ? runOne(task, transfer, claim) : runner.run(task, transfer, claim);
  }
  return { run, [Symbol.asyncDispose]: () => runner[Symbol.asyncDispose]() };
}

/**
 * `ended` is called when a thread or process has ended that should not. `size` tasks at once, of which `reserved` places are for live speech only: a file may take minutes.
 * `spare`: so many more, each for an organization of which no task runs. `sizeNow`: the size of a runner whose size changes.
 */
export type RunnerOptions = {
  size: number;
  sizeNow?: () => number;
  reserved?: number;
  spare?: number;
  ended?: WorkerEnded | undefined;
};

/** How long closing waits for tasks that do not read their flag: the process has to end. */
export const CLOSE_LIMIT_MS = 30_000;

/** A runner that could not start, so that none of its tasks began. The message is that of its cause. */
export class StartFailure extends Error {
  constructor(cause: Error) {
    super(cause.message, { cause });
  }
}

/** `ms`: until the work ahead is done. */
export function busy(ms: number, cause?: unknown): Refusal {
  return new Refusal("service_unavailable", "The engines are busy. Try again in a moment.", {
    retryAfterSeconds: retrySeconds(ms),
    cause,
  });
}

export function closing(): Refusal {
  return new Refusal("service_unavailable", "The server is closing. Try again in a moment.", {
    retryAfterSeconds: 1,
  });
}

/** Between the removal of a package and the next look at the model store. */
export function removed(): Refusal {
  return new Refusal("service_unavailable", "This engine was just removed. Try again in a moment.", {
    retryAfterSeconds: 1,
  });
}

/** `ms`: when the engine is started again. */
export function restarting(ms: number): Refusal {
  return new Refusal(
    "service_unavailable",
    "The engine has stopped and is being restarted. Try again in a moment.",
    {
      retryAfterSeconds: Math.ceil(ms / 1000),
    },
  );
}

/** A function as a runner, whose work is of one type. */
export function runnerOf<Task extends object, Result>(
  work: (task: Task) => Promise<Result>,
): Runner<{ task: Task; result: Result }> {
  return { run: (task) => work(task) as Promise<never>, async [Symbol.asyncDispose]() {} };
}

/** A runner that its first task opens. */
export function lazily<W extends Work = EngineWork>(open: () => Runner<W>): Runner<W> {
  let runner: Runner<W> | null = null;
  return {
    run(task, transfer, claim) {
      runner ??= open();
      return runner.run(task, transfer, claim);
    },
    async [Symbol.asyncDispose]() {
      await runner?.[Symbol.asyncDispose]();
    },
  };
}

/** A runner that several hold: the first of them opens it, and it is closed with the last. */
export function shared(open: () => Runner): () => Runner {
  let runner: Runner | null = null;
  let holders = 0;
  return () => {
    const held = runner ?? open();
    runner = held;
    holders++;
    let isHeld = true;
    return {
      run: (task, transfer, claim) => (isHeld ? held.run(task, transfer, claim) : Promise.reject(closing())),
      async [Symbol.asyncDispose]() {
        if (!isHeld) return;
        isHeld = false;
        if (--holders > 0) return;
        runner = null;
        await held[Symbol.asyncDispose]();
      },
    };
  };
}
