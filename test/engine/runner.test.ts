/** Promise: threads and processes run their tasks, and a failed task affects no other. */

import { afterEach, describe, expect, test } from "bun:test";
import { openProcessPool } from "../../src/engine/process-pool.ts";
import {
  type Claim,
  lazily,
  type Runner,
  type RunnerOptions,
  shared,
  soleClaim,
} from "../../src/engine/runner.ts";
import { openThreadPool } from "../../src/engine/threads/thread-pool.ts";
import { takes, until } from "../until.ts";
import { ANY_TASK, type AnyWork } from "./any-task.ts";

const WORKER = new URL("worker.ts", import.meta.url);
const KINDS: [name: string, open: (script: URL, options: RunnerOptions) => Runner][] = [
  ["threads", openThreadPool],
  ["processes", openProcessPool],
];

test("tasks that wait for threads fail when the last one ends with a task of its own", async () => {
  const shared = () => new Int32Array(new SharedArrayBuffer(4));
  const [begun, release] = [shared(), shared()];
  const data = { begun, release };
  await using pool = openThreadPool<AnyWork>(new URL("fails-in-turn.ts", import.meta.url), {
    size: 2,
    data,
  });
  const tasks = Promise.allSettled(Array.from({ length: 5 }, () => pool.run({})));
  await until(() => Atomics.load(begun, 0) >= 3); // the replacement of the first
  await takes(50); // and its failure
  Atomics.store(release, 0, 1);
  Atomics.notify(release, 0);
  expect((await tasks).map(({ status }) => status)).toEqual(Array(5).fill("rejected"));
});

describe.each(KINDS)("%s", (_name, open) => {
  let runner: Runner<AnyWork>;
  const start = (size: number) => {
    runner = open(WORKER, { size });
    return runner;
  };
  afterEach(() => runner[Symbol.asyncDispose]());

  test("return each caller its own result", async () => {
    const { run } = start(2);
    const asked = Array.from({ length: 50 }, (_, i) => run({ answer: String(i), wait: i % 3 }));
    expect(await Promise.all(asked)).toEqual(Array.from({ length: 50 }, (_, i) => String(i)));
  });

  test("report the reason of a failed task, which fails alone", async () => {
    const { run } = start(1);
    const [failed, fine] = await Promise.allSettled([run({ fail: "no such voice" }), run({})]);
    expect(failed).toMatchObject({ status: "rejected", reason: { message: "no such voice" } });
    expect(fine).toMatchObject({ status: "fulfilled", value: "done" });
  });

  test("lose only the running task when one dies", async () => {
    const { run } = start(2);
    const tasks = [run({ die: true }), ...Array.from({ length: 8 }, () => run({ wait: 5 }))];
    const [dead, ...others] = await Promise.allSettled(tasks);
    expect(dead!.status).toBe("rejected");
    expect(others.map(({ status }) => status)).toEqual(Array(8).fill("fulfilled"));
    expect(await run({})).toBe("done");
  });

  test("fail each task when the engine cannot start, and nothing else", async () => {
    runner = open(new URL("broken.ts", import.meta.url), { size: 2 });
    await takes(50); // time to fail with no task at hand
    const tasks = await Promise.allSettled(Array.from({ length: 5 }, () => runner.run({})));
    expect(tasks.map(({ status }) => status)).toEqual(Array(5).fill("rejected"));
  });

  test("leave nothing running when closed", async () => {
    const { run } = start(2);
    await Promise.all([run({}), run({})]);
    await runner[Symbol.asyncDispose]();
    await expect(run({})).rejects.toMatchObject({ code: "service_unavailable" });
  });
});

test("threads take turns at a shared limit", async () => {
  await using runner = openThreadPool<AnyWork>(WORKER, { size: 4 });
  const inside = new Int32Array(new SharedArrayBuffer(4));
  const counts = await Promise.all(Array.from({ length: 40 }, () => runner.run({ inside })));
  expect(counts).toEqual(Array(40).fill(1));
});

