/**
 * A pool of worker threads: the one door to Piscina.
 *
 * A running task is never aborted and its thread never terminated, for native code may be in it: cancellation is a
 * shared flag that the worker reads, and closing waits for what runs.
 */
import { fileURLToPath } from "node:url";
import { Piscina } from "piscina";
import { closing, queueFull, type Runner, type RunnerOptions } from "./runner.ts";

export function openPool(worker: URL, { size, queueMax }: RunnerOptions): Runner {
  const piscina = new Piscina({
    filename: fileURLToPath(worker),
    minThreads: size,
    maxThreads: size,
    maxQueue: queueMax,
    atomics: "disabled", // the default parks the thread under asynchronous work
  });
  let closed = false;
  return {
    run(task, transfer = []) {
      if (closed) return Promise.reject(closing());
      if (piscina.queueSize >= queueMax) return Promise.reject(queueFull());
      return piscina.run(task, { transferList: transfer as never });
    },
    [Symbol.asyncDispose]() {
      closed = true;
      return piscina.close();
    },
  };
}
