/** Promise: frames come out in their order, and neither their number nor their size keeps others waiting or fills the memory. */
import { expect, test } from "bun:test";
import { Inbox } from "../../src/http/inbox.ts";
import { openBudget } from "../../src/memory/budget.ts";

const quiet = { pause() {}, resume() {} };

test("whoever has thousands of frames waiting lets others have their turn between them", async () => {
  const inbox = new Inbox(quiet);
  for (let sent = 0; sent < 2000; sent++) inbox.push(String(sent));
  let others = 0;
  const timer = setInterval(() => others++, 1);
  for (let taken = 0; taken < 2000; taken++) {
    expect(await inbox.next()).toBe(String(taken));
    for (const until = performance.now() + 0.05; performance.now() < until; ); // a frame's work
  }
  clearInterval(timer);
  expect(others).toBeGreaterThan(2);
});

test("empty frames count too: a few thousand of them and no more are read", () => {
  let paused = 0;
  const inbox = new Inbox({ pause: () => paused++, resume() {} });
  for (let sent = 0; sent < 3000; sent++) inbox.push("");
  expect(paused).toBe(1);
});

test("a large frame is held until the next one is asked for, or nobody asks any more", async () => {
  const budget = openBudget(1_000_000);
  const inbox = new Inbox(quiet);
  const large = "A".repeat(100_000);
  inbox.push(large);
  inbox.countAgainst(budget.open("org_1"));
  inbox.push(large);
  expect(budget.heldBytes()).toBe(400_000);
  expect(() => inbox.push(large)).toThrow("Wait for one to end");
  await inbox.next();
  expect(budget.heldBytes()).toBe(400_000);
  await inbox.next();
  expect(budget.heldBytes()).toBe(200_000);
  inbox.close();
  expect(budget.heldBytes()).toBe(0);
});
