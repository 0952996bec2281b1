/** Promise: connections that flood a server take turns with each other and with all other work. */
import { expect, test } from "bun:test";
import { openEventLoopShare, openWholeShare } from "../../src/memory/event-loop-share.ts";

const nextIteration = () => new Promise((resolve) => setImmediate(resolve));

const busy = (forMs: number) => {
  for (const until = performance.now() + forMs; performance.now() < until; );
};

test.each([
  ["of messages", openEventLoopShare],
  ["of requests", openWholeShare],
])(
  "a share %s is used after some milliseconds of an iteration, and free in the next",
  async (_name, open) => {
    const share = open();
    expect(share.isUsed()).toBe(false);
    busy(20);
    expect(share.isUsed()).toBe(true);
    await nextIteration();
    await nextIteration();
    expect(share.isUsed()).toBe(false);
  },
);

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

test("those who wait for a whole share go on in their order, for some milliseconds of each iteration", async () => {
  const share = openWholeShare();
  const handled: number[] = [];
  const waits = Array.from({ length: 20 }, async (_, index) => {
    await share.turn();
    handled.push(index);
    busy(2);
  });
  expect(share.isUsed()).toBe(true); // who comes now is behind them
  await nextIteration();
  await nextIteration();
  expect(handled.length).toBeLessThan(10);
  await Promise.all(waits);
  expect(handled).toEqual(Array.from({ length: 20 }, (_, index) => index));
  await nextIteration();
  await nextIteration();
  expect(share.isUsed()).toBe(false);
});
