/**
 * A pool of worker threads: the only file that uses Piscina on the server's side.
 *
 * A running task is never aborted and its thread never terminated, because native code may be running in it.
 * Cancellation is a shared flag that the worker reads, and closing waits for what loads, since a thread that ended while it
 * loads would hold the mutex forever, and up to 30 seconds for what runs.
 *
 * A thread that ends is replaced at once; where one after another does, the pool refuses tasks for a while (`back-off.ts`).
 */
import { fileURLToPath } from "node:url";
import type { Worker } from "node:worker_threads";
import { Piscina } from "piscina";
import { endsWithin } from "../../clock.ts";
import { workerName } from "../../resources.ts";
import { TransientSet } from "../../transient.ts";
import { openBackOff } from "../back-off.ts";
import type { EngineWork, Work } from "../protocol/task.ts";
import {
  CLOSE_LIMIT_MS,
  closing,
  type Runner,
  type RunnerOptions,
  restarting,
  StartFailure,
} from "../runner.ts";
import { awaited } from "../scheduler.ts";

/** For `withMutex`: shared by every thread of this process. */
const mutex = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));

/**
 * `data` is the `workerData` of every thread; `concurrency` is how many tasks a thread works on at once. The pool starts
 * with `sizeMin` threads and adds one, up to `size`, when a task finds all of them busy. Default: it starts with all.
 */
type PoolOptions = RunnerOptions & { data?: object; concurrency?: number; sizeMin?: number };

export function openThreadPool<W extends Work = EngineWork>(worker: URL, options: PoolOptions): Runner<W> {
  const { ended } = options;
  const piscina = openPiscina(worker, options);
  const allLoaded = watchLoading(piscina);
  const pending = new TransientSet<(reason: unknown) => void>();
  /** Where no thread is left, none is started before the next task: those that wait would never end. */
  const failIfNoneIsLeft = (reason: unknown) => {
    if (piscina.threads.length > 0) return;
    for (const fail of pending) fail(new StartFailure(reason as Error));
  };
  const backOff = openBackOff({ worker: workerName(worker), kind: "thread" }, ended);
  let lastReason: unknown = new Error("the engine's thread ended");
  piscina.on("error", (reason: unknown) => {
    failIfNoneIsLeft(reason);
    lastReason = reason;
  });
  piscina.on("workerDestroy", () => {
    if (!closed) backOff.ended();
  });
  let hasSucceeded = false;
  let closed = false;
  const { promise: idle, resolve: isIdle } = Promise.withResolvers<void>();
  return {
    async run(task, transfer = []) {
      if (closed) throw closing();
      const leftMs = backOff.leftMs();
      if (leftMs > 0) throw hasSucceeded ? restarting(leftMs) : new StartFailure(lastReason as Error);
      const { promise: failed, reject } = Promise.withResolvers<never>();
      pending.add(reject);
      try {
        // without a signal: Piscina gives a thread that runs a task with one no other task
        const result = await Promise.race([piscina.run(task, { transferList: transfer as never }), failed]);
        hasSucceeded = true;
        backOff.succeeded();
        return result;
      } catch (error) {
        lastReason = error;
        failIfNoneIsLeft(error); // of a thread that dies with a task, the pool reports only the task
        throw error;
      } finally {
        pending.delete(reject);
        if (closed && pending.size === 0) isIdle();
      }
    },
    async [Symbol.asyncDispose]() {
      closed = true;
      if (pending.size === 0) isIdle();
      // not by Piscina's `close`, which counts a finished task several times and so ends threads that still run others
      await endsWithin(CLOSE_LIMIT_MS, idle);
      await allLoaded();
      await piscina.destroy();
    },
  };
}

function openPiscina(
  worker: URL,
  { size, sizeMin = size, data = {}, concurrency = 1 }: PoolOptions,
): Piscina {
  return new Piscina({
    filename: fileURLToPath(worker),
    minThreads: sizeMin,
    maxThreads: size,
    idleTimeout: Number.POSITIVE_INFINITY, // a thread that ended would count as one that died
    concurrentTasksPerWorker: concurrency,
    workerData: { mutex, awaited, ...data },
    atomics: "disabled", // the default blocks the thread while asynchronous work runs
  });
}

/** Returns what waits until every thread of a new pool has loaded or failed, those that it added since included. */
function watchLoading(piscina: Piscina): () => Promise<void> {
  const loaded = Promise.all(piscina.threads.map(loadedOrFailed));
  const known = new Set<number>(); // the first threads, and those that are loaded
  piscina.on("workerCreate", ({ id }: { id: number }) => known.add(id));
  return async () => {
    const added = piscina.threads.filter(({ threadId }) => !known.has(threadId));
    await Promise.all([loaded, ...added.map(loadedOrFailed)]);
  };
}

/** A thread's first message says that its module is loaded; an error or exit, that it never will be. */
function loadedOrFailed(thread: Worker): Promise<void> {
  return new Promise((resolve) => {
    for (const event of ["message", "error", "exit"]) thread.once(event, () => resolve());
  });
}
