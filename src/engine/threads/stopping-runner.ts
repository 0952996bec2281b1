/**
 * Lets the threads of an engine stop when the caller leaves: by a flag of each task, which they read between the steps of
 * their work. Tasks for engine nodes get theirs there.
 */
import type { Transferable } from "node:worker_threads";
import { type Claim, cancelFlag, soleClaim } from "../claim.ts";
import type { Runner } from "../runner.ts";

export const withStopping = (runner: Runner): Runner => ({
  async run<T>(task: object, transfer: Transferable[] = [], claim: Claim = soleClaim()) {
    const { signal } = claim;
    signal.throwIfAborted();
    using flag = cancelFlag(signal);
    try {
      return await runner.run<T>({ ...task, cancel: flag.cancel }, transfer, claim);
    } finally {
      signal.throwIfAborted(); // what was stopped is incomplete, or has failed
    }
  },
  [Symbol.asyncDispose]: () => runner[Symbol.asyncDispose](),
});
