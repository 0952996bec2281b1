/** Promise: of several callers, the one who runs out of sound first is served first, and one at a time. */
import { expect, test } from "bun:test";
import { openTurns } from "../../../../workers/tts/pocket/turns.ts";

test("work is done one piece at a time, in the order in which it is due", async () => {
  const turn = openTurns();
  const done: number[] = [];
  let running = 0;
  const work = (dueMs: number) =>
    turn(dueMs, async () => {
      expect(++running).toBe(1);
      await Promise.resolve();
      done.push(dueMs);
      running--;
    });
  await Promise.all([5, 9, 1, 7, 3].map(work));
  expect(done).toEqual([5, 1, 3, 7, 9]); // the first began at once
});

test("a failure is its caller's alone", async () => {
  const turn = openTurns();
  const failed = turn(1, () => Promise.reject(new Error("no")));
  const after = turn(2, () => Promise.resolve("yes"));
  await expect(failed).rejects.toThrow("no");
  expect(await after).toBe("yes");
});
