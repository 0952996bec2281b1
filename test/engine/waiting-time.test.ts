/** Promise: tasks wait by time, however many they are, and a refusal says how long the work ahead takes. */

import { afterEach, beforeEach, describe, expect, jest, test } from "bun:test";
import fc from "fast-check";
import { type Claim, type Runner, soleClaim } from "../../src/engine/runner.ts";
import { openScheduler } from "../../src/engine/scheduler.ts";
import { retrySeconds, WAIT_MAX_MS } from "../../src/errors.ts";
import { ANY_TASK } from "./any-task.ts";

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

const settle = async () => {
  for (let turn = 0; turn < 10; turn++) await Promise.resolve();
};

type Ask = Partial<Pick<Claim, "organization" | "dueInMs" | "urgency">>;

/** An engine whose tasks take `taskMs` each on a clock that a test moves. */
function openTimed({ size = 1, taskMs = 1000 } = {}) {
  let nowMs = 0;
  const ends: { atMs: number; resolve: () => void }[] = [];
  const runner: Runner = {
    run: () =>
      new Promise<never>((resolve) => {
        ends.push({ atMs: nowMs + taskMs, resolve: () => resolve(undefined as never) });
      }),
    async [Symbol.asyncDispose]() {},
  };
  const queue = openScheduler(runner, { size, now: () => nowMs });
  return {
    ask: (asked: Ask = {}) =>
      queue.run(ANY_TASK, { ...soleClaim(), organization: "a", ...asked }).then(
        () => "served" as const,
        ({ code, retryAfterSeconds }) => ({ code, retryAfterSeconds }),
      ),
    nowMs: () => nowMs,
    load: queue.load,
    /** Until nothing runs. */
    async pass() {
      while (ends.length > 0) {
        ends.sort((one, other) => one.atMs - other.atMs);
        const { atMs, resolve } = ends.shift()!;
        nowMs = atMs;
        resolve();
        await settle();
      }
    },
  };
}

describe("tasks of one organization", () => {
  test.each([
    ["one place", 1],
    ["sixteen places", 16],
  ])("are all served, a thousand at once on %s", async (_name, size) => {
    const engine = openTimed({ size, taskMs: 100 });
    const all = Array.from({ length: 1000 }, () => engine.ask());
    await settle();
    await engine.pass();
    expect(new Set(await Promise.all(all))).toEqual(new Set(["served"]));
  });
});

describe("a task that is refused", () => {
  test("is refused at once where the work ahead would take longer than callers wait", async () => {
    const engine = openTimed({ taskMs: 10_000 });
    const all = [engine.ask()];
    await settle();
    await engine.pass();
    const count = 1 + WAIT_MAX_MS / 10_000;
    for (let index = 0; index < count; index++) all.push(engine.ask());
    await settle();
    expect(await engine.ask()).toEqual({ code: "service_unavailable", retryAfterSeconds: 60 });
    all.push(
      engine.ask({ organization: "b" }),
      engine.ask({ dueInMs: 1 }),
      engine.ask({ urgency: "realtime" }),
    );
    await engine.pass();
    expect(new Set(await Promise.all(all))).toEqual(new Set(["served"]));
  });

  test("waited as long as callers do", async () => {
    const engine = openTimed();
    const running = engine.ask();
    await settle();
    const waiting = engine.ask();
    const further = engine.ask({ dueInMs: 5 }); // a later segment of a text that is being read
    await settle();
    jest.advanceTimersByTime(WAIT_MAX_MS - 1);
    expect(engine.load().waiting).toBe(2);
    jest.advanceTimersByTime(1);
    expect(await waiting).toMatchObject({ code: "service_unavailable" });
    expect(engine.load().waiting).toBe(1);
    await engine.pass();
    expect(await Promise.all([running, further])).toEqual(["served", "served"]);
  });

  test("names the wait within a factor of two, among any organizations", () =>
    fc.assert(
      fc.asyncProperty(
        fc.record({ size: fc.integer({ min: 1, max: 4 }), taskMs: fc.integer({ min: 100, max: 5000 }) }),
        fc.array(fc.constantFrom("a", "b", "c"), { minLength: 20, maxLength: 80 }),
        async (options, organizations) => {
          const engine = openTimed(options);
          const first = engine.ask({ organization: "first" });
          await settle();
          await engine.pass(); // so that it knows how long tasks take
          const others = Array.from({ length: options.size }, () => engine.ask({ organization: "first" }));
          const late = engine.ask();
          jest.advanceTimersByTime(1);
          others.push(first, ...organizations.map((organization) => engine.ask({ organization })));
          jest.advanceTimersByTime(WAIT_MAX_MS - 1);
          const refusal = (await late) as { retryAfterSeconds: number };
          const askedMs = engine.nowMs();
          const last = engine.ask().then(() => engine.nowMs() - options.taskMs);
          await engine.pass();
          await Promise.all(others);
          const trueSeconds = Math.min(60, Math.max(1, ((await last) - askedMs) / 1000));
          expect(refusal.retryAfterSeconds / trueSeconds).toBeWithin(0.5, 2.001);
        },
      ),
      { numRuns: 100, seed: 1 },
    ));
});

test("the time to wait is whole seconds that clients obey", () => {
  expect([0, 1, 1001, 59_000, 61_000, 1e9].map(retrySeconds)).toEqual([1, 1, 2, 59, 60, 60]);
});
