/** Promise: what engines have freed goes back to the system once none of them works, and not while one does. */

import { expect, test } from "bun:test";
import { openIdleMemory, openRegistry } from "../../src/engine/registry.ts";
import { soleClaim } from "../../src/engine/runner.ts";
import { quietFor, until } from "../until.ts";
import { ANY_TASK } from "./any-task.ts";

/** Counts how often memory was given back. */
function counting(quietMs = 20) {
  let count = 0;
  const memory = openIdleMemory({
    quietMs,
    giveBack: () => {
      count++;
    },
  });
  return { memory, count: () => count };
}

test("memory is given back once after the last task, and after an engine was unloaded", async () => {
  const { memory, count } = counting();
  memory.begun();
  memory.begun();
  memory.ended();
  await quietFor(80);
  expect(count()).toBe(0); // one still runs
  memory.ended();
  await until(() => count() === 1);
  await quietFor(80);
  expect(count()).toBe(1);
  memory.unloaded();
  await until(() => count() === 2);
});

test("an engine that is unloaded while another works, or a task that begins in time, gives nothing back", async () => {
  const { memory, count } = counting(200);
  memory.begun();
  memory.unloaded();
  memory.ended();
  memory.begun();
  await quietFor(400);
  expect(count()).toBe(0);
  memory.ended();
  memory[Symbol.dispose]();
  await quietFor(400);
  expect(count()).toBe(0);
});

test("the registry counts tasks that fail too", async () => {
  const { memory, count } = counting();
  const runner = {
    run: () => Promise.reject(new Error("it fails")),
    [Symbol.asyncDispose]: async () => {},
  };
  const spec = { key: "a", idleMs: null, options: { size: 1 }, start: () => runner };
  await using registry = openRegistry(() => spec, { memory });
  await expect(registry.engine("a").run(ANY_TASK, soleClaim())).rejects.toThrow("it fails");
  await until(() => count() === 1);
});
