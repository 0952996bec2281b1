/** Promise: a caller who leaves sets the flag of its task, and gets its own reason, whatever becomes of the task. */

import { expect, test } from "bun:test";
import type { SynthesisTask } from "../../src/engine/protocol/synthesis.ts";
import { type Runner, soleClaim } from "../../src/engine/runner.ts";
import { withStopping } from "../../src/engine/threads/stopping-runner.ts";
import { ANY_TASK } from "./any-task.ts";

type Ends = (cancel: Int32Array) => unknown;

const runnerOf = (ends: Ends): Runner => ({
  run: async (task) => ends((task as Required<SynthesisTask>).cancel) as never,
  async [Symbol.asyncDispose]() {},
});

test("the flag of a task is zero while its caller waits", async () => {
  expect(await withStopping(runnerOf((cancel) => cancel[0])).run(ANY_TASK)).toBe(0);
});

test.each<[string, () => unknown]>([
  ["returns", () => new Float32Array(1)],
  [
    "fails",
    () => {
      throw new Error("the request was cancelled");
    },
  ],
])("a caller who leaves gets no incomplete result where the task then %s", async (_, end) => {
  const left = new AbortController();
  let flag: Int32Array | null = null;
  const runner = runnerOf((cancel) => {
    flag = cancel;
    left.abort(new Error("gone"));
    return end();
  });
  await expect(withStopping(runner).run(ANY_TASK, [], soleClaim(left.signal))).rejects.toThrow("gone");
  expect(flag![0]).toBe(1);
});

test("a task whose caller has left already does not begin", async () => {
  let begun = 0;
  const runner = withStopping(runnerOf(() => ++begun));
  const left = AbortSignal.abort(new Error("gone"));
  await expect(runner.run(ANY_TASK, [], soleClaim(left))).rejects.toThrow("gone");
  expect(begun).toBe(0);
});
