/** Promise: where a runner cannot start the next one takes its tasks, and a task that fails is not tried again. */

import { expect, test } from "bun:test";
import { openFirst } from "../../src/engine/first-runner.ts";
import { type Runner, StartFailure } from "../../src/engine/runner.ts";
import { ANY_TASK } from "./any-task.ts";

function openRunners(results: (string | Error)[]) {
  const opened: number[] = [];
  const closed: number[] = [];
  const messages: string[] = [];
  const open = results.map((result, at) => (): Runner => {
    opened.push(at);
    return {
      async run<T>(): Promise<T> {
        if (result instanceof Error) throw result;
        return result as T;
      },
      async [Symbol.asyncDispose]() {
        closed.push(at);
      },
    };
  });
  const runner = openFirst(open, (reason, at) => messages.push(`${at}: ${reason.message}`));
  return { runner, opened, closed, messages };
}

const unopened = (message: string) => new StartFailure(new Error(message));

test("the first that starts takes the tasks, and later ones are not opened", async () => {
  const { runner, opened, messages } = openRunners(["fp32", "q8"]);
  expect(await runner.run(ANY_TASK)).toBe("fp32");
  expect([opened, messages]).toEqual([[0], []]);
});

test("one that cannot start is reported once and closed, even while requests wait for it", async () => {
  const { runner, opened, closed, messages } = openRunners([
    unopened("not fp16"),
    unopened("not q4"),
    "fp32",
  ]);
  expect(await Promise.all([runner.run(ANY_TASK), runner.run(ANY_TASK), runner.run(ANY_TASK)])).toEqual([
    "fp32",
    "fp32",
    "fp32",
  ]);
  expect(messages).toEqual(["0: not fp16", "1: not q4"]);
  await runner[Symbol.asyncDispose]();
  expect([opened, closed]).toEqual([
    [0, 1, 2],
    [0, 1, 2],
  ]);
});

test("a task gets the last reason where none can start", async () => {
  const { runner } = openRunners([unopened("not fp16"), unopened("not fp32")]);
  await expect(runner.run(ANY_TASK)).rejects.toThrow("not fp32");
});

test("a task that fails in a runner that started is not tried again", async () => {
  const { runner, opened } = openRunners([new Error("a broken task"), "q8"]);
  await expect(runner.run(ANY_TASK)).rejects.toThrow("a broken task");
  expect(opened).toEqual([0]);
});
