/**
 * Lets the threads of an engine stop when the caller leaves: by a flag of each task, which they read between the steps of
 * their work. Tasks for engine nodes get theirs there.
 */
import type { Transferable } from "node:worker_threads";
import { type Claim, soleClaim } from "../claim.ts";
import type { Runner } from "../runner.ts";

export const stopping = (runner: Runner): Runner => ({
  async run<T>(task: object, transfer: Transferable[] = [], claim: Claim = soleClaim()) {
    const { signal } = claim;
    const cancel = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
    const stop = () => void Atomics.store(cancel, 0, 1);
    signal.addEventListener("abort", stop, { once: true });
    try {
      signal.throwIfAborted();
      return await runner.run<T>({ ...task, cancel }, transfer, claim);
    } finally {
      signal.removeEventListener("abort", stop);
      signal.throwIfAborted(); // what was stopped is incomplete, or has failed
    }
  },
  [Symbol.asyncDispose]: () => runner[Symbol.asyncDispose](),
});
