/**
 * A pool of worker threads: the one door to Piscina.
 *
 * A running task is never aborted and its thread never terminated, for native code may be in it: cancellation is a
 * shared flag that the worker reads, and closing waits for what runs or loads: a thread ended while it loads would
 * hold what it had `inTurn` for ever.
 */
import { fileURLToPath } from "node:url";
import type { Worker } from "node:worker_threads";
import { Piscina } from "piscina";
import { closing, queueFull, type Runner, type RunnerOptions } from "./runner.ts";

/** For `inTurn`: every thread of this process has the same one. */
const turn = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));

/** `data` is what every thread of the pool is told at its start; `together` is how many tasks a thread works on at once. */
type PoolOptions = RunnerOptions & { data?: object; together?: number };

export function openThreadPool(
  worker: URL,
  { size, queueMax, data = {}, together = 1 }: PoolOptions,
): Runner {
  const piscina = new Piscina({
    filename: fileURLToPath(worker),
    minThreads: size,
    maxThreads: size,
    concurrentTasksPerWorker: together,
    maxQueue: queueMax,
    workerData: { turn, ...data },
    atomics: "disabled", // the default parks the thread under asynchronous work
  });
  const loaded = Promise.all(piscina.threads.map(saidSomething));
  const pending = new Set<(reason: unknown) => void>();
  piscina.on("error", (reason) => {
    if (piscina.threads.length > 0) return;
    for (const fail of pending) fail(reason); // no thread could start: nobody else would ever answer
  });
  let closed = false;
  return {
    async run(task, transfer = []) {
      if (closed) throw closing();
      if (piscina.queueSize >= queueMax) throw queueFull();
      const { promise: failed, reject } = Promise.withResolvers<never>();
      pending.add(reject);
      try {
        // without a signal: a thread that runs a task with one is given no other
        return await Promise.race([piscina.run(task, { transferList: transfer as never }), failed]);
      } finally {
        pending.delete(reject);
      }
    },
    async [Symbol.asyncDispose]() {
      closed = true;
      await loaded;
      await piscina.close();
    },
  };
}

/** A thread's first word is that its module is loaded; its last, that it never will be. */
function saidSomething(thread: Worker): Promise<void> {
  return new Promise((resolve) => {
    for (const event of ["message", "error", "exit"]) thread.once(event, () => resolve());
  });
}
