/** Promise: an engine whose processes die one after another is restarted ever more rarely, and refuses tasks at once. */
import { expect, test } from "bun:test";
import { openProcessPool, pauseMs } from "../../src/engine/process-pool.ts";

const WORKER = new URL("worker.ts", import.meta.url);

test("the pause doubles from the second death in a row, up to ten seconds", () => {
  expect([1, 2, 3, 4, 8, 9, 50].map(pauseMs)).toEqual([0, 100, 200, 400, 6400, 10_000, 10_000]);
});

test("while it pauses, tasks are refused; a task that ends resets the count", async () => {
  const pauses: number[] = [];
  await using pool = openProcessPool(WORKER, { size: 1, queueMax: 10, died: (ms) => pauses.push(ms) });
  await expect(pool.run({ die: true })).rejects.toThrow("ended during a task");
  await expect(pool.run({ die: true })).rejects.toThrow("ended during a task");
  while (pauses.length < 2) await Bun.sleep(1);
  await expect(pool.run({})).rejects.toMatchObject({ code: "service_unavailable", retryAfterSeconds: 1 });
  const answer = async () => {
    for (;;) {
      const result = await pool.run<string>({}).catch(() => null);
      if (result !== null) return result;
      await Bun.sleep(5);
    }
  };
  expect(await answer()).toBe("done");
  await expect(pool.run({ die: true })).rejects.toThrow("ended during a task");
  while (pauses.length < 3) await Bun.sleep(1);
  expect(pauses).toEqual([0, 100, 0]);
});
