/** Promise: an engine whose threads or processes end one after another is started ever more rarely, and each end is told. */
import { describe, expect, test } from "bun:test";
import { pauseMs, type WorkerEnd } from "../../src/engine/back-off.ts";
import { openProcessPool } from "../../src/engine/process-pool.ts";
import { openThreadPool } from "../../src/engine/threads/thread-pool.ts";
import { loopTurn, until } from "../until.ts";

const WORKER = new URL("worker.ts", import.meta.url);

test("the pause doubles from the second end in a row, up to ten seconds", () => {
  expect([1, 2, 3, 4, 8, 9, 50].map(pauseMs)).toEqual([0, 100, 200, 400, 6400, 10_000, 10_000]);
});

describe.each([
  ["process", openProcessPool],
  ["thread", openThreadPool],
] as const)("a pool whose only %s ends", (kind, open) => {
  test("refuses tasks while it pauses; a task that succeeds resets the pause", async () => {
    const ends: WorkerEnd[] = [];
    await using pool = open(WORKER, { size: 1, ended: (end) => void ends.push(end) });
    const answer = () => until(() => pool.run<string>({}).catch(() => null));
    const die = async (count: number) => {
      while (ends.length < count) await pool.run({ die: true }).catch(loopTurn);
    };
    expect(await answer()).toBe("done");
    await die(2);
    await expect(pool.run({})).rejects.toMatchObject({ code: "service_unavailable", retryAfterSeconds: 1 });
    expect(await answer()).toBe("done");
    await die(3);
    expect(ends.map((end) => [end.kind, end.pausedMs])).toEqual([
      [kind, 0],
      [kind, 100],
      [kind, 0],
    ]);
  });
});

test("threads that end with their pool are not told", async () => {
  const ends: WorkerEnd[] = [];
  const pool = openThreadPool(WORKER, { size: 2, ended: (end) => void ends.push(end) });
  await pool.run({});
  await pool[Symbol.asyncDispose]();
  expect(ends).toEqual([]);
});
