/**
 * Runs tasks on other threads or processes: a pool of threads (`threads/thread-pool.ts`) or of processes (`process-pool.ts`).
 *
 * Who waits for a runner, and how long, is up to its scheduler. A closed runner refuses everything.
 */
import type { Transferable } from "node:worker_threads";
import { Refusal, retrySeconds } from "../errors.ts";
import type { WorkerEnded } from "./back-off.ts";
import type { Claim } from "./claim.ts";

/** `claim`: whose task it is, for runners that are not threads: a thread is cancelled by a flag of its task. */
export type Runner = AsyncDisposable & {
  run<T>(task: object, transfer?: Transferable[], claim?: Claim): Promise<T>;
};

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

/** A runner that its first task opens. */
export function lazily(open: () => Runner): Runner {
  let runner: Runner | null = null;
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
