/** Promise: connections that flood a server take turns with each other and with all other work. */
import { expect, test } from "bun:test";
import { openEventLoopShare } from "../../src/memory/event-loop-share.ts";

const nextIteration = () => new Promise((resolve) => setImmediate(resolve));

test("a share is used after some milliseconds of an iteration, and free in the next", async () => {
  const share = openEventLoopShare();
  expect(share.isUsed()).toBe(false);
  for (const until = performance.now() + 5; performance.now() < until; );
  expect(share.isUsed()).toBe(true);
  await nextIteration();
  await nextIteration();
  expect(share.isUsed()).toBe(false);
});

test("connections that wait go on one after another", async () => {
  const share = openEventLoopShare();
  let handled = 0;
  for (let waiting = 0; waiting < 20; waiting++) void share.turn().then(() => handled++);
  await nextIteration();
  await nextIteration();
  expect(handled).toBeLessThan(5);
  await share.turn();
  expect(handled).toBe(20);
});
