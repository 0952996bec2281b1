/**
 * Lets the threads of an engine stop when the caller leaves: by a flag of each synthesis, which they read between the steps
 * of their work. Tasks for engine nodes get theirs there.
 */

import { isOf } from "../protocol/task.ts";
import { cancelFlag, type Runner, soleClaim } from "../runner.ts";

export const withStopping = (runner: Runner): Runner => ({
  async run(task, transfer, claim = soleClaim()) {
    const { signal } = claim;
    signal.throwIfAborted();
    using flag = cancelFlag(signal);
    const stoppable = isOf(task, "synthesis") ? { ...task, cancel: flag.cancel } : task;
    try {
      return await runner.run<typeof task>(stoppable, transfer, claim);
    } finally {
      signal.throwIfAborted(); // what was stopped is incomplete, or has failed
    }
  },
  [Symbol.asyncDispose]: () => runner[Symbol.asyncDispose](),
});
