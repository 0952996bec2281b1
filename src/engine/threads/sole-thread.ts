/**
 * One thread that answers its tasks in order, without a pool between, for tasks of a fraction of a millisecond: a pool takes
 * three times as long to hand one over as the thread itself.
 *
 *   run ──task──> thread ──its answer──> the task that has waited longest
 *
 * A thread that ends fails what waits, and the next task starts another one, after a pause where many end.
 */
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { workerName } from "../../resources.ts";
import { openBackOff } from "../back-off.ts";
import type { Work } from "../protocol/task.ts";
import { closing, type Runner, type RunnerOptions, StartFailure } from "../runner.ts";

/** What a thread sends, once when its module is loaded, then for each task. */
export type FromThread = "loaded" | { result: unknown } | { error: unknown };

type Waiting = { promise: Promise<unknown>; resolve(result: never): void; reject(reason: unknown): void };
type SoleOptions = Pick<RunnerOptions, "ended"> & { data: object };

/** `worker`: a script that calls `answerTasks`. `data`: its `workerData`. */
export function openSoleThread<W extends Work>(worker: URL, { ended, data }: SoleOptions): Runner<W> {
  const backOff = openBackOff({ worker: workerName(worker), kind: "thread" }, ended);
  const waiting: Waiting[] = [];
  let lastReason = new Error("the thread ended");
  let closed = false;

  function start() {
    const thread = new Worker(fileURLToPath(worker), { workerData: data });
    const { promise: loaded, resolve: isLoaded } = Promise.withResolvers<void>();
    thread.on("message", (message: FromThread) => {
      if (message === "loaded") return isLoaded();
      const { resolve, reject } = waiting.shift()!;
      if ("error" in message) return reject(message.error);
      backOff.succeeded();
      resolve(message.result as never);
    });
    thread.on("error", (reason: Error) => {
      lastReason = reason;
    });
    thread.on("exit", () => {
      isLoaded();
      current = null;
      if (!closed) backOff.ended();
      for (const { reject } of waiting.splice(0)) reject(new StartFailure(lastReason));
    });
    return { thread, loaded };
  }
  let current: ReturnType<typeof start> | null = start();

  return {
    async run(task) {
      if (closed) throw closing();
      if (backOff.leftMs() > 0) throw new StartFailure(lastReason);
      const { promise, resolve, reject } = Promise.withResolvers<never>();
      waiting.push({ promise, resolve, reject });
      current ??= start();
      current.thread.postMessage(task);
      return promise;
    },
    async [Symbol.asyncDispose]() {
      closed = true;
      await Promise.allSettled(waiting.map(({ promise }) => promise));
      await current?.loaded;
      await current?.thread.terminate();
    },
  };
}
