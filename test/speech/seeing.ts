/** A runner that keeps the tasks that it was given, and makes nothing of them. */
import type { Runner } from "../../src/engine/runner.ts";

export function seeing(): { runner: Runner; seen: object[] } {
  const seen: object[] = [];
  const runner: Runner = {
    async run(task) {
      seen.push(task);
      return new Float32Array(0) as never;
    },
    async [Symbol.asyncDispose]() {},
  };
  return { runner, seen };
}
