/** Promise: a thread without a pool answers its tasks in order, and one that ends is replaced. */

import { afterEach, expect, test } from "bun:test";
import type { WorkerEnd } from "../../src/engine/back-off.ts";
import type { Runner } from "../../src/engine/runner.ts";
import { openSoleThread } from "../../src/engine/threads/sole-thread.ts";
import type { AnyWork } from "./any-task.ts";

let runner: Runner<AnyWork>;
let ends: WorkerEnd[] = [];
afterEach(() => runner[Symbol.asyncDispose]());

const SCRIPT = new URL("sole-worker.ts", import.meta.url);

function open(script = SCRIPT): Runner<AnyWork>["run"] {
  ends = [];
  const ended = (end: WorkerEnd) => void ends.push(end);
  runner = openSoleThread<AnyWork>(script, { ended, data: {} });
  return runner.run;
}

test("each task has its own answer", async () => {
  const run = open();
  const asked = Array.from({ length: 50 }, (_, turn) => run({ answer: String(turn) }));
  expect(await Promise.all(asked)).toEqual(Array.from({ length: 50 }, (_, turn) => String(turn)));
});

test("a task that fails, fails alone and with its reason", async () => {
  const run = open();
  const [before, failed, after] = await Promise.allSettled([run({}), run({ fail: "disk full" }), run({})]);
  expect(failed).toMatchObject({ status: "rejected", reason: { message: "disk full" } });
  expect([before, after]).toMatchObject([{ value: "done" }, { value: "done" }]);
});

test("a thread that ends fails what waits for it, is told, and is replaced", async () => {
  const run = open();
  const lost = await Promise.allSettled([run({ die: true }), run({})]);
  expect(lost.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  expect(await run({})).toBe("done");
  expect(ends).toMatchObject([{ kind: "thread", pausedMs: 0 }]);
});

test("a thread that cannot start fails each task with its reason", async () => {
  const run = open(new URL("broken.ts", import.meta.url));
  for (let turn = 0; turn < 3; turn++) await expect(run({})).rejects.toThrow("the model could not be loaded");
  expect(ends.length).toBeGreaterThan(0);
});

test("a closed thread ends what it was given, and takes no more", async () => {
  const run = open();
  const taken = run({});
  await runner[Symbol.asyncDispose]();
  expect(await taken).toBe("done");
  await expect(run({})).rejects.toMatchObject({ code: "service_unavailable" });
});