test("a pool closed while it loads blocks no other pool", async () => {
  const slow = new URL("slow.ts", import.meta.url);
  const closed = openThreadPool<AnyWork>(slow, { size: 2 });
  await takes(100); // one is in its turn, the other waits for it
  await closed[Symbol.asyncDispose]();
  await using next = openThreadPool<AnyWork>(slow, { size: 1 });
  expect(await next.run({})).toBe("done");
});

test("a pool closes after its longest task, also where other threads finish theirs before", async () => {
  const closed = openThreadPool<AnyWork>(WORKER, { size: 2 });
  const tasks = [50, 500].map((wait) => closed.run({ wait, answer: `after ${wait} ms` }));
  const results = Promise.allSettled(tasks);
  await closed[Symbol.asyncDispose]();
  expect((await results).map((result) => ("value" in result ? result.value : result.reason))).toEqual([
    "after 50 ms",
    "after 500 ms",
  ]);
});

test("an unused lazy runner never opens", async () => {
  let opened = 0;
  const lazy = lazily(() => {
    opened++;
    return openThreadPool<AnyWork>(WORKER, { size: 1 });
  });
  await lazy[Symbol.asyncDispose]();
  expect(opened).toBe(0);
});

test("a thread with batching receives several tasks at once", async () => {
  const meeting = new URL("./barrier.ts", import.meta.url);
  await using runner = openThreadPool<AnyWork>(meeting, { size: 1, concurrency: 4 });
  expect(await Promise.all(Array.from({ length: 4 }, () => runner.run({ of: 4 })))).toEqual([4, 4, 4, 4]);
});

test("a growing pool starts a thread only for a task that finds all others busy", async () => {
  await using runner = openThreadPool<AnyWork>(WORKER, { size: 2, sizeMin: 1 });
  const threads = async (count: number) =>
    new Set(await Promise.all(Array.from({ length: count }, () => runner.run({ name: true, wait: 300 }))));
  const first = await threads(1);
  expect(await threads(1)).toEqual(first);
  expect((await threads(6)).size).toBe(2);
});

test("a growing pool closes while a thread that it added still loads", async () => {
  const slow = new URL("slow.ts", import.meta.url);
  const closed = openThreadPool<AnyWork>(slow, { size: 2, sizeMin: 1 });
  await closed.run({});
  void Promise.allSettled([closed.run({}), closed.run({})]); // the second starts a thread
  await closed[Symbol.asyncDispose]();
  await using next = openThreadPool<AnyWork>(slow, { size: 1 });
  expect(await next.run({})).toBe("done");
});

test("a shared runner is told whose task it is, so that it can stop once that caller has left", async () => {
  const stopped: boolean[] = [];
  const hold = shared(() => ({
    run: async <T>(_task: object, _transfer?: unknown, claim?: Claim) => {
      stopped.push(claim!.signal.aborted);
      return "done" as T;
    },
    [Symbol.asyncDispose]: async () => {},
  }));
  await hold().run(ANY_TASK, [], soleClaim(AbortSignal.abort()));
  expect(stopped).toEqual([true]);
});

test("a shared runner is opened by its first holder and closed with its last", async () => {
  const events: string[] = [];
  const hold = shared(() => {
    events.push("open");
    return {
      run: async <T>() => "done" as T,
      [Symbol.asyncDispose]: async () => void events.push("close"),
    };
  });
  const [one, other] = [hold(), hold()];
  await one[Symbol.asyncDispose]();
  await one[Symbol.asyncDispose]();
  await expect(one.run(ANY_TASK)).rejects.toMatchObject({ code: "service_unavailable" });
  expect(await other.run(ANY_TASK)).toBe("done");
  expect(events).toEqual(["open"]);
  await other[Symbol.asyncDispose]();
  expect(events).toEqual(["open", "close"]);
  expect(await hold().run(ANY_TASK)).toBe("done");
  expect(events).toEqual(["open", "close", "open"]);
});
