/**
 * Promise: frames are handled in order, and neither their number nor their size delays other sockets or fills memory.
 */
import { expect, test } from "bun:test";
import { FrameQueue } from "../../../src/api/sockets/frame-queue.ts";
import { openBudget } from "../../../src/memory/budget.ts";
import { openEventLoopShare } from "../../../src/memory/event-loop-share.ts";

/** As long as a frame may take. */
function work(): void {
  for (const until = performance.now() + 0.05; performance.now() < until; );
}

const quiet = { pause() {}, resume() {} };

test("a socket with thousands of waiting frames takes turns with other sockets", async () => {
  const frameQueue = new FrameQueue(quiet, openEventLoopShare());
  for (let sent = 0; sent < 2000; sent++) frameQueue.push(String(sent));
  let others = 0;
  const timer = setInterval(() => others++, 1);
  for (let taken = 0; taken < 2000; taken++) {
    expect((await frameQueue.next())?.frame).toBe(String(taken));
    work();
  }
  clearInterval(timer);
  expect(others).toBeGreaterThan(2);
});

test("frames that arrive at once are not all handled in one turn of the event loop", async () => {
  const queue = new FrameQueue(quiet, openEventLoopShare());
  const sent = 1000;
  let done = 0;
  const doing = (async () => {
    for (; done < sent; done++) {
      await queue.next();
      work();
    }
  })();
  for (let pushed = 0; pushed < sent; pushed++) {
    queue.push("frame");
    for (let step = 0; step < 5; step++) await null; // what waits goes on, and no round of the event loop ends
  }
  expect(done).toBeLessThan(sent / 2);
  await doing;
});

test("nothing is read before the first frame is asked for", async () => {
  const calls: string[] = [];
  const queue = new FrameQueue(
    { pause: () => calls.push("pause"), resume: () => calls.push("resume") },
    openEventLoopShare(),
  );
  expect(calls).toEqual(["pause"]);
  void queue.next();
  expect(calls).toEqual(["pause", "resume"]);
});

test("empty frames count towards the limit of queued frames", () => {
  let paused = 0;
  const queue = new FrameQueue({ pause: () => paused++, resume() {} }, openEventLoopShare());
  void queue.next();
  for (let sent = 0; sent < 3000; sent++) queue.push("");
  expect(paused).toBe(2); // one of them before the first frame
});

test("a large frame's memory is held until the next one is read, or the socket closes", async () => {
  const budget = openBudget(1_000_000);
  const queue = new FrameQueue(quiet, openEventLoopShare());
  const large = "A".repeat(100_000);
  queue.push(large);
  queue.countAgainst(budget.open("org_1"));
  queue.push(large);
  expect(budget.heldBytes()).toBe(400_000);
  queue.push(large); // no room for it
  await queue.next();
  expect(budget.heldBytes()).toBe(400_000);
  const second = (await queue.next())!;
  expect(budget.heldBytes()).toBe(200_000);
  queue.drop(second);
  expect([second.frame, budget.heldBytes()]).toEqual([null, 0]);
  const third = await queue.next();
  expect([third?.frame, third?.sizeBytes]).toEqual([null, 100_000]);
  expect(String(third?.refusal)).toContain("Wait for one to finish");
  queue.close();
  expect(budget.heldBytes()).toBe(0);
});
