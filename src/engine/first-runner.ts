/**
 * A runner that is the first of several to start: where the graphs of one variant of a model cannot be opened on any
 * device, the next takes its tasks. A task that fails in a runner that started is not tried again.
 */
import { type Runner, StartFailure } from "./runner.ts";

/** `open` are tried in their order, each when the one before it has failed to start. `failed` is told of each. */
export function openFirst(
  open: readonly (() => Runner)[],
  failed: (reason: Error, at: number) => void,
): Runner {
  let at = 0;
  let current = open[0]!();
  const closing: PromiseLike<void>[] = [];

  /** False: there is none left. */
  const replace = (reason: StartFailure): boolean => {
    if (at + 1 === open.length) return false;
    failed(reason, at);
    closing.push(current[Symbol.asyncDispose]());
    current = open[++at]!();
    return true;
  };

  return {
    async run(task, transfer, claim) {
      for (;;) {
        const runner = current;
        try {
          return await runner.run(task, transfer, claim);
        } catch (error) {
          if (!(error instanceof StartFailure)) throw error;
          if (runner === current && !replace(error)) throw error;
        }
      }
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([...closing, current[Symbol.asyncDispose]()]);
    },
  };
}
